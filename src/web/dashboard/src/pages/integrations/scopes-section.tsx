import { useQuery } from '@tanstack/react-query';
import type { Provider } from '../../api/catalog.ts';
import { useTexts } from '../../texts/texts.tsx';
import { type Column, Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { type Connection, newestConnectionsQuery } from './connections-section.tsx';
import type { Integration } from './form-values.ts';
import styles from './integrations.module.css';

type ScopesSectionProps = {
  readonly projectId: string;
  readonly integration: Integration;
  readonly provider: Provider;
};

type Row = {
  readonly scope: string;
  readonly asked: 'required' | 'optional' | 'no';
  readonly granted: number;
};

/** Scopes that are asked for, against those that the newest connections were granted. */
export function ScopesSection({ projectId, integration, provider }: ScopesSectionProps) {
  const { detail: texts } = useTexts().integrations;
  const query = useQuery(newestConnectionsQuery(projectId, integration.id));
  const isEmpty = integration.scopes.length + integration.optionalScopes.length === 0;
  return (
    <Section title={texts.scopes} lead={texts.scopesLead} flush>
      <Loaded query={query}>
        {({ connections }) => {
          const known = connections.filter(({ grantedScopes }) => grantedScopes.length > 0);
          const rows = rowsOf(integration, known);
          if (isEmpty && rows.length === 0) return <p className={`soft ${styles.pad}`}>{texts.noScopes}</p>;
          return (
            <>
              <ScopeTable rows={rows} total={known.length} provider={provider} />
              {known.length === 0 && (
                <p className={`soft small ${styles.sub} ${styles.pad}`}>{texts.grantUnknown}</p>
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function rowsOf({ scopes, optionalScopes }: Integration, connections: readonly Connection[]): Row[] {
  const granted = connections.flatMap(({ grantedScopes }) => grantedScopes);
  const all = [...new Set([...scopes, ...optionalScopes, ...granted])];
  return all.map((scope) => ({
    scope,
    asked: scopes.includes(scope) ? 'required' : optionalScopes.includes(scope) ? 'optional' : 'no',
    granted: connections.filter(({ grantedScopes }) => grantedScopes.includes(scope)).length,
  }));
}

type ScopeTableProps = { readonly rows: readonly Row[]; readonly total: number; readonly provider: Provider };

function ScopeTable({ rows, total, provider }: ScopeTableProps) {
  const { detail: texts, setUp } = useTexts().integrations;
  const asked = { required: setUp.required, optional: setUp.optional, no: texts.notAsked };
  const columns: Column<Row>[] = [
    {
      key: 'scope',
      header: texts.scope,
      render: ({ scope }) => (
        <span className={styles.reason}>
          <code>{scope}</code>
          {provider.scopes.descriptions[scope] !== undefined && (
            <span className="soft small">{provider.scopes.descriptions[scope]}</span>
          )}
        </span>
      ),
    },
    { key: 'asked', header: texts.asked, render: (row) => asked[row.asked] },
    {
      key: 'granted',
      header: texts.granted,
      render: ({ granted, asked: wanted }) =>
        total === 0 ? (
          <span className="soft">–</span>
        ) : (
          <StateBadge tone={granted === total ? 'good' : wanted === 'required' ? 'warning' : 'neutral'}>
            {texts.grantedOf({ granted, total })}
          </StateBadge>
        ),
    },
  ];
  return <Table bare label={texts.scopes} columns={columns} rows={rows} rowKey={({ scope }) => scope} />;
}
