import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { api, apiQuery, refresh } from '../../api/queries.ts';
import type { Schema } from '../../api/schemas.ts';
import { useTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { type Column, Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { Integration } from './form-values.ts';
import { PATHS_OF_INTEGRATION } from './integration-queries.ts';
import styles from './integrations.module.css';

const ClientDialog = lazyPart(() => import('./organization-client-dialog.tsx'), 'OrganizationClientDialog');

type Client = Schema<'OrganizationClient'>;
type SectionProps = { readonly integration: Integration; readonly canEdit: boolean };

/** As many as are shown; the API has the others. */
const SHOWN_MAX = 200;

/** OAuth clients that organizations have of their own, without their secrets. */
export function OrganizationClientsSection({ integration, canEdit }: SectionProps) {
  const { organizationClients: texts } = useTexts().integrations;
  const parts = { path: { id: integration.id }, query: { limit: SHOWN_MAX } };
  const query = useQuery(apiQuery('/integrations/{id}/clients', parts));
  const [edited, setEdited] = useState<Client | 'new' | undefined>();
  const columns = useColumns({ integration, canEdit, onReplace: setEdited });
  return (
    <Section
      title={texts.title}
      lead={texts.lead}
      flush
      actions={
        canEdit && (
          <Button variant="default" size="compact-sm" onClick={() => setEdited('new')}>
            {texts.add}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ clients, nextCursor }) =>
          clients.length === 0 ? (
            <p className={`soft ${styles.pad}`}>{texts.none}</p>
          ) : (
            <>
              <Table bare label={texts.title} columns={columns} rows={clients} rowKey={({ id }) => id} />
              {nextCursor !== null && <p className={`soft ${styles.pad}`}>{texts.moreThanShown}</p>}
            </>
          )
        }
      </Loaded>
      <Suspense>
        {edited !== undefined && (
          <ClientDialog
            integration={integration}
            client={edited === 'new' ? undefined : edited}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Suspense>
    </Section>
  );
}

type ColumnsProps = SectionProps & { readonly onReplace: (client: Client) => void };

function useColumns({ integration, canEdit, onReplace }: ColumnsProps): Column<Client>[] {
  const { organizationClients: texts, detail } = useTexts().integrations;
  return [
    {
      key: 'organization',
      header: texts.organization,
      render: ({ organizationId, clientId }) => (
        <span className={styles.reason}>
          <strong>{organizationId}</strong>
          <span className="soft small">{clientId}</span>
        </span>
      ),
    },
    {
      key: 'worked',
      header: detail.lastWorked,
      render: ({ lastWorkedAt, lastRefusedAt }) => (
        <span className={styles.reason}>
          <Time at={lastWorkedAt} />
          {lastRefusedAt !== null && lastRefusedAt > (lastWorkedAt ?? '') && (
            <StateBadge tone="bad">
              {detail.lastRefused} <Time at={lastRefusedAt} />
            </StateBadge>
          )}
        </span>
      ),
    },
    ...(canEdit
      ? [
          {
            key: 'actions',
            header: '',
            align: 'end' as const,
            render: (client: Client) => (
              <span className={styles.rowActions}>
                <Button variant="default" size="compact-sm" onClick={() => onReplace(client)}>
                  {texts.replace}
                </Button>
                <RemoveButton integration={integration} client={client} />
              </span>
            ),
          },
        ]
      : []),
  ];
}

type RemoveButtonProps = { readonly integration: Integration; readonly client: Client };

/** Takes the client away, after a question. */
function RemoveButton({ integration, client }: RemoveButtonProps) {
  const { organizationClients: texts } = useTexts().integrations;
  const queries = useQueryClient();
  const remove = useAction({
    question: {
      title: texts.removeTitle(client.organizationId),
      consequences: [texts.removeText],
      confirmLabel: texts.remove,
    },
    send: () =>
      api
        .delete('/integrations/{id}/clients/{clientId}', {
          path: { id: integration.id, clientId: client.id },
        })
        // A refusal may come of the client being gone.
        .finally(() => refresh(queries, ...PATHS_OF_INTEGRATION)),
    done: texts.removed,
  });
  return (
    <Button variant="default" size="compact-sm" onClick={() => remove.mutate()} loading={remove.isPending}>
      {texts.remove}
    </Button>
  );
}
