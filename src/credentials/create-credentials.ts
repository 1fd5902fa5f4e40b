import pLimit from 'p-limit';
import type { RecordActivity } from '../activity/record.ts';
import type { Catalog } from '../catalog/loading/catalog.ts';
import { listOAuthMethods } from '../catalog/schema/provider-auth-methods.ts';
import { createReachTenants, type ReachTenants } from '../connections/connection-tenants.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import type { NoteSecretVerdict } from '../integrations/secrets/secret-use.ts';
import { listTenants } from '../oauth/tenants.ts';
import { createTokenEndpoint, type TokenEndpoint } from '../oauth/token-endpoint.ts';
import type { Changes } from '../platform/change-notices.ts';
import type { Chore } from '../platform/chores.ts';
import type { Kit } from '../platform/kit.ts';
import type { Holds } from '../projects/holds.ts';
import type { Providers } from '../providers/custom-providers.ts';
import { createOpenApplication } from './calling/application-client.ts';
import { createOpenConnection, type OpenConnection } from './calling/connection-client.ts';
import { proveConnection } from './calling/prove-connection.ts';
import { createRefusedCallsStore } from './calling/refused-calls.store.ts';
import { createRefusedCalls, type RefusedCalls } from './calling/refused-calls.ts';
import { createClientTokens } from './client/client-tokens.ts';
import { createIntegrationClient, type IntegrationClient } from './client/integration-client.ts';
import { createAuthorizationServers } from './mcp-servers/authorization-servers.ts';
import { createAccessTokens } from './refreshing/access-tokens.ts';
import { boundWaits } from './refreshing/bound-waits.ts';
import { limitRefreshes } from './refreshing/limit-refreshes.ts';
import { createRecordRefusal, type RecordRefusal } from './refreshing/record-refusal.ts';
import { createRefreshStore } from './refreshing/refresh.store.ts';
import { createRefreshQueue } from './refreshing/refresh-queue.ts';
import { createRefreshRequests } from './refreshing/refresh-requests.ts';
import { createRenewalsStore } from './refreshing/renewals.store.ts';
import { createRenewals } from './refreshing/renewals.worker.ts';
import { createProbeRestored } from './restoring/probe-restored.ts';
import type { TakePendingGrants } from './revoking/disconnect-person.ts';
import { createDisconnecting } from './revoking/disconnecting.ts';
import { createRevocationsStore } from './revoking/revocations.store.ts';
import { createRevocations } from './revoking/revocations.worker.ts';
import { isConsentHeldOfAnyProject } from './revoking/shared-consent.store.ts';

/** Often enough for tokens with a lifetime of hours; most last for weeks. */
const RENEWING_MS = 600_000;
/** The delay of a revocation that another process, or an earlier one, enqueued. */
const REVOKING_MS = 2_000;

/** Of refused credentials, in one process. */
const PROOFS_AT_ONCE_MAX = 8;

export type CredentialsInput = Kit & {
  readonly catalog: Catalog;
  readonly providers: Providers;
  readonly integrations: IntegrationsStore;
  readonly connections: ConnectionsStore;
  readonly changes: Pick<Changes, 'subscribe'>;
  readonly recordActivity: RecordActivity;
  findBrand(projectId: string): Promise<{ readonly name: string } | undefined>;
  readonly holds: Pick<Holds, 'assertNotFrozen' | 'isFrozen' | 'isRestored'>;
  /** As announced to other processes. */
  readonly processKey: number;
  /** Called where something worked at a provider. */
  noteWorked(projectId: string, provider: string, fact: 'refresh'): void;
  /** Called with the provider's verdict on a client secret. */
  readonly noteSecretVerdict: NoteSecretVerdict;
  /** The same on the secret of an organization's client. */
  readonly noteOrganizationVerdict: NoteSecretVerdict;
  /** Takes pending grants out of their connect sessions. */
  readonly takePendingGrants: TakePendingGrants;
  readonly tokenRequestTimeoutMs: number;
  readonly databasePoolMax: number;
  readonly allowPrivateNetworks: boolean;
};

export type Credentials = ReturnType<typeof createCredentials>;

/** Builds what refreshes access tokens, calls providers with them, and revokes grants. */
export function createCredentials(input: CredentialsInput) {
  const { outbound, integrations, tokenRequestTimeoutMs: timeoutMs } = input;
  const client = createIntegrationClient({
    ...input,
    // What is being erased is still revoked, and its webhooks removed.
    integrations: { ...integrations, find: integrations.findEvenDeleted },
  });
  const tokenEndpoint = createTokenEndpoint({ outbound, timeoutMs });
  const shared = { ...input, client, tokenEndpoint };
  const servers = buildServers(shared);
  const { revocations, disconnecting } = buildRevoking(shared);
  const refreshes = createRefreshStore(input);
  const recordRefusal = createRecordRefusal(input);
  const refreshing = { ...shared, refreshes, servers, disconnecting, recordRefusal };
  const accessTokens = buildAccessTokens(refreshing);
  const refusedCalls = buildRefusedCalls(refreshing);
  const clientTokens = createClientTokens(shared);
  const openConnection = createOpenConnection({
    ...shared,
    readCredentials: refreshes.read,
    accessTokens,
    refusedCalls,
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
    openApplication: createOpenApplication({ ...shared, clientTokens }),
    reachTenants: buildReachTenants({ ...input, openConnection }),
    chores: [
      { name: 'revoking erased grants', intervalMs: REVOKING_MS, runsAtStart: true, run: revocations.run },
      {
        name: 'renewing unused tokens',
        intervalMs: RENEWING_MS,
        runsAtStart: true,
        run: buildRenewals({ ...input, accessTokens }),
      },
      createProbeRestored({
        ...input,
        readCredentials: refreshes.read,
        findTarget: client.findTarget,
        isFrozen: input.holds.isFrozen,
        refreshWhileHeld: accessTokens.refreshWhileHeld,
        prove: (target, state) => proveConnection({ ...input, clientOf: client.clientOf }, target, state),
        noteTest: refusedCalls.noteTest,
      }),
    ] satisfies Chore[],
  };
}

type Shared = CredentialsInput & {
  readonly client: IntegrationClient;
  readonly tokenEndpoint: TokenEndpoint;
};

type Refreshing = Shared & {
  readonly refreshes: ReturnType<typeof createRefreshStore>;
  readonly servers: ReturnType<typeof buildServers>;
  readonly disconnecting: ReturnType<typeof createDisconnecting>;
  readonly recordRefusal: RecordRefusal;
};

function buildServers(input: Shared) {
  return createAuthorizationServers({
    ...input,
    findName: async (projectId) => (await input.findBrand(projectId))?.name,
    allowHttp: input.allowPrivateNetworks,
  });
}

function buildRevoking(input: Shared) {
  const store = createRevocationsStore(input);
  const revocations = createRevocations({
    ...input,
    store,
    isConsentHeld: (consent) => isConsentHeldOfAnyProject(input.db, consent),
  });
  const disconnecting = createDisconnecting({
    ...input,
    revocations: store,
    revokeSoon: revocations.soon,
  });
  return { revocations, disconnecting };
}

function buildAccessTokens(input: Refreshing) {
  const { disconnecting, metrics, changes } = input;
  const enqueue = createRefreshQueue();
  const unbounded = createAccessTokens({
    ...input,
    ...limitRefreshes({ ...input, store: input.refreshes }, input.databasePoolMax),
    prepareRefresh: createRefreshRequests({
      ...input,
      noteRefresh(provider, outcome, projectId) {
        metrics.countRefresh(provider, outcome);
        if (outcome === 'refreshed') input.noteWorked(projectId, provider, 'refresh');
      },
    }),
    revokeOrphaned: (state, tokens) => disconnecting.revokeGrant(state, tokens),
    // The turn may come when the request of another call has ended.
    enqueue: (owner, work, waitMs) => enqueue(owner, input.telemetry.tracing.bind(work), waitMs),
    findHold(projectId) {
      if (input.holds.isFrozen(projectId)) return 'project_frozen';
      return input.holds.isRestored() ? 'gateway_restored' : undefined;
    },
  });
  changes.subscribe({
    changed({ table, rowId }) {
      if (table === 'connections' && rowId !== undefined) unbounded.noteChange(rowId);
    },
    // What waits for another process's refresh also looks at the row by itself.
    markAllStale: () => undefined,
  });
  return { ...unbounded, ...boundWaits(unbounded) };
}

function buildRefusedCalls({ refreshes, client, recordRefusal, ...input }: Refreshing): RefusedCalls {
  return createRefusedCalls({
    ...input,
    store: createRefusedCallsStore(input),
    async prove(refused) {
      const state = await refreshes.read(refused.connectionId, refused.projectId);
      if (state?.version !== refused.version || state.status !== 'active') return undefined;
      const target = await client.findTarget(state);
      return target && proveConnection({ ...input, clientOf: client.clientOf }, target, state);
    },
    async recordRefusal(refused, reason, change) {
      const state = await refreshes.read(refused.connectionId, refused.projectId);
      return state !== undefined && recordRefusal(state, reason, change);
    },
    limit: pLimit(PROOFS_AT_ONCE_MAX),
  });
}

function buildRenewals(
  input: CredentialsInput & { readonly accessTokens: ReturnType<typeof buildAccessTokens> },
) {
  return createRenewals({
    ...input,
    store: createRenewalsStore(input),
    findProviders: async (ids) => (await input.catalog.findAll(ids)).flatMap(listOAuthMethods),
  });
}

function buildReachTenants({
  providers,
  outbound,
  holds,
  openConnection,
}: Pick<CredentialsInput, 'providers' | 'outbound' | 'holds'> & {
  readonly openConnection: OpenConnection;
}): ReachTenants {
  return createReachTenants({
    assertNotFrozen: holds.assertNotFrozen,
    findProvider: async ({ projectId, serviceProvider, grant }) =>
      providers.find(projectId, serviceProvider, grant),
    async listTenants({ id: connectionId, projectId }) {
      const own = await openConnection({ connectionId, projectId });
      return own.ask(
        (values) => listTenants({ outbound }, own.provider, values),
        (answer) => !answer.ok && answer.kind === 'credential_refused',
      );
    },
  });
}
