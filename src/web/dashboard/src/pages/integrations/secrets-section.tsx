import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense } from 'react';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { api, apiQuery, refresh } from '../../api/queries.ts';
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

const RotateDialog = lazyPart(() => import('./secret-dialogs.tsx'), 'RotateDialog');
const ExpiryDialog = lazyPart(() => import('./secret-dialogs.tsx'), 'ExpiryDialog');

type Secret = components['schemas']['IntegrationSecret'];
type SecretsSectionProps = { readonly integration: Integration; readonly canEdit: boolean };

/** What is known of the secrets, never the secrets; rotation of the client secret with both accepted. */
export function SecretsSection({ integration, canEdit }: SecretsSectionProps) {
  const { detail: texts } = useTexts().integrations;
  const query = useQuery(apiQuery('/integrations/{id}/secrets', { path: { id: integration.id } }));
  const [isRotating, rotating] = useDisclosure();
  const [isDating, dating] = useDisclosure();
  const columns = useColumns();
  const older = query.data?.secrets.filter(({ age }) => age === 'older') ?? [];
  const newer = query.data?.secrets.find(({ kind, age }) => kind === 'client' && age === 'newer');
  return (
    <Section
      title={texts.secrets}
      lead={texts.secretsLead}
      flush
      actions={
        canEdit && (
          <>
            {older.map((secret) => (
              <DropOlder key={secret.id} integration={integration} secret={secret} />
            ))}
            {newer && (
              <Button variant="default" size="compact-sm" onClick={dating.open}>
                {texts.setExpiry}
              </Button>
            )}
            <Button variant="default" size="compact-sm" onClick={rotating.open}>
              {texts.rotate}
            </Button>
          </>
        )
      }
    >
      <Loaded query={query}>
        {({ secrets }) =>
          secrets.length === 0 ? (
            <p className={`soft ${styles.pad}`}>{texts.noSecrets}</p>
          ) : (
            <Table bare label={texts.secrets} columns={columns} rows={secrets} rowKey={({ id }) => id} />
          )
        }
      </Loaded>
      <Suspense>
        {isRotating && <RotateDialog integration={integration} onClose={rotating.close} />}
        {isDating && (
          <ExpiryDialog
            integration={integration}
            expiresAt={newer?.expiresAt ?? null}
            onClose={dating.close}
          />
        )}
      </Suspense>
    </Section>
  );
}

function useColumns(): Column<Secret>[] {
  const { detail: texts } = useTexts().integrations;
  return [
    {
      key: 'kind',
      header: texts.secrets,
      render: (secret) => (
        <span className={styles.reason}>
          <strong>{secret.kind === 'client' ? texts.kindClient : texts.kindWebhook}</strong>
          <span className="soft small">
            {secret.age === 'newer' ? texts.newer : texts.older}, {texts.set.toLowerCase()}{' '}
            <Time at={secret.createdAt} />
          </span>
        </span>
      ),
    },
    {
      key: 'worked',
      header: texts.lastWorked,
      render: ({ lastWorkedAt, lastRefusedAt }) => (
        <span className={styles.reason}>
          <Time at={lastWorkedAt} />
          {lastRefusedAt !== null && lastRefusedAt > (lastWorkedAt ?? '') && (
            <StateBadge tone="bad">
              {texts.lastRefused} <Time at={lastRefusedAt} />
            </StateBadge>
          )}
        </span>
      ),
    },
    {
      key: 'expires',
      header: texts.expires,
      render: (secret) => <End secret={secret} />,
    },
  ];
}

function End({ secret }: { secret: Secret }) {
  const { detail: texts } = useTexts().integrations;
  if (secret.age === 'older')
    return (
      <span className={styles.reason}>
        <span className="soft small">{texts.triedUntil}</span>
        <Time at={secret.triedUntil} />
      </span>
    );
  return secret.expiresAt === null ? (
    <span className="soft">{texts.noExpiry}</span>
  ) : (
    <Time at={secret.expiresAt} />
  );
}

type DropOlderProps = { readonly integration: Integration; readonly secret: Secret };

/** Ends the overlap of a rotation, after a question. */
function DropOlder({ integration, secret }: DropOlderProps) {
  const { detail } = useTexts().integrations;
  const client = useQueryClient();
  const drop = useAction({
    question: {
      title: detail.dropOlderTitle,
      consequences: [detail.dropOlderText],
      confirmLabel: detail.dropOlder,
    },
    send: () =>
      api
        .delete('/integrations/{id}/secrets/{secretId}', {
          path: { id: integration.id, secretId: secret.id },
        })
        // A refusal may come of the secret being gone.
        .finally(() => refresh(client, ...PATHS_OF_INTEGRATION)),
    done: detail.dropped,
  });
  return (
    <Button variant="default" size="compact-sm" onClick={() => drop.mutate()} loading={drop.isPending}>
      {detail.dropOlder}
    </Button>
  );
}
