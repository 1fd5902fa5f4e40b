import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { apiList, apiQuery } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { LinkButton, TextLink } from '../../../ui/link.tsx';
import { type FilterDefinition, type Filters, useFilters } from '../../../ui/list/filters.ts';
import { ResourceList } from '../../../ui/list/resource-list.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { useUserName } from '../../connections/people.ts';
import styles from '../events.module.css';
import { SectionLead } from '../lead.tsx';
import { useOpened } from '../opened.ts';
import { OpenButton, useIntegrationOptions } from '../parts.tsx';
import { type Event, useFollow } from './use-follow.ts';

const EventDrawer = lazyPart(() => import('./event-drawer.tsx'), 'EventDrawer');

function listOf(projectId: string, filters: Filters) {
  return apiList('/events/latest', { query: { projectId, ...filters } });
}

/** The events of the project, the newest first, and those that come while one looks. */
export function StreamSection() {
  const { events } = useTexts();
  const texts = events.stream;
  const projectId = useProjectId();
  const definitions = useEventFilters(projectId);
  const { filters } = useFilters(definitions);
  const drawer = useOpened('event');
  const follow = useFollow(listOf(projectId, filters).queryKey, { projectId, ...filters });
  return (
    <>
      <SectionLead
        actions={
          <>
            {follow.isOn && (
              <StateBadge tone="good" icon="dot">
                {texts.live}
              </StateBadge>
            )}
            <Button
              variant="default"
              leftSection={<Icon name={follow.isOn ? 'pause' : 'play'} size={14} />}
              onClick={follow.toggle}
            >
              {follow.isOn ? texts.pause : texts.follow}
            </Button>
          </>
        }
      >
        {events.lead}
      </SectionLead>
      <ProblemNotice error={follow.error} onRetry={follow.toggle} />
      <ResourceList<Event>
        label={events.tabs.stream}
        filters={definitions}
        query={(given) => listOf(projectId, given)}
        rowKey={({ id }) => id}
        rowHref={({ id }) => drawer.hrefOf(id)}
        columns={[
          {
            key: 'type',
            header: events.type,
            render: (event) => (
              <OpenButton onOpen={() => drawer.open(event.id)} below={<ObjectWords event={event} />}>
                {event.type}
              </OpenButton>
            ),
          },
          {
            key: 'connection',
            header: events.user,
            wide: true,
            render: (event) => <Whose event={event} />,
          },
          { key: 'source', header: texts.source, wide: true, render: ({ source }) => texts.sources[source] },
          { key: 'when', header: events.when, render: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState
            icon="events"
            title={texts.emptyTitle}
            text={texts.emptyText}
            action={
              <LinkButton variant="default" to="/p/$projectId/integrations" params={{ projectId }}>
                {texts.toIntegrations}
              </LinkButton>
            }
          />
        }
      />
      <Suspense>
        {drawer.id && <EventDrawer key={drawer.id} id={drawer.id} onClose={drawer.close} />}
      </Suspense>
    </>
  );
}

function ObjectWords({ event }: { event: Event }) {
  if (!event.object) return null;
  return (
    <>
      {event.object.type} {event.object.id}
    </>
  );
}

function Whose({ event }: { event: Event }) {
  const projectId = useProjectId();
  const { connectionId, userId } = event;
  const nameOf = useUserName();
  if (connectionId === null) return <span className="soft">–</span>;
  return (
    <TextLink
      to="/p/$projectId/connections/$connectionId"
      params={{ projectId, connectionId }}
      className={styles.whose}
      title={userId ?? connectionId}
    >
      {userId === null ? `…${connectionId.slice(-6)}` : nameOf(userId)}
    </TextLink>
  );
}

function useEventFilters(projectId: string): FilterDefinition[] {
  const { events } = useTexts();
  const seen = useQuery({ ...apiQuery('/events/types', { query: { projectId } }), staleTime: 30_000 });
  const types = seen.data?.types ?? [];
  const options = (values: readonly string[]) =>
    [...new Set(values)].map((value) => ({ value, label: value }));
  const beginnings = types.map(({ type }) => `${type.split('.', 1)[0]}.*`);
  return [
    {
      name: 'types',
      label: events.type,
      kind: 'choice',
      options: options([...beginnings, ...types.map(({ type }) => type)]),
    },
    {
      name: 'objectType',
      label: events.stream.objectType,
      kind: 'choice',
      options: options(types.flatMap(({ objectType }) => objectType ?? [])),
    },
    {
      name: 'integrationId',
      label: events.integration,
      kind: 'choice',
      options: useIntegrationOptions(projectId),
    },
    { name: 'connectionId', label: events.connection, kind: 'text', canType: true },
  ];
}
