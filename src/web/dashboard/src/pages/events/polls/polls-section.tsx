import { Button } from '@mantine/core';
import { Suspense, useState } from 'react';
import { apiList } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { TextLink } from '../../../ui/link.tsx';
import { ResourceList } from '../../../ui/list/resource-list.tsx';
import type { Column } from '../../../ui/list/table.tsx';
import { ProviderMark } from '../../../ui/provider-mark.tsx';
import styles from '../events.module.css';
import { SectionLead } from '../lead.tsx';
import { useIntegrationOptions } from '../parts.tsx';
import { Lag, type Poll, PollState, useIntervalWords } from './poll-parts.tsx';

const NewPollDialog = lazyPart(() => import('./new-poll-dialog.tsx'), 'NewPollDialog');

/** What is polled, and how that comes on. */
export function PollsSection() {
  const { events } = useTexts();
  const texts = events.polls;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const [isCreating, setCreating] = useState(false);
  const columns = useColumns(projectId);
  const create = canEdit && (
    <Button leftSection={<Icon name="plus" size={15} />} onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <>
      <SectionLead actions={create}>{texts.lead}</SectionLead>
      <ResourceList<Poll>
        label={events.tabs.polls}
        filters={[
          {
            name: 'integrationId',
            label: events.integration,
            kind: 'choice',
            options: useIntegrationOptions(projectId),
          },
        ]}
        query={(filters) => apiList('/polls', { query: { projectId, ...filters } })}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/p/${projectId}/events/polls/${id}`}
        columns={columns}
        empty={<EmptyState icon="refresh" title={texts.emptyTitle} text={texts.emptyText} />}
      />
      <Suspense>{isCreating && <NewPollDialog onClose={() => setCreating(false)} />}</Suspense>
    </>
  );
}

function useColumns(projectId: string): Column<Poll>[] {
  const { events } = useTexts();
  const texts = events.polls;
  const interval = useIntervalWords();
  return [
    {
      key: 'resource',
      header: texts.resource,
      render: ({ id, resource, objectType, serviceProvider }) => (
        <span className={styles.what}>
          <TextLink to="/p/$projectId/events/polls/$pollId" params={{ projectId, pollId: id }}>
            {resource ?? objectType}
          </TextLink>
          <small>
            <ProviderMark id={serviceProvider} size={13} />
          </small>
        </span>
      ),
    },
    { key: 'state', header: events.state, render: ({ state }) => <PollState state={state} /> },
    { key: 'interval', header: texts.interval, wide: true, render: (poll) => interval(poll.intervalSeconds) },
    {
      key: 'connections',
      header: texts.connections,
      wide: true,
      render: ({ connections, failingConnections }) =>
        failingConnections > 0
          ? texts.failingOf({ failing: failingConnections, all: connections })
          : connections,
    },
    { key: 'lag', header: texts.lag, align: 'end', render: ({ lagSeconds }) => <Lag seconds={lagSeconds} /> },
  ];
}
