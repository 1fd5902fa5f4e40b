import pLimit from 'p-limit';
import type { RecordActivity } from '../activity/record.ts';
import type { Catalog } from '../catalog/loading/catalog.ts';
import { listOAuthMethods } from '../catalog/schema/provider-auth-methods.ts';
import type { Config } from '../config.ts';
import { createReachTenants } from '../connections/connection-tenants.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import { listTenants } from '../oauth/tenants.ts';
import { createTokenEndpoint } from '../oauth/token-endpoint.ts';
import type { Chore } from '../platform/chores.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Database, Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import type { Providers } from '../providers/custom-providers.ts';
import { createOpenApplication } from './calling/application-client.ts';
import { createOpenConnection } from './calling/connection-client.ts';
import { proveConnection } from './calling/prove-connection.ts';
import { createRefusedCallsStore } from './calling/refused-calls.store.ts';
import { createRefusedCalls } from './calling/refused-calls.ts';
import { createClientTokens } from './client/client-tokens.ts';
import { createIntegrationClient } from './client/integration-client.ts';
import { createAuthorizationServers } from './mcp-servers/authorization-servers.ts';
import { createAccessTokens } from './refreshing/access-tokens.ts';
import { boundWaits } from './refreshing/bound-waits.ts';
import type { CredentialState } from './refreshing/credential-state.store.ts';
import { createRefreshStore } from './refreshing/refresh.store.ts';
import { createRefreshQueue } from './refreshing/refresh-queue.ts';
import { createRefreshRequests } from './refreshing/refresh-requests.ts';
import { createRenewalsStore } from './refreshing/renewals.store.ts';
import { createRenewals } from './refreshing/renewals.worker.ts';
import { createDisconnecting, type TakePendingGrants } from './revoking/disconnecting.ts';
import { createRevocationsStore } from './revoking/revocations.store.ts';
import { createRevocations } from './revoking/revocations.worker.ts';
import { isConsentHeldOfAnyProject } from './revoking/shared-consent.store.ts';

/** Often enough for tokens with a lifetime of hours; most last for weeks. */
const RENEWING_MS = 600_000;
/** The delay of a revocation that another process, or an earlier one, enqueued. */
const REVOKING_MS = 2_000;

/** Of refused credentials, in one process. */
const PROOFS_AT_ONCE_MAX = 8;

export type CredentialsInput = {
  config: Config;
  database: Database;
  vault: Vault;
  catalog: Catalog;
  providers: Providers;
  log: Logger;
  outbound: Outbound;
  metrics: Metrics;
  now(): number;
  random(): number;
  integrations: IntegrationsStore;
  connections: ConnectionsStore;
  recordActivity: RecordActivity;
  findBrand(projectId: string): Promise<{ readonly name: string } | undefined>;
  /** As announced to other processes. */
  processKey: number;
  /** Takes pending grants out of their connect sessions. */
  /** Hears what a provider makes of a client secret. */
  noteSecretVerdict(secretId: string, verdict: 'worked' | 'refused'): void;
  takePendingGrants: TakePendingGrants;
};

/** Composes what refreshes access tokens and revokes grants. */
export function createCredentials(input: CredentialsInput) {
  const { config, database, vault, providers, log, now, random, integrations, connections } = input;
  const { recordActivity } = input;
  const db = database.knex;
  const tokenEndpoint = createTokenEndpoint({
    outbound: input.outbound,
    timeoutMs: config.tokenRequestTimeoutMs,
  });
  const { publicUrl } = config;
  const client = createIntegrationClient({
    db,
    providers,
    // What is being erased is still revoked, and its webhooks removed.
    integrations: { ...integrations, find: integrations.findEvenDeleted },
    publicUrl,
    noteSecretVerdict: input.noteSecretVerdict,
  });
  const servers = createAuthorizationServers({
    db,
    integrations,
    client,
    outbound: input.outbound,
    tokenEndpoint,
    findName: async (projectId) => (await input.findBrand(projectId))?.name,
    recordActivity,
    publicUrl,
    allowHttp: config.allowPrivateNetworks,
    now,
    log,
  });
  const revocationsStore = createRevocationsStore({ db, vault });
  const revocations = createRevocations({
    db,
    store: revocationsStore,
    tokenEndpoint,
    isConsentHeld: (consent) => isConsentHeldOfAnyProject(db, consent),
    recordActivity,
    log,
  });
  const disconnecting = createDisconnecting({
    db,
    client,
    connections,
    revocations: revocationsStore,
    takePendingGrants: input.takePendingGrants,
    recordActivity,
    revokeSoon: revocations.soon,
    log,
  });
  const refreshes = createRefreshStore({ db, vault, processKey: input.processKey });

  async function recordRefusal(
    state: Pick<CredentialState, 'projectId' | 'connectionId' | 'integrationId'>,
    reason: string,
    change: (trx: Db) => Promise<boolean>,
  ): Promise<boolean> {
    return db.transaction(async (trx) => {
      const isChanged = await change(trx);
      if (isChanged) {
        await recordActivity(trx, {
          projectId: state.projectId,
          actor: { kind: 'gateway' },
          action: 'connection.reauthorization_required',
          subjectId: state.connectionId,
          details: { integrationId: state.integrationId, reason },
        });
      }
      return isChanged;
    });
  }

  const unbounded = createAccessTokens({
    store: limitConcurrency(refreshes, config.databasePoolMax),
    prepareRefresh: createRefreshRequests({
      client,
      tokenEndpoint,
      servers,
      noteRefresh: input.metrics.countRefresh,
      now,
      log,
    }),
    revokeOrphaned: (state, tokens) => disconnecting.revokeGrant(state, tokens),
    recordRefusal,
    enqueue: createRefreshQueue(),
    log,
    now,
    random,
  });

  const accessTokens = { ...unbounded, ...boundWaits(unbounded) };

  const refusedCalls = createRefusedCalls({
    store: createRefusedCallsStore({ db }),
    async prove(refused) {
      const state = await refreshes.read(refused.connectionId, refused.projectId);
      if (state?.version !== refused.version || state.status !== 'active') return undefined;
      const target = await client.findTarget(state);
      return (
        target && proveConnection({ outbound: input.outbound, clientOf: client.clientOf }, target, state)
      );
    },
    async recordRefusal(refused, reason, change) {
      const state = await refreshes.read(refused.connectionId, refused.projectId);
      return state !== undefined && recordRefusal(state, reason, change);
    },
    limit: pLimit(PROOFS_AT_ONCE_MAX),
    log,
    now,
  });

  const renewUnused = createRenewals({
    store: createRenewalsStore({ db }),
    accessTokens,
    findProviders: async (ids) => (await input.catalog.findAll(ids)).flatMap(listOAuthMethods),
    random,
    log,
  });

  const openConnection = createOpenConnection({
    outbound: input.outbound,
    client,
    readCredentials: refreshes.read,
    accessTokens,
    refusedCalls,
    now,
  });
  const clientTokens = createClientTokens({ tokenEndpoint, now });
  const openApplication = createOpenApplication({ outbound: input.outbound, client, clientTokens, now });
  const reachTenants = createReachTenants({
    findProvider: async ({ projectId, serviceProvider, grant }) =>
      providers.find(projectId, serviceProvider, grant),
    async listTenants({ id: connectionId, projectId }) {
      const own = await openConnection({ connectionId, projectId });
      return own.ask(
        (values) => listTenants({ outbound: input.outbound }, own.provider, values),
        (answer) => !answer.ok && answer.kind === 'credential_refused',
      );
    },
  });

  return {
    tokenEndpoint,
    servers,
    clientOf: client.clientOf,
    findTarget: client.findTarget,
    disconnecting,
    revocations,
    endWaiting: refreshes.endWaiting,
    readCredentials: refreshes.read,
    accessTokens,
    refusedCalls,
    openConnection,
    clientTokens,
    openApplication,
    reachTenants,
    chores: [
      {
        name: 'revoking erased grants',
        intervalMs: REVOKING_MS,
        runsAtStart: true,
        run: revocations.run,
      },
      { name: 'renewing unused tokens', intervalMs: RENEWING_MS, runsAtStart: true, run: renewUnused },
    ] satisfies Chore[],
  };
}

/** Refreshes use a part of the pool only, and wait outside of it: a burst of them must not starve other queries. */
function limitConcurrency(
  store: ReturnType<typeof createRefreshStore>,
  poolMax: number,
): ReturnType<typeof createRefreshStore> {
  const limit = pLimit(Math.max(1, Math.floor(poolMax * 0.6)));
  return {
    ...store,
    claim: (...given) => limit(() => store.claim(...given)),
    read: (...given) => limit(() => store.read(...given)),
    complete: (...given) => limit(() => store.complete(...given)),
    withdraw: (...given) => limit(() => store.withdraw(...given)),
  };
}
