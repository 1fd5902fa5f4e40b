import type { RequestListener } from 'node:http';
import { createCallLog } from '../call-log/create-call-log.ts';
import type { Catalog } from '../catalog/loading/catalog.ts';
import type { Config } from '../config.ts';
import { createConnect } from '../connect/create-connect.ts';
import { createConnectionsStore } from '../connections/connections.store.ts';
import { createErasing, type Erasing } from '../credentials/revoking/erasing.ts';
import { createDiagnosis, createObservations } from '../diagnosis/create-diagnosis.ts';
import { createDeliveries } from '../events/create-deliveries.ts';
import { createEvents } from '../events/create-events.ts';
import { createDocsRouter } from '../http/docs.router.ts';
import { createHealthRouter, createStoreProbe } from '../http/health.router.ts';
import { createRequestLog } from '../http/request-log.ts';
import { createIntegrationsStore } from '../integrations/integrations.store.ts';
import { createChanges } from '../platform/change-notices.ts';
import { HOURLY } from '../platform/chores.ts';
import type { Logger } from '../platform/logger.ts';
import { createMailer, NO_MAILER } from '../platform/mailer.ts';
import { createMetrics } from '../platform/metrics.ts';
import { createOutbound } from '../platform/outbound.ts';
import { createClockCheck } from '../platform/postgres/clock.ts';
import type { Database } from '../platform/postgres/database.ts';
import { poolUse } from '../platform/postgres/pool-use.ts';
import { newProcessKey } from '../platform/postgres/presence.ts';
import { createResolver } from '../platform/resolver.ts';
import type { Vault } from '../platform/vault.ts';
import { rewrapOldRows } from '../platform/vault-rotation.store.ts';
import { createPolls } from '../polls/create-polls.ts';
import { createProviders } from '../providers/create-providers.ts';
import { createLogosRouter } from '../providers/logos.router.ts';
import { createDashboardRouter } from '../web/dashboard.router.ts';
import { createSdkRouter } from '../web/sdk.router.ts';
import { createWellKnownRouter } from '../web/well-known.router.ts';
import { createWebhooks } from '../webhooks/create-webhooks.ts';
import { keepOffWebhookHost } from '../webhooks/receiving/webhook-host.router.ts';
import { composeApi } from './api.ts';
import { createApp } from './app.ts';
import { composeBackground } from './background.ts';
import { composeIdentity } from './identity.ts';
import { composeProxy } from './proxy.ts';
import { composeStored } from './stored.ts';
import { composeTurns } from './turns.ts';

/** The tables behind warm connections; each row that goes with its project has a notice of its own. */
const CONNECTION_TABLES: ReadonlySet<string> = new Set(['integrations', 'connections', 'custom_providers']);

export type GatewayInput = {
  config: Config;
  database: Database;
  /** The store, past any pooler in transaction mode. */
  directUrl: string;
  vault: Vault;
  catalog: Catalog;
  log: Logger;
  isDraining: () => boolean;
};

/** Builds every part once and wires them together. Nothing listens or loops before `start`. */
export function composeGateway(input: GatewayInput) {
  const { config, database, vault, log } = input;
  const { publicUrl } = config;
  const db = database.knex;
  const [now, random] = [Date.now, Math.random];
  const metrics = createMetrics();
  metrics.watchPool('main', () => poolUse(db));
  metrics.watchLog(log.droppedLines);
  let probedAtMs = Number.NEGATIVE_INFINITY;
  const processKey = newProcessKey();
  const { parties, jobs, runCheck } = composeTurns({ db, log, processKey, metrics });
  const isStoreReady = createStoreProbe(async () => db.raw('SELECT 1'));
  metrics.watchStore(isStoreReady);
  const resolveName = createResolver();
  const outbound = createOutbound({ allowPrivateNetworks: config.allowPrivateNetworks, resolveName });

  const changes: ReturnType<typeof createChanges> = createChanges([
    {
      changed: (notice) => principals.changed(notice),
      markAllStale: () => principals.markAllStale(),
      setHasNotices: (value) => principals.setHasNotices(value),
    },
    {
      changed: ({ table, projectId }) => {
        if (table === 'custom_providers') providers.invalidate(projectId);
      },
      markAllStale: () => providers.markAllStale(),
      setHasNotices: (value) => providers.setHasNotices(value),
    },
    {
      changed: ({ table, projectId, rowId, endUserId }) => {
        if (CONNECTION_TABLES.has(table)) proxying.invalidate(projectId, endUserId);
        if (table === 'connections' && rowId !== undefined) connecting.accessTokens.noteChange(rowId);
      },
      markAllStale: () => proxying.markAllStale(),
      setHasNotices: (value) => proxying.setHasNotices(value),
    },
    {
      changed: (notice) => webhooks.audience.changed(notice),
      markAllStale: () => webhooks.audience.markAllStale(),
      setHasNotices: (value) => webhooks.audience.setHasNotices(value),
    },
  ]);
  const connections = createConnectionsStore({ vault });
  const mailer = config.smtp === undefined ? NO_MAILER : createMailer({ ...config.smtp, log });
  const stored = composeStored({ config, db, now });
  const events = createEvents({ ...input, now, stored });
  const principals = composeIdentity({
    ...input,
    outbound,
    now,
    changes,
    mailer,
    enqueueEvents: async (trx, changed) => {
      await events.enqueueGatewayEvents(trx, changed);
      webhooks.noteChanges(trx, changed);
      stored.noteChanges(trx, changed);
    },
    countConnections: connections.countOfProject,
    hide: (trx, projectId, actor) => erasing.hideProject(trx, projectId, actor),
    eraseSoon: (id) => erasing.eraseSoon({ kind: 'project', id, projectId: id }),
  });
  const { access, endUsers, recordActivity, findProjectRules, findBrand } = principals;

  const custom = createProviders({ ...input, outbound, now });
  const { providers } = custom;
  const integrations = createIntegrationsStore({ vault });
  const webhooks: ReturnType<typeof createWebhooks> = createWebhooks({
    ...input,
    outbound,
    now,
    metrics,
    providers,
    integrations,
    connections,
    events,
    jobs,
    changes,
    stored,
    settleChanges: (trx, changed) => polls.fingerprints.settleWebhookChanges(trx, changed),
    connecting: () => connecting,
  });
  const notices = createObservations({ ...input, now, providers, integrations });
  const { noteOrigin, noteReturnUrl, noteHost } = notices.noticed;
  const connecting: ReturnType<typeof createConnect> = createConnect({
    ...input,
    providers,
    outbound,
    now,
    random,
    metrics,
    integrations,
    connections,
    access,
    endUsers,
    recordActivity,
    processKey,
    findProjectRules,
    findBrand,
    findingOf: notices.findingOf,
    noteReturnUrl,
    noteOrigin,
    noteSecretVerdict: notices.noteSecretVerdict,
  });
  const diagnosis = createDiagnosis({
    ...input,
    outbound,
    now,
    providers,
    integrations,
    connections,
    access,
    recordActivity,
    findProjectRules,
    connecting,
    notices,
    readWebhookFacts: webhooks.readWebhookFacts,
    runCheck,
    isFull: stored.isFull,
  });
  const calls = createCallLog({ ...input, now, connections, principals, parties });
  const polls: ReturnType<typeof createPolls> = createPolls({
    ...input,
    now,
    random,
    metrics,
    outbound,
    providers,
    integrations,
    connections,
    connecting,
    jobs,
    append: events.append,
    runCheck,
    stored,
  });
  const proxying = composeProxy({
    ...input,
    recordCall: calls.record,
    resolveName,
    providers,
    now,
    random,
    metrics,
    connections,
    principals,
    connecting,
    noteOrigin,
    noteAnswer: polls.noteProxied,
  });
  const deliveries = createDeliveries({
    ...input,
    metrics,
    resolveName,
    now,
    random,
    access,
    recordActivity,
    jobs,
    events,
    stored,
  });
  const erasing: Erasing = createErasing({
    ...{ db, jobs, integrations, connections, now, log },
    disconnecting: connecting.disconnecting,
    removeWebhooks: webhooks.removeRegistrations,
  });
  const { api, endpoints, readDocument, idempotency } = composeApi({
    outbound,
    ...input,
    providers,
    integrations,
    connections,
    principals,
    custom,
    connecting,
    diagnosis,
    notices,
    calls,
    events: [
      ...events.endpoints(access),
      ...deliveries.endpoints,
      ...webhooks.endpoints(access, recordActivity),
    ],
    polls: polls.endpoints(principals),
    erasing,
    removeWebhooks: webhooks.removeRegistrations,
    restartPolls: polls.restart,
  });

  const proxy = keepOffWebhookHost(config.webhookUrl, proxying.proxy);
  const app = createApp({
    proxy,
    requestLog: createRequestLog({ log, onFinish: metrics.countRequest }),
    health: createHealthRouter({
      publicUrl,
      isStoreReady,
      isDraining: input.isDraining,
      onProbe: () => {
        probedAtMs = now();
      },
      ...(config.metricsPort === undefined && { metrics }),
    }),
    webhooks: webhooks.receiver,
    api,
    singleSignOn: principals.singleSignOn,
    connect: connecting.router,
    clientDocuments: connecting.clientDocuments,
    sdk: createSdkRouter(),
    wellKnown: createWellKnownRouter(config),
    logos: createLogosRouter({ catalog: input.catalog }),
    docs: createDocsRouter({ readDocument }),
    dashboard: createDashboardRouter({ proxyUrl: config.proxyUrl, log }),
    publicUrl,
    webhookUrl: config.webhookUrl,
    log,
    trustProxy: config.trustProxy,
    noteHost,
  });

  const background = composeBackground({
    ...input,
    changes,
    outbound,
    mailer,
    processKey,
    connecting,
    proxying,
    calls,
    events,
    deliveries,
    webhooks,
    jobs,
    chores: [
      { name: 'old replies', ...HOURLY, run: () => idempotency.deleteExpired() },
      { name: 're-sealing', ...HOURLY, run: (signal) => rewrapOldRows({ db, vault, signal, log }) },
      createClockCheck({ db, now, log, note: metrics.noteClockSkew }),
      ...principals.chores,
      ...stored.chores,
      ...connecting.chores,
      ...notices.noticed.chores,
      ...proxying.chores,
      ...calls.chores,
      ...events.chores,
      ...deliveries.chores,
      ...polls.chores,
      ...webhooks.chores,
    ],
  });

  return {
    app,
    /**
     * The app as a request listener. The proxy, which is also its first middleware, runs before Express prepares
     * request and response: that preparation costs more than all our checks of a proxied call.
     */
    listener: ((request, response) =>
      proxy(request, response, () => app(request, response))) satisfies RequestListener,
    endpoints,
    readDocument,
    metrics,
    jobKinds: jobs.kinds,
    /** When `/readyz` was asked for last, as `Date.now()` has it. */
    lastProbedAtMs: () => probedAtMs,
    ...background,
  };
}
