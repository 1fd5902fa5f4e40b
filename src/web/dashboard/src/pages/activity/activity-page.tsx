import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { apiList, apiQuery } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import type { Texts } from '../../texts/area-texts.ts';
import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useFindingTexts } from '../../ui/finding-list.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LazyMenu } from '../../ui/lazy-menu.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import type { FilterDefinition, Filters } from '../../ui/list/filters.ts';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './activity.module.css';
import { ActorName } from './actor.tsx';
import { describeEntry, isFailure, nameOfAction } from './describe-entry.ts';
import type { Entry } from './entry.ts';
import { SubjectLink } from './subject.tsx';

const EntryDrawer = lazyPart(() => import('./entry-drawer.tsx'), 'EntryDrawer');
const ExportItems = lazyPart(() => import('./export-items.tsx'), 'ExportItems');

const HOUR_SECONDS = 3_600;

/** `/p/<projectId>/activity`: the audit log, in words. */
export function ActivityPage() {
  const texts = useTexts();
  const { activity } = texts;
  const projectId = useProjectId();
  const [opened, setOpened] = useState<Entry>();
  return (
    <>
      <PageHead title={activity.title} lead={activity.lead} />
      <ResourceList<Entry>
        label={activity.title}
        filters={useFilterDefinitions(texts)}
        query={(filters) => apiList('/activity', { query: { projectId, ...filters } })}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'what',
            header: activity.what,
            render: (entry) => <What entry={entry} onOpen={setOpened} />,
          },
          { key: 'who', header: activity.who, render: (entry) => <ActorName entry={entry} />, wide: true },
          {
            key: 'subject',
            header: activity.subject,
            render: (entry) => <SubjectLink entry={entry} />,
            wide: true,
          },
          {
            key: 'from',
            header: activity.from,
            render: ({ sourceAddress }) => <span className="mono">{sourceAddress ?? '–'}</span>,
            wide: true,
          },
          { key: 'when', header: activity.when, render: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={<EmptyState icon="history" title={activity.emptyTitle} text={activity.emptyText} />}
        exportSlot={(filters) => <ExportMenu filters={filters} />}
      />
      <Suspense>{opened && <EntryDrawer entry={opened} onClose={() => setOpened(undefined)} />}</Suspense>
    </>
  );
}

/** What happened; at phone width also who did it, which has no column there. */
function What({ entry, onOpen }: { entry: Entry; onOpen: (entry: Entry) => void }) {
  const texts = useTexts();
  const { activity } = texts;
  const textOf = useFindingTexts();
  const about = describeEntry(texts, entry, (finding) => textOf({ ...finding, detail: '' }).title);
  return (
    <span className={styles.what}>
      <button type="button" className={styles.open} onClick={() => onOpen(entry)}>
        {isFailure(entry.action) && (
          <Icon name="warning" size={14} className={styles.failed} label={activity.failure} />
        )}
        {nameOfAction(texts, entry.action)}
      </button>
      {about !== '' && <small>{about}</small>}
      <small className={styles.narrow}>{entry.actorName ?? activity.actors[entry.actorKind]}</small>
    </span>
  );
}

function useFilterDefinitions(texts: Texts): readonly FilterDefinition[] {
  const { filters, actions, actors, subjects } = texts.activity;
  const { presets } = filters;
  return [
    { name: 'action', label: filters.action, kind: 'choice', options: optionsOf(actions) },
    { name: 'actorKind', label: filters.actorKind, kind: 'choice', options: optionsOf(actors) },
    { name: 'actorId', label: filters.actorId, kind: 'choice', options: useActors() },
    { name: 'subjectKind', label: filters.subjectKind, kind: 'choice', options: optionsOf(subjects) },
    { name: 'subjectId', label: filters.subjectId, kind: 'text' },
    {
      name: 'from',
      label: filters.from,
      kind: 'time',
      presets: [
        { seconds: HOUR_SECONDS, label: presets.hour },
        { seconds: 24 * HOUR_SECONDS, label: presets.day },
        { seconds: 7 * 24 * HOUR_SECONDS, label: presets.week },
        { seconds: 30 * 24 * HOUR_SECONDS, label: presets.month },
      ],
    },
    { name: 'to', label: filters.to, kind: 'time' },
    { name: 'requestId', label: filters.requestId, kind: 'text', canType: true },
  ];
}

function optionsOf(labels: Readonly<Record<string, string>>) {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

/** Members and API keys by name; others are found by a click on one of their entries. */
function useActors() {
  const projectId = useProjectId();
  const path = { projectId };
  const members = useQuery(apiQuery('/projects/{projectId}/members', { path, query: { limit: 200 } })).data;
  const keys = useQuery(apiQuery('/projects/{projectId}/api-keys', { path, query: { limit: 200 } })).data;
  return [
    ...(members?.members ?? []).map(({ operatorId, name, email }) => ({
      value: operatorId,
      label: name ?? email,
    })),
    ...(keys?.apiKeys ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ];
}

function ExportMenu({ filters }: { filters: Filters }) {
  const { common } = useTexts();
  return (
    <LazyMenu
      button={
        <Button variant="default" size="sm" leftSection={<Icon name="download" size={14} />}>
          {common.export}
        </Button>
      }
      menu={(button) => <ExportItems filters={filters}>{button}</ExportItems>}
    />
  );
}
