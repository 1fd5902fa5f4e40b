import { useQuery } from '@tanstack/react-query';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { apiQuery } from '../../api/queries.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { LinkButton, TextLink } from '../../ui/link.tsx';
import { type Column, Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { ConnectionState } from '../connections/connection-state.tsx';
import { useUserName } from '../connections/people.ts';
import { stateQueries } from './integration-queries.ts';
import styles from './integrations.module.css';

export type Connection = components['schemas']['Connection'];

const SHOWN = 5;
/** So many of the newest tell what the provider grants. */
const LOOKED_AT = 50;

/** The newest connections; the scopes section and this one share the query. */
export function newestConnectionsQuery(projectId: string, integrationId: string) {
  return apiQuery('/projects/{projectId}/connections', {
    path: { projectId },
    query: { integrationId, limit: LOOKED_AT },
  });
}

type ConnectionsSectionProps = { readonly projectId: string; readonly integrationId: string };

/** The newest connections, and the way to all of them. */
export function ConnectionsSection({ projectId, integrationId }: ConnectionsSectionProps) {
  const { detail: texts } = useTexts().integrations;
  const query = useQuery(newestConnectionsQuery(projectId, integrationId));
  const columns = useColumns(projectId);
  const count = query.data?.connections.length ?? 0;
  const total = useTotal(projectId, integrationId, query.data);
  return (
    <Section
      title={texts.connections}
      flush={count > 0}
      actions={
        count > 0 && (
          <LinkButton
            variant="default"
            size="compact-sm"
            to="/p/$projectId/connections"
            params={{ projectId }}
            search={{ integrationId }}
          >
            {texts.allConnections(total)}
          </LinkButton>
        )
      }
    >
      <Loaded query={query}>
        {({ connections }) =>
          connections.length === 0 ? (
            <p className="soft">{texts.noConnections}</p>
          ) : (
            <Table
              bare
              label={texts.connections}
              columns={columns}
              rows={connections.slice(0, SHOWN)}
              rowKey={({ id }) => id}
              rowHref={({ id }) => `/p/${projectId}/connections/${id}`}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

/** How many there are; more than were looked at are counted by the list of integrations. */
function useTotal(
  projectId: string,
  integrationId: string,
  newest: { connections: readonly Connection[]; nextCursor: string | null } | undefined,
): string {
  const { language } = useLanguage();
  const hasMore = Boolean(newest?.nextCursor);
  const list = useQuery({ ...stateQueries(projectId).list, enabled: hasMore });
  const count = newest?.connections.length ?? 0;
  if (!hasMore) return String(count);
  const numbers = list.data?.integrations.find(({ id }) => id === integrationId)?.numbers;
  return numbers == null ? `${count}+` : numbers.connections.toLocaleString(language);
}

function useColumns(projectId: string): Column<Connection>[] {
  const { detail: texts } = useTexts().integrations;
  const nameOf = useUserName();
  return [
    {
      key: 'account',
      header: texts.account,
      render: ({ id, accountName, accountId, owner }) => (
        <TextLink to="/p/$projectId/connections/$connectionId" params={{ projectId, connectionId: id }}>
          {accountName ?? accountId ?? nameOf(owner.id)}
        </TextLink>
      ),
    },
    {
      key: 'user',
      header: texts.user,
      wide: true,
      render: ({ owner }) => <span className={styles.cut}>{nameOf(owner.id)}</span>,
    },
    {
      key: 'status',
      header: texts.status,
      render: (connection) => <ConnectionState connection={connection} />,
    },
    { key: 'used', header: texts.lastUsed, wide: true, render: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  ];
}
