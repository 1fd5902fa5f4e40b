import type { Activity } from '../activity/create-activity.ts';
import type { RecordActivity } from '../activity/record.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { Credentials } from '../credentials/create-credentials.ts';
import type { Events } from '../events/create-events.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import { findWebhookSecretsOfAnyProject } from '../integrations/secrets/webhook-secrets.store.ts';
import type { Changes } from '../platform/change-notices.ts';
import type { Chore } from '../platform/chores.ts';
import type { JobQueue } from '../platform/job-queue.ts';
import type { Kit } from '../platform/kit.ts';
import { afterCommit } from '../platform/postgres/after-commit.ts';
import type { StoreClock } from '../platform/postgres/clock.ts';
import { daysChore } from '../platform/postgres/daily-chores.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Pseudonyms } from '../platform/pseudonyms.ts';
import type { Access } from '../projects/access.ts';
import type { Holds } from '../projects/holds.ts';
import type { StoredAmounts } from '../projects/stored-amounts.ts';
import type { Providers } from '../providers/custom-providers.ts';
import { createProcessing } from './processing/create-processing.ts';
import type { SettleChanges } from './processing/deduplicate.ts';
import { readBacklog } from './processing/processing.store.ts';
import { purgeWebhooksOfAnyProject } from './receipts/purge.store.ts';
import { createReceiptWriter } from './receipts/receipt-writer.ts';
import { createReceiptsEndpoints } from './receipts/receipts.router.ts';
import { insertReceipts, trimRejected } from './receipts/receipts.store.ts';
import { createRejectedReceipts } from './receipts/rejected-receipts.ts';
import { addTallies } from './receipts/webhook-numbers.store.ts';
import { findAddressesOfAnyProject, listSiblings } from './receiving/addresses.store.ts';
import { createWebhookAddresses } from './receiving/addresses.ts';
import { createExplainMismatch } from './receiving/explain-mismatch.ts';
import { createKeepFirstSecret } from './receiving/handshake-secrets.store.ts';
import { createHandshakeWaitEndpoints } from './receiving/handshake-wait.router.ts';
import { createFetchKey } from './receiving/key-fetcher.ts';
import { createReadWebhookFacts } from './receiving/read-webhook-facts.ts';
import { createReceive } from './receiving/receive.ts';
import { createWebhookReceiver } from './receiving/receiver.router.ts';
import { createFindRegistrationOwner } from './subscriptions/find-registration-owner.ts';
import { createSubscriptionJobs, SUBSCRIPTION_JOBS } from './subscriptions/subscription-jobs.ts';
import { createSubscriptionsEndpoints } from './subscriptions/subscriptions.router.ts';
import { createUnregister } from './subscriptions/unregister.ts';

const DAY_MS = 24 * 3_600_000;
const FLUSH_MS = 2_000;
const PURGE_MS = 10 * 60_000;
/** Half of them for one party at most. */
const REGISTRATIONS_AT_ONCE = 8;
/** Changes after which an event that waits may have its connection. */
const CONNECTING: ReadonlySet<string> = new Set([
  'connection.created',
  'connection.imported',
  'connection.reauthorized',
  'connection.updated',
]);

export type WebhooksInput = Pick<
  Kit,
  'db' | 'vault' | 'log' | 'outbound' | 'metrics' | 'telemetry' | 'now' | 'publicUrl'
> & {
  /** Called where something worked at a provider. */
  noteWorked(projectId: string, provider: string, fact: 'webhook'): void;
  /** The webhooks' own origin; undefined where it is `publicUrl`. */
  readonly webhookUrl: string | undefined;
  /** How long receipts are kept. */
  readonly keepDays: number;
  readonly providers: Providers;
  readonly integrations: IntegrationsStore;
  readonly connections: ConnectionsStore;
  readonly credentials: Pick<Credentials, 'clientOf' | 'openConnection' | 'openApplication'>;
  readonly events: Pick<Events, 'dataKeys' | 'append'>;
  readonly jobs: Pick<JobQueue, 'add' | 'work'>;
  readonly changes: Pick<Changes, 'announce' | 'subscribe'>;
  readonly activity: Pick<Activity, 'onRecorded'>;
  readonly stored: Pick<StoredAmounts, 'note' | 'isFull'>;
  readonly pseudonyms: Pick<Pseudonyms, 'find'>;
  readonly holds: Pick<Holds, 'isHeld'>;
  /** Renewals and new tries go by it, whichever process made a registration. */
  readonly storeClock: Pick<StoreClock, 'now'>;
  /** Reports to polls what webhooks said, and leaves out what polls have reported already. */
  readonly settleChanges: SettleChanges;
};

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Builds what receives webhooks, makes events of them, registers at providers, and shows it all. */
export function createWebhooks(input: WebhooksInput) {
  const { db, now, keepDays, metrics, publicUrl } = input;
  const addresses = buildAddresses(input);
  const insert = createInsert(input);
  const rejectedReceipts = createRejectedReceipts({
    insert,
    trim: (integrationId) => trimRejected(db, integrationId),
    addTallies: (tallies) => addTallies(db, tallies),
    now,
  });
  const processing = createProcessing({ ...input, ...input.events, describe: addresses.describe });
  const writer = createReceiptWriter({ insert });
  const registrations = buildRegistrations(input);
  input.activity.onRecorded((trx, changed) => {
    if (changed.some(({ action }) => CONNECTING.has(action))) {
      afterCommit(trx, () => void processing.matchAll());
    }
  });
  metrics.watchWebhookBacklog(() => readBacklog(db));

  return {
    removeRegistrations: registrations.removeRegistrations,
    unregisterWhile: registrations.unregisterWhile,
    readAccounts: processing.readAccounts,
    receiver: createWebhookReceiver({
      ...input,
      addresses,
      tracing: input.telemetry.tracing,
      receive: createReceive({
        ...processing,
        write: (receipt) => processing.watchStoring(writer.write(receipt)),
        isFull: input.stored.isFull,
        keepFirstSecret: createKeepSecret(input, registrations.addJob),
        rejectedReceipts,
        explainMismatch: createExplainMismatch({
          listSiblings: (owner, limit) => listSiblings(db, owner, limit),
          findOwner: addresses.find,
          now,
        }),
        count(provider, outcome, projectId) {
          metrics.countWebhook(provider, outcome);
          if (outcome === 'stored') input.noteWorked(projectId, provider, 'webhook');
        },
        tools: { now, fetchKey: createFetchKey({ ...input, ...input.credentials }) },
      }),
    }),
    readWebhookFacts: createReadWebhookFacts({ db, flush: rejectedReceipts.flush }),
    endpoints(above: { readonly access: Access; readonly recordActivity: RecordActivity }): Endpoint[] {
      const deps = { ...input, ...above, ...registrations, dataKeys: input.events.dataKeys };
      return [
        ...createHandshakeWaitEndpoints(deps),
        ...createReceiptsEndpoints({ ...deps, flush: rejectedReceipts.flush, kick: processing.kick }),
        ...createSubscriptionsEndpoints({ ...deps, webhookUrl: input.webhookUrl ?? publicUrl }),
      ];
    },
    chores: [
      {
        name: 'rejected webhooks',
        intervalMs: FLUSH_MS,
        runsAtStop: true,
        run: () => rejectedReceipts.flush(),
      },
      ...processing.chores,
      daysChore(db, 'webhook_receipts', { now, keepDays }),
      {
        name: 'old webhooks',
        intervalMs: PURGE_MS,
        run: (signal) => purgeWebhooksOfAnyProject(db, { beforeMs: now() - keepDays * DAY_MS, signal }),
      },
    ] satisfies Chore[],
    stop: processing.stop,
  };
}

function buildAddresses(input: WebhooksInput) {
  const { db, vault } = input;
  const addresses = createWebhookAddresses({
    ...input,
    findSecrets: (ids) => findWebhookSecretsOfAnyProject(db, vault, ids),
    findAddresses: (keys) => findAddressesOfAnyProject(db, vault, keys),
  });
  input.changes.subscribe(addresses);
  return addresses;
}

function createKeepSecret(
  input: WebhooksInput,
  addJob: Parameters<typeof createKeepFirstSecret>[0]['addJob'],
): ReturnType<typeof createKeepFirstSecret> {
  const keep = createKeepFirstSecret({ ...input, addJob });
  return async (owner, secret, registrationId) => {
    const kept = await keep(owner, secret, registrationId);
    const table = owner.address === undefined ? 'integrations' : 'webhook_subscriptions';
    // The provider's next webhook is signed with it, and may come before the store's notice.
    if (kept === 'kept') input.changes.announce({ table, projectId: owner.projectId });
    return kept;
  };
}

function createInsert({ db, events, stored }: WebhooksInput) {
  return async (receipts: Parameters<typeof insertReceipts>[2]): Promise<void> => {
    await insertReceipts(db, events.dataKeys, receipts);
    for (const { projectId, body } of receipts) {
      stored.note(projectId, 'receipts', { rows: 1, bytes: body.length });
    }
  };
}

function buildRegistrations(input: WebhooksInput) {
  const { db, jobs, credentials } = input;
  const announce = (projectId: string) =>
    input.changes.announce({ table: 'webhook_subscriptions', projectId });
  const subscriptionJobs = createSubscriptionJobs({
    ...input,
    ...credentials,
    now: input.storeClock.now,
    webhookUrl: input.webhookUrl ?? input.publicUrl,
    announce,
    isHeld: input.holds.isHeld,
    findOwner: createFindRegistrationOwner({ ...input, clientOf: credentials.clientOf }),
    findConnection: (id, projectId) => input.connections.findEvenDeleted(db, id, [projectId]),
  });
  jobs.work(SUBSCRIPTION_JOBS, { concurrency: REGISTRATIONS_AT_ONCE }, subscriptionJobs.work);
  const addJob = (trx: Db, { id, projectId }: { id: string; projectId: string }) =>
    jobs.add(trx, SUBSCRIPTION_JOBS, { key: id, projectId });
  const { removeNow } = subscriptionJobs;
  return { announce, addJob, ...createUnregister({ ...input, announce, addJob, removeNow }) };
}
