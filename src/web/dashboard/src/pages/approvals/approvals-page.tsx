import { apiList } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import type { Texts } from '../../texts/area-texts.ts';
import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextLink } from '../../ui/link.tsx';
import type { FilterDefinition } from '../../ui/list/filters.ts';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import type { Column } from '../../ui/list/table.tsx';
import { PageHead } from '../../ui/page.tsx';
import { ProviderMark } from '../../ui/provider-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { type Approval, ApprovalState, nameAsker, nameCall } from './approval-parts.tsx';

/** Calls of agents that wait for a person, or did. */
export function ApprovalsPage() {
  const { approvals: texts } = useTexts();
  const projectId = useProjectId();
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      <ResourceList<Approval>
        label={texts.title}
        filters={listFilters(texts)}
        query={(query) => apiList('/approvals', { query: { ...query, projectId } })}
        columns={listColumns(texts, projectId)}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/p/${projectId}/approvals/${id}`}
        empty={<EmptyState icon="approvals" title={texts.emptyTitle} text={texts.emptyText} />}
      />
    </>
  );
}

function listFilters(texts: Texts['approvals']): FilterDefinition[] {
  const states = ['pending', 'approved', 'used', 'rejected', 'expired'] as const;
  const options = states.map((value) => ({ value, label: texts.states[value] }));
  return [
    { name: 'state', label: texts.state, kind: 'choice', options },
    { name: 'userId', label: texts.user, kind: 'text', canType: true },
  ];
}

function listColumns(texts: Texts['approvals'], projectId: string): Column<Approval>[] {
  return [
    {
      key: 'call',
      header: texts.call,
      render: (row) => (
        <TextLink to="/p/$projectId/approvals/$approvalId" params={{ projectId, approvalId: row.id }}>
          {nameCall(row, texts)}
        </TextLink>
      ),
    },
    { key: 'state', header: texts.state, render: (row) => <ApprovalState approval={row} /> },
    {
      key: 'provider',
      header: texts.provider,
      render: (row) => <ProviderMark id={row.serviceProvider} size={16} />,
      wide: true,
    },
    { key: 'user', header: texts.user, render: (row) => row.userId, wide: true },
    { key: 'asker', header: texts.asker, render: (row) => nameAsker(row, texts) ?? '–', wide: true },
    { key: 'asked', header: texts.asked, render: (row) => <Time at={row.createdAt} /> },
  ];
}
