import type { Change } from '../activity/actions.ts';
import type { RecordActivity } from '../activity/record.ts';
import type { Config } from '../config.ts';
import type { createConnect } from '../connect/create-connect.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { OpenApplication } from '../credentials/calling/application-client.ts';
import type { createEvents } from '../events/create-events.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import { findWebhookSecretsOfAnyProject } from '../integrations/webhook-secrets.store.ts';
import type { Notice } from '../platform/change-notices.ts';
import type { Chore } from '../platform/chores.ts';
import type { JobQueue } from '../platform/job-queue.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Outbound } from '../platform/outbound.ts';
import { afterCommit } from '../platform/postgres/after-commit.ts';
import { daysChore } from '../platform/postgres/daily-chores.ts';
import type { Database, Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import type { Access } from '../projects/access.ts';
import type { StoredAmounts } from '../projects/stored-amounts.ts';
import type { Providers } from '../providers/custom-providers.ts';
import { describeWebhooks } from './message/description.ts';
import { createBodyThreads } from './processing/body-threads.ts';
import type { SettleChanges } from './processing/deduplicate.ts';
import { createWaitingMatches } from './processing/match-waiting.ts';
import { processReceipts } from './processing/process-receipts.ts';
import {
  listWaitingProjects,
  lockProject,
  lockWaiting,
  postponeReceipt,
  readBacklog,
} from './processing/processing.store.ts';
import { createProcessingWorker } from './processing/processing.worker.ts';
import type { ProjectAccount } from './processing/unmatched.store.ts';
import { purgeWebhooksOfAnyProject } from './receipts/purge.store.ts';
import { createReceiptWriter } from './receipts/receipt-writer.ts';
import { createReceiptsEndpoints } from './receipts/receipts.router.ts';
import { insertReceipts, trimRejected } from './receipts/receipts.store.ts';
import { createRejectedReceipts } from './receipts/rejected-receipts.ts';
import { addTallies, readWebhookNumbers } from './receipts/webhook-numbers.store.ts';
import { findAddressesOfAnyProject } from './receiving/addresses.store.ts';
import { createWebhookAddresses } from './receiving/addresses.ts';
import { createKeepFirstSecret } from './receiving/handshake-secrets.store.ts';
import { createHandshakeWaitEndpoints } from './receiving/handshake-wait.router.ts';
import { createFetchKey } from './receiving/key-fetcher.ts';
import { createReceive } from './receiving/receive.ts';
import { createWebhookReceiver } from './receiving/receiver.router.ts';
import { createSubscriptionJobs, SUBSCRIPTION_JOBS } from './subscriptions/subscription-jobs.ts';
import { createSubscriptionsEndpoints } from './subscriptions/subscriptions.router.ts';
import { hasSubscriptions } from './subscriptions/subscriptions.store.ts';

const DAY_MS = 24 * 3_600_000;
const RECEIPTS_KEEP_DAYS = 7;
const FLUSH_MS = 2_000;
const SWEEP_MS = 5_000;
const MATCH_MS = 60_000;
const PURGE_MS = 10 * 60_000;
const PROJECTS_MAX = 1_000;
/** Half of them for one party at most. */
const REGISTRATIONS_AT_ONCE = 8;
/** A deletion does not wait for a provider for longer. */
const REMOVAL_MS = 5_000;

/** Composes what receives webhooks, extracts their events, and shows them. */
export function createWebhooks(input: {
  config: Config;
  database: Database;
  vault: Vault;
  log: Logger;
  outbound: Outbound;
  now(): number;
  metrics: Metrics;
  providers: Providers;
  integrations: IntegrationsStore;
  connections: ConnectionsStore;
  events: Pick<ReturnType<typeof createEvents>, 'dataKeys' | 'append'>;
  jobs: Pick<JobQueue, 'add' | 'work'>;
  /** Answers the changes that polls have reported already, and has polls know of the others. */
  settleChanges: SettleChanges;
  changes: { announce(notice: Notice): void };
  stored: Pick<StoredAmounts, 'note' | 'isFull'>;
  /** Known once everything is composed, and not needed before. */
  connecting(): Pick<ReturnType<typeof createConnect>, 'clientOf' | 'openConnection' | 'openApplication'>;
}) {
  const { config, vault, log, now, metrics, providers } = input;
  const { dataKeys, append } = input.events;
  const { publicUrl, webhookUrl = publicUrl } = config;
  const db = input.database.knex;
  const addresses = createWebhookAddresses({
    findSecrets: (ids) => findWebhookSecretsOfAnyProject(db, vault, ids),
    findAddresses: (keys) => findAddressesOfAnyProject(db, vault, keys),
    providers,
    now,
    log,
  });
  async function insert(receipts: Parameters<typeof insertReceipts>[2]): Promise<void> {
    await insertReceipts(db, dataKeys, receipts);
    for (const { projectId, body } of receipts) {
      input.stored.note(projectId, 'receipts', { rows: 1, bytes: body.length });
    }
  }
  const rejectedReceipts = createRejectedReceipts({
    insert,
    trim: (integrationId) => trimRejected(db, integrationId),
    addTallies: (tallies) => addTallies(db, tallies),
    now,
  });
  const bodyThreads = createBodyThreads();
  const processing = {
    dataKeys,
    append,
    settleChanges: input.settleChanges,
    extractPart: bodyThreads.extract,
    now,
    describe: addresses.describe,
    matchLater: (accounts: readonly ProjectAccount[]) => void matching.matchThese(accounts),
  };
  const worker = createProcessingWorker({
    process: (projectId, receiptsMax) =>
      db.transaction((trx) => processReceipts(processing, trx, projectId, receiptsMax)),
    postponeFirst: (projectId, error) =>
      db.transaction(async (trx) => {
        if (!(await lockProject(trx, projectId))) return;
        for (const receipt of await lockWaiting(trx, projectId, 1)) {
          const isGivenUp = await postponeReceipt(trx, receipt);
          log.warn({ err: error, receiptId: receipt.id, isGivenUp }, 'a webhook could not be split');
        }
      }),
    log,
  });

  const matching = createWaitingMatches({ db, kick: worker.kick, log });

  async function sweep(): Promise<void> {
    for (const projectId of await listWaitingProjects(db, PROJECTS_MAX)) worker.kick(projectId);
  }

  const announce = (projectId: string) =>
    input.changes.announce({ table: 'webhook_subscriptions', projectId });
  const openApplication: OpenApplication = (owner, scopes) =>
    input.connecting().openApplication(owner, scopes);
  const subscriptionJobs = createSubscriptionJobs({
    ...input,
    db,
    webhookUrl,
    announce,
    async findOwner(integrationId, projectId) {
      // Also of one that is being erased: what it has registered is removed.
      const integration = await input.integrations.findEvenDeleted(db, integrationId, [projectId]);
      if (integration === undefined) return undefined;
      const provider = await providers.find(projectId, integration.serviceProvider, integration.grant);
      const description = provider && describeWebhooks(provider);
      if (description === undefined) return undefined;
      const client = await input.connecting().clientOf(integration);
      return { description, client, variables: integration.variables };
    },
    findConnection: (id, projectId) => input.connections.findEvenDeleted(db, id, [projectId]),
    openConnection: (owner) => input.connecting().openConnection(owner),
    openApplication,
  });
  const addJob = (trx: Db, { id, projectId }: { id: string; projectId: string }) =>
    input.jobs.add(trx, SUBSCRIPTION_JOBS, { key: id, projectId });
  input.jobs.work(SUBSCRIPTION_JOBS, { concurrency: REGISTRATIONS_AT_ONCE }, subscriptionJobs.work);

  const keepDays = Math.min(RECEIPTS_KEEP_DAYS, config.events.keepDays);
  const chores: Chore[] = [
    {
      name: 'rejected webhooks',
      intervalMs: FLUSH_MS,
      runsAtStop: true,
      run: () => rejectedReceipts.flush(),
    },
    { name: 'webhooks to split', intervalMs: SWEEP_MS, runsAtStart: true, run: sweep },
    {
      name: 'webhooks without a connection',
      intervalMs: MATCH_MS,
      runsAtStart: true,
      run: matching.matchAll,
    },
    daysChore(db, 'webhook_receipts', { now, keepDays }),
    {
      name: 'old webhooks',
      intervalMs: PURGE_MS,
      run: (signal) => purgeWebhooksOfAnyProject(db, { beforeMs: now() - keepDays * DAY_MS, signal }),
    },
  ];
  metrics.watchWebhookBacklog(() => readBacklog(db));

  return {
    /** Removes registrations of a connection or an integration at the provider, before its credentials are erased. */
    removeRegistrations: (owner: { integrationId: string } | { connectionId: string }) =>
      subscriptionJobs.removeNow(owner, REMOVAL_MS).catch((error: unknown) => {
        log.warn({ err: error }, 'webhooks could not be removed at the provider');
      }),
    receiver: createWebhookReceiver({
      addresses,
      publicUrl,
      webhookUrl: config.webhookUrl,
      log,
      receive: createReceive({
        write: createReceiptWriter({ insert }).write,
        isFull: input.stored.isFull,
        keepFirstSecret: createKeepFirstSecret({ db, vault, addJob }),
        rejectedReceipts,
        kick: worker.kick,
        count: metrics.countWebhook,
        bodyThreads,
        tools: { now, fetchKey: createFetchKey({ ...input, openApplication }) },
      }),
    }),
    audience: {
      changed: addresses.changed,
      markAllStale: addresses.markAllStale,
      setHasNotices: addresses.setHasNotices,
    },
    /** Matches what waits for the account of a connection that has just been made. */
    noteChanges(trx: Db, changed: readonly Change[]): void {
      if (changed.some(({ action }) => CONNECTING.has(action)))
        afterCommit(trx, () => void matching.matchAll());
    },
    endpoints: (access: Access, recordActivity: RecordActivity): Endpoint[] => [
      ...createHandshakeWaitEndpoints({ ...input, db, access, recordActivity }),
      ...createReceiptsEndpoints({ db, access, dataKeys, flush: rejectedReceipts.flush, kick: worker.kick }),
      ...createSubscriptionsEndpoints({
        ...input,
        db,
        access,
        addJob,
        announce,
        webhookUrl,
      }),
    ],
    /** What the diagnosis knows of an integration's webhooks. */
    async readWebhookFacts(integration: { readonly id: string; readonly projectId: string }) {
      await rejectedReceipts.flush();
      const numbers = await readWebhookNumbers(db, integration);
      if (numbers === undefined) return undefined;
      const areWanted = numbers.hasSecret || (await hasSubscriptions(db, integration.id));
      const signatureFailures = { count: numbers.failures, lastAt: numbers.lastFailureAt };
      return { areWanted, lastWebhook: numbers.lastWebhook, signatureFailures };
    },
    chores,
    async stop(): Promise<void> {
      await worker.stop();
      await bodyThreads.close();
    },
  };
}

const CONNECTING: ReadonlySet<string> = new Set([
  'connection.created',
  'connection.imported',
  'connection.reauthorized',
  'connection.updated',
]);
