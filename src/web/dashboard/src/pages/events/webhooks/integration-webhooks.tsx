import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { type Provider, providerQuery } from '../../../api/catalog.ts';
import { api, apiQuery } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { HrefLink } from '../../../ui/link.tsx';
import { type Column, Table } from '../../../ui/list/table.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Facts } from '../../../ui/page.tsx';
import { StateBadge, type Tone } from '../../../ui/state-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { useAction } from '../../../ui/use-action.ts';
import styles from '../events.module.css';
import { AwaitHandshake } from './await-handshake.tsx';

const SubscribeDialog = lazyPart(() => import('./subscribe-dialog.tsx'), 'SubscribeDialog');

type Subscription = Schema<'WebhookSubscription'>;
type Integration = Schema<'Integration'>;

/** Where the provider of an integration sends its webhooks, and what is registered there. */
export function IntegrationWebhooks({ integrationId }: { integrationId: string }) {
  const integration = useQuery(apiQuery('/integrations/{id}', { path: { id: integrationId } }));
  return <Loaded query={integration}>{(it) => <Webhooks integration={it} />}</Loaded>;
}

function Webhooks({ integration }: { integration: Integration }) {
  const provider = useQuery(providerQuery(integration.serviceProvider, useProjectId()));
  return <Loaded query={provider}>{(it) => <Addresses integration={integration} provider={it} />}</Loaded>;
}

function Addresses({ integration, provider }: { integration: Integration; provider: Provider }) {
  const { webhooks: texts } = useTexts().events;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const [isSubscribing, setSubscribing] = useState(false);
  if (!provider.webhooks.supported) return <p className="soft">{texts.notReceived}</p>;
  return (
    <div className={styles.stack}>
      <Facts
        facts={[
          [
            texts.url,
            <span key="url">
              <span className={styles.copyLine}>
                <code>{integration.webhookUrl}</code>
                <CopyButton value={integration.webhookUrl} />
              </span>
              <span className="soft small">{texts.urlHint}</span>
            </span>,
          ],
        ]}
      />
      <AwaitHandshake integrationId={integration.id} canEdit={canEdit} />
      <Subscriptions integrationId={integration.id} canEdit={canEdit} />
      <div className="row">
        {canEdit && (
          <Button
            variant="default"
            leftSection={<Icon name="plus" size={15} />}
            onClick={() => setSubscribing(true)}
          >
            {texts.subscribe}
          </Button>
        )}
        {provider.webhooks.docsUrl && (
          <a href={provider.webhooks.docsUrl} target="_blank" rel="noreferrer">
            {texts.docs}
          </a>
        )}
      </div>
      <Suspense>
        {isSubscribing && (
          <SubscribeDialog integrationId={integration.id} onClose={() => setSubscribing(false)} />
        )}
      </Suspense>
    </div>
  );
}

const TONES: Readonly<Record<Subscription['state'], Tone>> = {
  manual: 'info',
  pending: 'neutral',
  active: 'good',
  failing: 'bad',
  removing: 'neutral',
};

function Subscriptions({ integrationId, canEdit }: { integrationId: string; canEdit: boolean }) {
  const { webhooks: texts } = useTexts().events;
  const columns = useColumns(canEdit);
  const found = useQuery({
    ...apiQuery('/integrations/{id}/subscriptions', { path: { id: integrationId } }),
    refetchInterval: ({ state }) => (state.data?.subscriptions.some(isMoving) === true ? 3_000 : false),
  });
  return (
    <Loaded query={found}>
      {({ subscriptions }) =>
        subscriptions.length === 0 ? (
          <p className="soft">{texts.noSubscriptions}</p>
        ) : (
          <Table
            bare
            label={texts.addresses}
            columns={columns}
            rows={subscriptions}
            rowKey={({ id }) => id}
          />
        )
      }
    </Loaded>
  );
}

function isMoving({ state }: Subscription): boolean {
  return state === 'pending' || state === 'removing';
}

function useColumns(canEdit: boolean): Column<Subscription>[] {
  const { events } = useTexts();
  const texts = events.webhooks;
  const projectId = useProjectId();
  return [
    {
      key: 'for',
      header: texts.subscribeFor,
      render: ({ connectionId, lastError }) => (
        <span className={styles.what}>
          {connectionId === null ? (
            <span>{texts.wholeIntegration}</span>
          ) : (
            <HrefLink href={`/p/${projectId}/connections/${connectionId}`}>
              {events.connection} …{connectionId.slice(-6)}
            </HrefLink>
          )}
          {lastError && <small title={lastError}>{lastError}</small>}
        </span>
      ),
    },
    {
      key: 'state',
      header: events.state,
      render: ({ state }) => <StateBadge tone={TONES[state]}>{texts.subscriptionStates[state]}</StateBadge>,
    },
    {
      key: 'expires',
      header: texts.expires,
      wide: true,
      render: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} /> : '–'),
    },
    { key: 'remove', header: '', align: 'end', render: (row) => canEdit && <Remove subscription={row} /> },
  ];
}

function Remove({ subscription: { id, integrationId } }: { subscription: Subscription }) {
  const { events, common } = useTexts();
  const { webhooks: texts } = events;
  const remove = useAction({
    question: {
      title: texts.unsubscribeTitle,
      consequences: [texts.unsubscribeText],
      confirmLabel: texts.unsubscribe,
    },
    send: () =>
      api.delete('/integrations/{id}/subscriptions/{subscriptionId}', {
        path: { id: integrationId, subscriptionId: id },
      }),
    done: texts.unsubscribed,
    refresh: ['/integrations/{id}/subscriptions'],
  });
  return (
    <Button
      variant="subtle"
      c="var(--bad)"
      size="compact-sm"
      loading={remove.isPending}
      onClick={() => remove.mutate()}
    >
      {common.delete}
    </Button>
  );
}
