import type { RequestListener } from 'node:http';
import type { Catalog } from '../catalog/loading/catalog.ts';
import { createClientAddress, maskToNetwork } from '../http/client-address.ts';
import { createDocsRouter } from '../http/docs.router.ts';
import { createHealthRouter } from '../http/health.router.ts';
import { createRequestLog, type RequestLogDependencies } from '../http/request-log.ts';
import { createUntrustedProxyCheck } from '../http/untrusted-proxy.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import { createKeyWatch, type KeyWatch } from '../platform/kms/key-watch.ts';
import { createWrappedKeys } from '../platform/kms/wrapped-keys.ts';
import { createClockCheck } from '../platform/postgres/clock.ts';
import type { RotatingVault } from '../platform/vault.ts';
import { rewrapOldRows } from '../platform/vault-rotation.store.ts';
import { createLogosRouter } from '../providers/logos.router.ts';
import { createDashboardRouter } from '../web/dashboard.router.ts';
import { createDocumentsRouter } from '../web/documents.router.ts';
import { createSdkRouter } from '../web/sdk.router.ts';
import { createWellKnownRouter } from '../web/well-known.router.ts';
import { keepOffWebhookHost } from '../webhooks/receiving/webhook-host.router.ts';
import { composeApi } from './api.ts';
import { createApp } from './app.ts';
import { composeBackground } from './background.ts';
import { type ComposedPlatform, composePlatform, type PlatformInput } from './platform.ts';
import { composeRooms, type Rooms } from './rooms.ts';

export type GatewayInput = PlatformInput & {
  /** The store, past any pooler in transaction mode. */
  directUrl: string;
  catalog: Catalog;
  /** Makes the chore that gives `catalog` other entries while it runs; it says so, since memory holds what was made of them. */
  watchCatalog?: (onReplaced: () => void) => Chore;
  isDraining: () => boolean;
  vault: RotatingVault;
  /** Gets all keys as a text when a key management service has unwrapped another one. */
  onNewKeys?: (encryptionKeys: string) => void;
};

/** Builds every part once and wires them together. Nothing listens or loops before `start`. */
export function composeGateway(input: GatewayInput) {
  const { config } = input;
  const platform = composePlatform(input);
  const { metrics, now } = platform.kit;
  let probedAtMs = Number.NEGATIVE_INFINITY;
  const rooms = composeRooms({ ...input, platform });
  const untrustedProxy = createUntrustedProxyCheck({ trustProxy: config.trustProxy, now, log: input.log });
  const { api, endpoints, readDocument, idempotency } = composeApi({
    ...input,
    platform,
    rooms,
    untrustedProxy: untrustedProxy.latest,
  });
  const proxy = keepOffWebhookHost(config.webhookUrl, rooms.proxying.proxy);
  const health = createHealthRouter({
    publicUrl: config.publicUrl,
    isStoreReady: platform.isStoreReady,
    isDraining: input.isDraining,
    onProbe: () => {
      probedAtMs = now();
    },
    ...(config.metricsPort === undefined && { metrics }),
  });
  const requestLog = { log: input.log, onFinish: metrics.countRequest };
  const watchProxies = untrustedProxy.watch;
  const app = buildApp(input, { rooms, requestLog, proxy, health, api, readDocument, watchProxies });
  const findAddress = createClientAddress(config.trustProxy);
  const agents = keepOffWebhookHost(
    config.webhookUrl,
    rooms.agents.quickDoor({
      ...{ requestLog, publicUrl: config.publicUrl, log: input.log },
      networkOf: (request) => maskToNetwork(findAddress(request)),
      watchProxies: untrustedProxy.look,
    }),
  );
  const keyWatch = buildKeyWatch(input, platform);
  const background = composeBackground({
    ...input,
    ...platform,
    db: platform.kit.db,
    rooms,
    keyWatch,
    chores: [
      ...(keyWatch === undefined ? [] : [keyWatch.chore]),
      { name: 'old replies', ...HOURLY, run: () => idempotency.deleteExpired() },
      ...buildPlatformChores(platform),
      ...(input.watchCatalog === undefined ? [] : [input.watchCatalog(platform.changes.markAllStale)]),
      ...platform.limitChores,
      ...collectChores(rooms),
    ],
  });

  return {
    app,
    /**
     * The app as a request listener. The proxy, which is also its first middleware, and what is quick of the door for agents
     * run before Express prepares request and response: that preparation costs more than all our checks of a proxied call.
     */
    listener: ((request, response) =>
      proxy(request, response, () =>
        request.headers['gateway-loop'] === undefined
          ? agents(request, response, () => app(request, response))
          : app(request, response),
      )) satisfies RequestListener,
    endpoints,
    readDocument,
    metrics,
    jobKinds: platform.jobs.kinds,
    /** When `/readyz` was asked for last, as `Date.now()` has it. */
    lastProbedAtMs: () => probedAtMs,
    ...background,
  };
}

function buildApp(
  { config, database, log, catalog }: GatewayInput,
  {
    rooms,
    requestLog,
    readDocument,
    ...parts
  }: Pick<Parameters<typeof createApp>[0], 'proxy' | 'health' | 'api' | 'watchProxies'> & {
    readonly rooms: Rooms;
    readonly requestLog: RequestLogDependencies;
    readonly readDocument: ReturnType<typeof composeApi>['readDocument'];
  },
) {
  return createApp({
    ...parts,
    requestLog: createRequestLog(requestLog),
    webhooks: rooms.webhooks.receiver,
    singleSignOn: rooms.identity.singleSignOn,
    tokenExchange: rooms.identity.exchangeRouter({
      findAccessFacts: rooms.findAccessFacts,
      origins: [config.publicUrl, config.proxyUrl].filter((origin) => origin !== undefined),
      perUserPerMinute: config.rateLimits.managementPerMinute,
    }),
    agents: [...rooms.agents.routers, ...rooms.agentSignIn.routers],
    connect: rooms.connect.router,
    refuseLoops: rooms.proxying.refuseLoops,
    approvals: rooms.approvals.router(rooms.proxying),
    portal: rooms.portal.router,
    clientDocuments: rooms.connect.clientDocuments,
    sdk: createSdkRouter(),
    wellKnown: createWellKnownRouter(config),
    logos: [createLogosRouter({ catalog }), rooms.integrations.logoPictures],
    catalogFile: rooms.ownProviders.catalogFile,
    docs: [createDocsRouter({ readDocument }), createDocumentsRouter()],
    dashboard: createDashboardRouter({ proxyUrl: config.proxyUrl, log }),
    storePatience: database.patience,
    publicUrl: config.publicUrl,
    webhookUrl: config.webhookUrl,
    log,
    trustProxy: config.trustProxy,
    noteHost: rooms.observations.noteHost,
  });
}

/** Undefined without a key management service: then keys change with a restart alone. */
function buildKeyWatch(
  input: GatewayInput,
  { kit: { db }, processKey }: ComposedPlatform,
): KeyWatch | undefined {
  const { config, vault, log } = input;
  if (config.kms === undefined) return undefined;
  return createKeyWatch({
    ...{ db, vault, log, processKey },
    wrappedKeys: createWrappedKeys({ settings: config.kms, log }),
    reseal: (signal) => rewrapOldRows({ db, vault, signal, log }),
    onNewKeys: input.onNewKeys,
  });
}

function buildPlatformChores({ kit: { db, vault, now, log, metrics }, storeClock }: ComposedPlatform) {
  const note = (skewSeconds: number) => {
    metrics.noteClockSkew(skewSeconds);
    storeClock.note(skewSeconds);
  };
  return [
    {
      name: 're-sealing',
      ...HOURLY,
      run: (signal: AbortSignal) => rewrapOldRows({ db, vault, signal, log }),
    },
    createClockCheck({ db, now, log, note }),
  ];
}

function collectChores(rooms: Rooms) {
  return [
    ...rooms.activity.chores,
    ...rooms.identity.chores,
    ...rooms.stored.chores,
    ...rooms.integrations.chores,
    ...rooms.credentials.chores,
    ...rooms.connect.chores,
    ...rooms.approvals.chores,
    ...rooms.portal.chores,
    ...rooms.persons.chores,
    ...rooms.observations.chores,
    ...rooms.proxying.chores,
    ...rooms.callLog.chores,
    ...rooms.events.chores,
    ...rooms.deliveries.chores,
    ...rooms.polls.chores,
    ...rooms.webhooks.chores,
    ...rooms.agents.chores,
    ...rooms.agentSignIn.chores,
  ];
}
