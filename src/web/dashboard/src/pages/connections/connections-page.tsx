import { useQuery } from '@tanstack/react-query';
import { apiList, apiQuery } from '../../api/queries.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useProjectId } from '../../app/project.ts';
import { useCanEdit } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LinkButton, TextLink } from '../../ui/link.tsx';
import type { FilterDefinition } from '../../ui/list/filters.ts';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import type { Column } from '../../ui/list/table.tsx';
import { PageHead } from '../../ui/page.tsx';
import { ProviderLogo, ProviderName, useProviderOptions } from '../../ui/provider-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { nameAccount } from './account-name.ts';
import { ConnectOwnAccount } from './connect-own-account.tsx';
import { ConnectionState } from './connection-state.tsx';
import styles from './connections.module.css';
import { useUserName } from './people.ts';

const LIST = '/projects/{projectId}/connections';

/** The connections of a project, by user, account, integration, provider and state. */
export function ConnectionsPage() {
  const { connections: texts } = useTexts();
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const filters = useConnectionFilters(projectId);
  const columns = useColumns(projectId);
  return (
    <>
      <PageHead
        title={texts.title}
        lead={texts.lead}
        actions={canEdit && <ConnectOwnAccount projectId={projectId} variant="default" />}
      />
      <ResourceList<Connection>
        label={texts.title}
        filters={filters}
        query={(query) => apiList(LIST, { path: { projectId }, query: readTag(query) })}
        columns={columns}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/p/${projectId}/connections/${id}`}
        empty={<NoConnections projectId={projectId} canEdit={canEdit} />}
      />
    </>
  );
}

/** `plan=pro`, as people type it, in the form of the API. */
function readTag<Query extends { tag?: unknown }>({ tag, ...query }: Query) {
  if (typeof tag !== 'string' || tag === '') return query;
  const [key = '', ...value] = tag.split('=');
  return { ...query, tag: { [key]: value.join('=') } };
}

function NoConnections({ projectId, canEdit }: { projectId: string; canEdit: boolean }) {
  const { connections: texts, integrations } = useTexts();
  const found = useQuery(apiQuery('/integrations', { query: { projectId, limit: 1 } }));
  const hasIntegrations = (found.data?.integrations.length ?? 0) > 0;
  const action = hasIntegrations ? (
    <ConnectOwnAccount projectId={projectId} />
  ) : (
    <LinkButton to="/p/$projectId/integrations/new" params={{ projectId }}>
      {integrations.create}
    </LinkButton>
  );
  return (
    <EmptyState
      icon="connections"
      title={texts.emptyTitle}
      text={texts.emptyText}
      action={canEdit && found.isSuccess ? action : undefined}
    />
  );
}

function useColumns(projectId: string): Column<Connection>[] {
  const { connections: texts } = useTexts();
  const nameOf = useUserName();
  return [
    {
      key: 'account',
      header: texts.account,
      render: (row) => (
        <span className={styles.account}>
          <ProviderLogo id={row.serviceProvider} size={28} />
          <span>
            <TextLink
              to="/p/$projectId/connections/$connectionId"
              params={{ projectId, connectionId: row.id }}
              title={nameAccount(row, texts)}
            >
              {nameAccount(row, texts)}
            </TextLink>
            <small>
              <ProviderName id={row.serviceProvider} />
              {row.accountId !== null && row.accountId !== row.accountName && ` · ${row.accountId}`}
            </small>
            <span className={styles.phoneState}>
              <ConnectionState connection={row} />
            </span>
          </span>
        </span>
      ),
    },
    {
      key: 'user',
      header: texts.owner,
      wide: true,
      render: ({ owner }) => (
        <UserText text={owner.type === 'user' ? nameOf(owner.id) : `${owner.id} (${texts.organization})`} />
      ),
    },
    {
      key: 'state',
      header: texts.status,
      wide: true,
      render: (row) => <ConnectionState connection={row} />,
    },
    { key: 'used', header: texts.lastUsed, wide: true, render: (row) => <Time at={row.lastUsedAt} /> },
    {
      key: 'refreshed',
      header: texts.lastRefresh,
      wide: true,
      render: (row) =>
        row.expiresAt === null ? <span className="soft">–</span> : <Time at={row.refreshedAt} />,
    },
  ];
}

function UserText({ text }: { text: string }) {
  return (
    <span className={styles.user} title={text}>
      {text}
    </span>
  );
}

function useConnectionFilters(projectId: string): FilterDefinition[] {
  const { connections: texts } = useTexts();
  const found = useQuery({
    ...apiQuery('/integrations', { query: { projectId, limit: 200 } }),
    staleTime: 60_000,
  });
  const providers = useProviderOptions(found.data?.integrations.map((each) => each.serviceProvider) ?? []);
  const hasSeveral = (found.data?.integrations.length ?? 0) > providers.length;
  return [
    { name: 'search', label: texts.search, kind: 'search' },
    {
      name: 'status',
      label: texts.status,
      kind: 'choice',
      options: [
        { value: 'active', label: texts.states.active },
        { value: 'reauthorization_required', label: texts.states.reauthorization_required },
      ],
    },
    {
      name: 'serviceProvider',
      label: texts.provider,
      ...(providers.length > 1 ? { kind: 'choice', options: providers } : { kind: 'text' }),
    },
    {
      name: 'integrationId',
      label: texts.integration,
      ...(hasSeveral && found.data
        ? {
            kind: 'choice',
            options: found.data.integrations.map(({ id, serviceProvider, clientId }) => ({
              value: id,
              label: clientId ? `${serviceProvider} · ${clientId}` : `${serviceProvider} · ${id.slice(-6)}`,
            })),
          }
        : { kind: 'text' }),
    },
    {
      name: 'owner',
      label: texts.owner,
      kind: 'choice',
      options: [
        { value: 'user', label: texts.user },
        { value: 'organization', label: texts.organization },
      ],
    },
    { name: 'organizationId', label: texts.organization, kind: 'text' },
    { name: 'tag', label: texts.tag, kind: 'text', canType: true },
    { name: 'userId', label: texts.user, kind: 'text' },
    { name: 'integrationUserId', label: texts.integrationUser, kind: 'text' },
  ];
}
