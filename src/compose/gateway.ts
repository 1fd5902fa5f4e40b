import type { RequestListener } from 'node:http';
import type { Knex } from 'knex';
import type { Catalog } from '../catalog/catalog.ts';
import type { Config } from '../config.ts';
import { createConnectionsEndpoints } from '../connections/connections.router.ts';
import { createConnectionsStore } from '../connections/connections.store.ts';
import { createPrepareImport } from '../connections/import-connection.ts';
import { createApiRouter } from '../http/api-router.ts';
import { createDocsRouter } from '../http/docs.router.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createFailedAttempts } from '../http/failed-attempts.ts';
import { createHealthRouter, createStoreProbe } from '../http/health.router.ts';
import { createIdempotencyStore } from '../http/idempotency.store.ts';
import { createOpenApiDocument } from '../http/openapi.ts';
import { createRequestLog } from '../http/request-log.ts';
import { createIntegrationsEndpoints } from '../integrations/integrations.router.ts';
import { createIntegrationsStore } from '../integrations/integrations.store.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import { settleWithin } from '../lib/settle-within.ts';
import { CHANGE_CHANNEL, createChanges } from '../platform/changes.ts';
import { createChores, HOURLY } from '../platform/chores.ts';
import type { Logger } from '../platform/logger.ts';
import { createMetrics, type PoolUse } from '../platform/metrics.ts';
import { createOutbound } from '../platform/outbound.ts';
import { createClockCheck } from '../platform/postgres/clock.ts';
import type { Database } from '../platform/postgres/database.ts';
import { createChangeListener } from '../platform/postgres/listen.ts';
import { announcePresence, newProcessKey } from '../platform/postgres/presence.ts';
import { createResolver } from '../platform/resolver.ts';
import type { Vault } from '../platform/vault.ts';
import { rewrapOldRows } from '../platform/vault-rotation.store.ts';
import { createLogosRouter } from '../providers/logos.router.ts';
import { createSdkRouter } from '../web/sdk.router.ts';
import { createWellKnownRouter } from '../web/well-known.router.ts';
import { API_TAGS, describeApi } from './api-description.ts';
import { createApp } from './app.ts';
import { composeConnecting } from './connecting.ts';
import { composeCustomProviders } from './custom-providers.ts';
import { composePrincipals } from './principals.ts';
import { composeProxy } from './proxy.ts';

/** The tables behind warm connections. Deleting a project deletes its rows in them, each with a notice. */
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
  const now = Date.now;
  const random = Math.random;
  const metrics = createMetrics();
  metrics.watchPool('main', () => poolUse(db));
  let probedAtMs = Number.NEGATIVE_INFINITY;
  const processKey = newProcessKey();
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
      changed: ({ table, projectId, endUserId }) => {
        if (CONNECTION_TABLES.has(table)) proxying.invalidate(projectId, endUserId);
      },
      markAllStale: () => proxying.markAllStale(),
      setHasNotices: (value) => proxying.setHasNotices(value),
    },
  ]);
  const connections = createConnectionsStore({ vault });
  const principals = composePrincipals({
    ...input,
    outbound,
    now,
    changes,
    countConnections: connections.countOfProject,
    eraseGrants: (projectId, actor) => connecting.disconnecting.eraseProject(projectId, actor),
  });
  const { access, endUsers, recordActivity, findProjectRules, findBrand } = principals;

  const custom = composeCustomProviders({ ...input, now });
  const { providers } = custom;
  const integrations = createIntegrationsStore({ vault });
  const connecting: ReturnType<typeof composeConnecting> = composeConnecting({
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
  });
  const proxying = composeProxy({
    ...input,
    resolveName,
    providers,
    now,
    random,
    metrics,
    connections,
    principals,
    connecting,
  });
  const endpoints: Endpoint[] = [
    ...principals.endpoints,
    ...custom.endpoints(principals),
    ...createIntegrationsEndpoints({
      db,
      providers,
      access,
      integrations,
      recordActivity,
      publicUrl,
      countConnections: (trx, { id, projectId }) => connections.countOfIntegration(trx, id, projectId),
      deleteConnections: ({ id, projectId }, actor) =>
        connecting.disconnecting.disconnectAll({ projectId, integrationId: id }, actor),
      revokePending: connecting.disconnecting.revokePending,
      endWaiting: connecting.endWaiting,
    }),
    ...createConnectionsEndpoints({
      db,
      providers,
      access,
      connections,
      recordActivity,
      publicUrl,
      disconnect: connecting.disconnecting.disconnect,
      prepareImport: createPrepareImport({
        providers,
        access,
        connections,
        recordActivity,
        findIntegration: (id, projectIds) => integrations.find(db, id, projectIds),
        secretVariablesOf: async (integration) => (await integrations.openSecrets(db, integration)).variables,
        endUserId: endUsers.endUserId,
      }),
    }),
    ...connecting.endpoints,
  ];
  const document = createOpenApiDocument(endpoints, {
    publicUrl,
    version: '1',
    title: 'Integration Gateway',
    description: describeApi(config.proxyUrl ?? publicUrl),
    tags: API_TAGS,
  });

  const idempotency = createIdempotencyStore({ db, ...replySeals(vault) });
  const api = createApiRouter({
    endpoints,
    authenticate: principals.authenticate,
    publicUrl,
    log,
    idempotency,
    ...limiters(config),
    isAllowedOrigin: (origin, principal) => {
      if (principal?.kind === 'end_user') return principals.rules.isAllowed(principal.projectId, origin);
      return principals.rules.isAllowedAnywhere(origin);
    },
  });

  const app = createApp({
    proxy: proxying.proxy,
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
    api,
    setup: principals.setupPage,
    connect: connecting.router,
    sdk: createSdkRouter(),
    wellKnown: createWellKnownRouter(config),
    logos: createLogosRouter({ catalog: input.catalog }),
    docs: createDocsRouter({ document }),
    publicUrl,
    log,
    trustProxy: config.trustProxy,
  });

  const listener = createChangeListener({
    url: input.directUrl,
    channel: CHANGE_CHANNEL,
    onConnect: [announcePresence(processKey)],
    onMessage: (payload) => {
      changes.handleNotification(payload);
      connecting.accessTokens.noteChange(payload.split(' ')[2] ?? '');
    },
    onLost: (error) => {
      log.warn({ err: error }, 'change notices lost: memory is not trusted until they are back');
      changes.handleNoticesLost();
    },
    onRestored: changes.handleNoticesRestored,
  });
  const chores = createChores({
    chores: [
      { name: 'old replies', ...HOURLY, run: () => idempotency.deleteExpired() },
      { name: 're-sealing', ...HOURLY, run: (signal) => rewrapOldRows({ db, vault, signal, log }) },
      createClockCheck({ db, now, log, note: metrics.noteClockSkew }),
      ...principals.chores,
      ...connecting.chores,
      ...proxying.chores,
    ],
    random,
    log,
  });

  return {
    app,
    /**
     * The app as a request listener. The proxy, which is also its first middleware, runs before Express prepares
     * request and response: that preparation costs more than all our checks of a proxied call.
     */
    listener: ((request, response) =>
      proxying.proxy(request, response, () => app(request, response))) satisfies RequestListener,
    document,
    metrics,
    /** When `/readyz` was asked for last, as `Date.now()` has it. */
    lastProbedAtMs: () => probedAtMs,
    async start(): Promise<void> {
      await listener.start();
      chores.start();
    },
    /** Waits for refreshes under way and for late answers of token endpoints: a rotated token exists only in them. */
    async drain(limitMs: number): Promise<void> {
      await settleWithin(limitMs, connecting.accessTokens.settled(), () => undefined);
    },
    async stop(): Promise<void> {
      // No chore begins another refresh or revocation.
      const background = Promise.all([chores.stop(), connecting.revocations.stop()]);
      // What is still awaited is given up and written down, while other processes can see that this one is alive.
      await outbound.stop();
      await Promise.all([connecting.accessTokens.settled(), background]);
      await listener.stop();
      proxying.stop();
    },
  };
}

function poolUse(db: Knex): PoolUse {
  const { pool } = db.client;
  return { used: pool.numUsed(), free: pool.numFree(), waiting: pool.numPendingAcquires() };
}

/** A limit of 0 switches it off. */
function limiters({ rateLimits }: Config) {
  const limiter = (limit: number) => createRateLimiter({ limit, windowSeconds: 60 });
  const { managementPerMinute, failedAuthenticationPerMinute } = rateLimits;
  return {
    ...(managementPerMinute > 0 && { rateLimiter: limiter(managementPerMinute) }),
    ...(failedAuthenticationPerMinute > 0 && {
      failedAttempts: createFailedAttempts({ perMinute: failedAuthenticationPerMinute }),
    }),
  };
}

function replySeals(vault: Vault) {
  const context = (rowId: string) => ({
    table: 'idempotency_keys',
    column: 'reply_sealed',
    rowId,
    projectId: '',
  });
  return {
    seal: (plaintext: string, rowId: string) => vault.seal(plaintext, context(rowId)),
    open: (sealed: string, rowId: string) => vault.open(sealed, context(rowId)),
  };
}
