import type { RecordActivity } from '../activity/record.ts';
import { callerCredentialsOfAll } from '../catalog/schema/provider-auth-methods.ts';
import type { Config } from '../config.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { createLastUsed } from '../connections/last-used.ts';
import { createOrganizationUses } from '../connections/organization-uses.ts';
import { createUserConnectionsStore } from '../credentials/calling/user-connections.store.ts';
import { createUserConnections } from '../credentials/calling/user-connections.ts';
import type { Credentials } from '../credentials/create-credentials.ts';
import { createClientAddress, maskToNetwork } from '../http/client-address.ts';
import { isUuid } from '../lib/ids.ts';
import type { ResolveName } from '../platform/address-guard.ts';
import { createAgents } from '../platform/agents.ts';
import type { Changes } from '../platform/change-notices.ts';
import type { Kit } from '../platform/kit.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import type { Holds } from '../projects/holds.ts';
import { isCustomId } from '../providers/custom-description.ts';
import type { CustomProviders } from '../providers/custom-providers.ts';
import { PROXY_ROUTE } from '../proxy/call-trace.ts';
import { connectionsMax } from '../proxy/connection-places.ts';
import type { CallerCredential, ProxiedCall, ProxyDependencies } from '../proxy/contract.ts';
import { createLoopRefusal } from '../proxy/loops.ts';
import { createProxy } from '../proxy/proxy.router.ts';
import { watchOrigins } from '../proxy/watch-origins.ts';
import type { Identity } from './identity.ts';

/** Distinguishes calls of this installation, on any of its processes, from those of others. */
const LOOP_PURPOSE = 'integration-gateway: calls that come back';

const BEARER_ONLY: readonly CallerCredential[] = [];

/** The tables behind warm connections; each row that goes with its project has a notice of its own. */
const CONNECTION_TABLES: ReadonlySet<string> = new Set([
  'integrations',
  'organization_clients',
  'connections',
  'custom_providers',
  // A user who was erased comes back with another id, by which the entry of before is not found.
  'end_users',
]);

type ProxyInput = Kit & {
  readonly config: Config;
  readonly resolveName: ResolveName;
  readonly changes: Pick<Changes, 'subscribe'>;
  readonly providers: CustomProviders;
  readonly connections: ConnectionsStore;
  readonly identity: Pick<Identity, 'rules' | 'keySets' | 'endUsers'>;
  readonly credentials: Pick<Credentials, 'accessTokens' | 'refusedCalls'>;
  readonly recordActivity: RecordActivity;
  readonly recordCall: NonNullable<ProxyDependencies['recordCall']>;
  readonly approvals: NonNullable<ProxyDependencies['approvals']>;
  readonly holds: Pick<Holds, 'isFrozen'>;
  readonly sharedLimits: Pick<SharedLimits, 'limit'>;
  noteOrigin(projectId: string, origin: string): void;
  noteRateLimit(connectionId: string, status: number, rawHeaders: readonly string[]): void;
};

/** Builds what forwards calls, with its caches. */
export function composeProxy(input: ProxyInput) {
  const { config, db, vault, providers, log, identity } = input;
  const { accessTokens, refusedCalls } = input.credentials;
  const findAddress = createClientAddress(config.trustProxy);
  const lastUsed = createLastUsed(input);
  const organizationUses = createOrganizationUses({ ...input, endUserId: identity.endUsers.endUserId });
  const userConnections = createUserConnections({
    ...input,
    store: createUserConnectionsStore({ db, vault }),
    accessTokens,
    refusedCalls,
  });
  input.changes.subscribe({
    changed({ table, projectId, endUserId, rowId }) {
      if (!CONNECTION_TABLES.has(table)) return;
      const connectionId = table === 'connections' ? rowId : undefined;
      userConnections.invalidate(projectId, { endUserId, connectionId });
    },
    markAllStale: userConnections.markAllStale,
    setHasNotices: userConnections.setHasNotices,
  });
  const agents = createAgents({
    allowPrivateNetworks: config.allowPrivateNetworks,
    maxSockets: connectionsMax(config.proxy.socketsPerOriginMax),
    connectTimeoutMs: config.proxy.connectTimeoutMs,
    resolveName: input.resolveName,
  });
  const loopMarks = vault.keepMarks(LOOP_PURPOSE);
  const proxy = createProxy({
    publicUrl: config.publicUrl,
    proxyUrl: config.proxyUrl,
    loopMarks,
    log,
    accessLog: (call) => log.request(proxiedLine(call)),
    metrics: input.metrics,
    tracing: input.telemetry.tracing,
    recordCall(call, user) {
      input.recordCall(call, user);
      const { projectId, connectionId, integrationId, provider: serviceProvider, attempts } = call;
      if (!call.isOfOrganization || user === undefined || attempts === 0) return;
      if (connectionId === undefined || integrationId === undefined) return;
      const { subject } = user;
      organizationUses.note({ projectId, connectionId, integrationId, serviceProvider, subject });
    },
    now: input.now,
    random: input.random,
    agents,
    sharedLimits: input.sharedLimits,
    limits: {
      ...proxyLimits(config),
      projectRate: (projectId) => {
        const calls = identity.rules.callsPerMinute(projectId);
        return calls === undefined ? undefined : perMinute(calls);
      },
      organizationQuota: (projectId, organization) => {
        const calls = identity.rules.organizationCallsPerDay(projectId, organization);
        return calls === undefined ? undefined : { limit: calls, windowSeconds: DAY_SECONDS };
      },
    },
    verifyUserToken: (projectId, token, request) =>
      identity.keySets.verifyUserToken(projectId, token, () => maskToNetwork(findAddress(request))),
    isFrozen: input.holds.isFrozen,
    isAllowedOrigin: watchOrigins(identity.rules.isAllowed, input.noteOrigin),
    resolve: userConnections.resolve,
    credential: userConnections.credential,
    refreshAfter401: userConnections.refreshAfter401,
    approvals: input.approvals,
    noteUse: ({ connectionId }) => lastUsed.note(connectionId),
    noteAnswer(connectionId, status, rawHeaders) {
      refusedCalls.noteAnswer(connectionId, status);
      input.noteRateLimit(connectionId, status, rawHeaders);
    },
    callerCredentials: (projectId, providerId) => callerCredentials(providers, projectId, providerId),
    unknownProviderError: providers.refusalOf,
  });
  return {
    proxy,
    refuseLoops: createLoopRefusal(loopMarks),
    chores: [lastUsed.chore, organizationUses.chore],
    stop(): void {
      proxy.close();
      agents.destroy();
    },
  };
}

/**
 * A project's own provider that is not in memory counts as known until the caller is authenticated: whether it exists
 * is not public.
 */
function callerCredentials(providers: CustomProviders, projectId: string, providerId: string) {
  const unknown = isCustomId(providerId) ? BEARER_ONLY : undefined;
  if (unknown !== undefined && !isUuid(projectId)) return unknown;
  const found = providers.findEarly(projectId, providerId);
  if (found instanceof Promise)
    return found.then((entry) => (entry ? callerCredentialsOfAll(entry) : unknown));
  return found ? callerCredentialsOfAll(found) : unknown;
}

const DAY_SECONDS = 24 * 60 * 60;

function perMinute(calls: number) {
  return { limit: calls, windowSeconds: 60 };
}

function proxyLimits({ proxy, rateLimits }: Config) {
  return {
    requestBodyBytesMax: proxy.requestBodyBytesMax,
    connectTimeoutMs: proxy.connectTimeoutMs,
    firstByteTimeoutMs: proxy.firstByteTimeoutMs,
    idleTimeoutMs: proxy.idleTimeoutMs,
    timeoutSecondsMax: proxy.timeoutSecondsMax,
    concurrency: proxy.concurrency,
    socketsPerOriginMax: proxy.socketsPerOriginMax,
    ...(rateLimits.proxyPerMinute > 0 && {
      perUserRate: perMinute(rateLimits.proxyPerMinute),
    }),
  };
}

function proxiedLine(call: ProxiedCall) {
  const { requestId, method, status, durationMs, projectId, provider, connectionId, endUserId } = call;
  return {
    requestId,
    method,
    route: PROXY_ROUTE,
    status,
    durationMs,
    traceId: call.traceId,
    ...(endUserId !== undefined && { principal: 'end_user', principalId: endUserId }),
    projectId,
    provider,
    connectionId,
    ...(call.mandates.length > 0 && { mandates: call.mandates }),
    ...(call.actors.length > 0 && { actors: call.actors.map(({ id }) => id) }),
    errorCode: call.error,
  };
}
