import type { RequestListener } from 'node:http';
import type { Knex } from 'knex';
import type { Catalog } from '../catalog/catalog.ts';
import type { Config } from '../config.ts';
import { createConnectionsEndpoints } from '../connections/connections.router.ts';
import { createConnectionsStore } from '../connections/connections.store.ts';
import { createImportConnection } from '../connections/import-connection.ts';
import { createApiRouter } from '../http/api-router.ts';
import { createDocsRouter } from '../http/docs.router.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createHealthRouter } from '../http/health.router.ts';
import { createIdempotencyStore } from '../http/idempotency.store.ts';
import { createOpenApiDocument } from '../http/openapi.ts';
import { createRequestLog } from '../http/request-log.ts';
import { createIntegrationsEndpoints } from '../integrations/integrations.router.ts';
import { createIntegrationsStore } from '../integrations/integrations.store.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import { CHANGE_CHANNEL, createChanges } from '../platform/changes.ts';
import { createHousekeeping } from '../platform/chores.ts';
import type { Logger } from '../platform/logger.ts';
import { createMetrics, type PoolUse } from '../platform/metrics.ts';
import { createOutbound } from '../platform/outbound.ts';
import type { Database } from '../platform/postgres/database.ts';
import { createChangeListener } from '../platform/postgres/listen.ts';
import type { Vault } from '../platform/vault.ts';
import { rewrapOldRows } from '../platform/vault-rotation.store.ts';
import { createLogosRouter } from '../providers/logos.router.ts';
import { createSdkRouter } from '../web/sdk.router.ts';
import { API_DESCRIPTION, API_TAGS } from './api-words.ts';
import { createApp } from './app.ts';
import { composeConnecting } from './connecting.ts';
import { composeCustomProviders } from './custom-providers.ts';
import { composePrincipals } from './principals.ts';
import { composeProxy } from './proxy.ts';

const HOUSEKEEPING_MS = 3_600_000;
/** Often enough for tokens that live for hours; most live for weeks. */
const RENEWING_MS = 600_000;

export type GatewayInput = {
  config: Config;
  database: Database;
  databaseUrl: string;
  vault: Vault;
  catalog: Catalog;
  log: Logger;
  isDraining: () => boolean;
};

/**
 * Builds every part once and ties them together; the only place (with the other compose files) that knows
 * them all. Nothing listens or loops before `start`.
 */
export function composeGateway(input: GatewayInput) {
  const { config, database, vault, log } = input;
  const { publicUrl } = config;
  const db = database.knex;
  const now = Date.now;
  const random = Math.random;
  const metrics = createMetrics();
  metrics.watchPool('main', () => poolUse(db));
  const outbound = createOutbound({ allowPrivateNetworks: config.allowPrivateNetworks });

  const changes: ReturnType<typeof createChanges> = createChanges([
    {
      changed: ({ table, projectId }) => principals.changed(table, projectId),
      distrustAll: () => principals.distrustAll(),
    },
    {
      changed: ({ table, projectId }) => {
        if (table === 'custom_providers') providers.invalidate(projectId);
      },
      distrustAll: () => providers.distrustAll(),
    },
    {
      changed: ({ projectId, endUserId }) => proxying.invalidate(projectId, endUserId),
      distrustAll: () => proxying.distrustAll(),
    },
  ]);
  const principals = composePrincipals({ ...input, outbound, now, changes });
  const { access, endUsers, recordActivity, findProjectRules, findBrand } = principals;

  const custom = composeCustomProviders({ ...input, now });
  const { providers } = custom;
  const integrations = createIntegrationsStore({ vault });
  const connections = createConnectionsStore({ vault });
  const connecting = composeConnecting({
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
    findProjectRules,
    findBrand,
  });
  const proxying = composeProxy({
    ...input,
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
      deleteConnections: connecting.disconnectAll,
      revokePending: connecting.revokePending,
      endWaiting: connecting.endWaiting,
    }),
    ...createConnectionsEndpoints({
      db,
      providers,
      access,
      connections,
      recordActivity,
      publicUrl,
      disconnect: connecting.disconnect,
      importConnection: createImportConnection({
        db,
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
    description: API_DESCRIPTION,
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
    requestLog: createRequestLog({ log, onFinish: metrics.finished }),
    health: createHealthRouter({
      publicUrl,
      checks: [{ name: 'store', isReady: async () => (await db.raw('SELECT 1')) !== undefined }],
      isDraining: input.isDraining,
      ...(config.metricsPort === undefined && { metrics }),
    }),
    api,
    setup: principals.setupPage,
    connect: connecting.router,
    sdk: createSdkRouter(),
    logos: createLogosRouter({ catalog: input.catalog }),
    docs: createDocsRouter({ document }),
    publicUrl,
    log,
    trustProxy: config.trustProxy,
  });

  const listener = createChangeListener({
    url: input.databaseUrl,
    channel: CHANGE_CHANNEL,
    onMessage: changes.noticed,
    onLost: (error) => {
      log.warn({ err: error }, 'change notices lost: memory is not trusted until they are back');
      changes.distrustAll();
    },
    onRestored: changes.distrustAll,
  });
  const housekeeping = createHousekeeping({
    chores: [
      { name: 'old replies', run: () => idempotency.deleteExpired() },
      { name: 're-sealing', run: (signal) => rewrapOldRows({ db, vault, signal, log }) },
    ],
    intervalMs: HOUSEKEEPING_MS,
    log,
  });

  const renewing = createHousekeeping({
    chores: [{ name: 'renewing unused tokens', run: connecting.renewUnused }],
    intervalMs: RENEWING_MS,
    log,
  });

  return {
    app,
    /** The app as a request listener. The proxy, which is also its first middleware, is asked before Express prepares
     * request and response for everybody else: that costs more than all our checks of a proxied call. */
    listener: ((request, response) =>
      proxying.proxy(request, response, () => app(request, response))) satisfies RequestListener,
    document,
    metrics,
    async start(): Promise<void> {
      await listener.start();
      connecting.worker.start();
      housekeeping.start();
      renewing.start();
    },
    async stop(): Promise<void> {
      await Promise.all([
        housekeeping.stop(),
        renewing.stop(),
        listener.stop(),
        connecting.worker.stop(),
        principals.stop(),
      ]);
      await proxying.stop();
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
      failedAuthenticationLimiter: limiter(failedAuthenticationPerMinute),
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
