import { useQuery } from '@tanstack/react-query';
import { apiList, apiQuery } from '../../api/queries.ts';
import type { Schema } from '../../api/schemas.ts';
import { useProjectId } from '../../app/project.ts';
import { useCanEdit } from '../../app/session.ts';
import type { Texts } from '../../texts/area-texts.ts';
import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LinkButton, TextLink } from '../../ui/link.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import type { Column } from '../../ui/list/table.tsx';
import { PageHead } from '../../ui/page.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Time } from '../../ui/time.tsx';
import { summarize } from './describe-entry.ts';
import { type Entry, listProviders, type Mandate } from './mandate.ts';
import { MandateState } from './mandate-state.tsx';
import styles from './mandates.module.css';
import { useNaming } from './use-naming.ts';

/** Mandates by name: what each allows, and whether it is used. */
export function MandatesPage() {
  const { mandates: texts } = useTexts();
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const path = { projectId };
  const sums = useQuery(apiQuery('/projects/{projectId}/mandate-uses', { path }));
  const create = canEdit ? <CreateButton projectId={projectId} label={texts.create} /> : undefined;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} actions={create} />
      <QueryProblem queries={[sums]} />
      <ResourceList<Mandate>
        label={texts.title}
        query={() => apiList('/projects/{projectId}/mandates', { path })}
        columns={listColumns(texts, projectId, sums.data?.mandates)}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/p/${projectId}/mandates/${id}`}
        empty={<EmptyState icon="mandates" title={texts.emptyTitle} text={texts.emptyText} />}
      />
      <p className={`soft small ${styles.below}`}>{texts.usesNote}</p>
    </>
  );
}

function CreateButton({ projectId, label }: { projectId: string; label: string }) {
  return (
    <LinkButton to="/p/$projectId/mandates/new" params={{ projectId }}>
      {label}
    </LinkButton>
  );
}

function listColumns(
  texts: Texts['mandates'],
  projectId: string,
  sums: readonly Schema<'MandateSum'>[] | undefined,
): Column<Mandate>[] {
  const sumOf = ({ id }: Mandate) => sums?.find(({ mandateId }) => mandateId === id);
  return [
    {
      key: 'name',
      header: texts.name,
      render: (row) => (
        <TextLink to="/p/$projectId/mandates/$mandateId" params={{ projectId, mandateId: row.id }}>
          {row.name}
        </TextLink>
      ),
    },
    { key: 'state', header: texts.state, render: (row) => <MandateState state={row.state} /> },
    { key: 'allows', header: texts.allows, render: (row) => <Summary entries={row.entries} />, wide: true },
    {
      key: 'users',
      header: texts.usedFor,
      align: 'end',
      wide: true,
      render: (row) => sumOf(row)?.users ?? (sums === undefined ? '' : '–'),
    },
    {
      key: 'used',
      header: texts.lastUsed,
      render: (row) => {
        const sum = sumOf(row);
        if (sum !== undefined) return <Time at={sum.lastAt} />;
        return sums === undefined ? '' : <span className="soft">{texts.notSeen}</span>;
      },
    },
  ];
}

function Summary({ entries }: { entries: readonly Entry[] }) {
  const naming = useNaming(listProviders(entries));
  return <span className={styles.summary}>{summarize(entries, naming)}</span>;
}
