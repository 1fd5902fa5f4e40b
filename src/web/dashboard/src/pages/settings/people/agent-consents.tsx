import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, apiQuery } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { type FilterDefinition, useFilters } from '../../../ui/list/filters.ts';
import { Table } from '../../../ui/list/table.tsx';
import { Section } from '../../../ui/page.tsx';
import { Time } from '../../../ui/time.tsx';
import { useAction } from '../../../ui/use-action.ts';
import styles from '../settings.module.css';

type Consent = Schema<'AgentConsent'>;

/** What users have allowed agents, the latest of those that the filters of the users name; where there has been any. */
export function AgentConsents({ filters: definitions }: { readonly filters: readonly FilterDefinition[] }) {
  const { agents: texts, users } = useTexts().settings;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const { userId } = useFilters(definitions).filters;
  const query = { projectId, limit: 50, ...(userId !== undefined && { userId }) };
  const consents = useQuery(apiQuery('/agent-consents', { query }));
  const rows = consents.data?.consents ?? [];
  if (rows.length === 0) return null;
  return (
    <Section title={texts.consents} lead={texts.consentsLead}>
      <Table
        bare
        label={texts.consents}
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          { key: 'client', header: texts.client, render: ({ client }) => <Client client={client} /> },
          {
            key: 'user',
            header: users.userId,
            render: (row) => <span className="breaks">{row.userId}</span>,
          },
          { key: 'access', header: texts.access, render: ({ access }) => texts.accessNames[access] },
          { key: 'used', header: texts.used, render: ({ usedAt }) => <Time at={usedAt} />, wide: true },
          {
            key: 'withdraw',
            header: '',
            align: 'end',
            render: (consent) => canEdit && <Withdraw consent={consent} />,
          },
        ]}
      />
    </Section>
  );
}

function Client({ client: { id, name, host } }: Pick<Consent, 'client'>) {
  const { agents: texts } = useTexts().settings;
  return (
    <span className={styles.person}>
      <strong className="breaks">{name ?? host ?? id}</strong>
      {name !== null && <small className="breaks">{host ?? texts.selfRegistered}</small>}
    </span>
  );
}

function Withdraw({ consent }: { readonly consent: Consent }) {
  const { agents: texts } = useTexts().settings;
  const { id, userId, client } = consent;
  const withdraw = useAction({
    question: {
      title: texts.withdrawTitle({ client: client.name ?? client.host ?? client.id, user: userId }),
      consequences: [texts.withdrawText],
      confirmLabel: texts.withdraw,
    },
    send: () => api.delete('/agent-consents/{id}', { path: { id } }),
    done: texts.withdrawn,
    refresh: ['/agent-consents', '/activity'],
  });
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      c="var(--bad)"
      loading={withdraw.isPending}
      onClick={() => withdraw.mutate()}
    >
      {texts.withdraw}
    </Button>
  );
}
