import type { RecordActivity } from '../activity/activity.store.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Config } from '../config.ts';
import { createAuthorization } from '../connect/authorization.ts';
import { createConclude } from '../connect/conclude.ts';
import { createConnectRouter } from '../connect/connect.router.ts';
import { createConnectFlow } from '../connect/connect-flow.ts';
import type { ConnectSession } from '../connect/connect-session.ts';
import { createConnectSessionsEndpoints } from '../connect/connect-sessions.router.ts';
import { createConnectSessionsStore } from '../connect/connect-sessions.store.ts';
import { createDeliveredCodesStore } from '../connect/delivered-codes.store.ts';
import { createFinishGrant } from '../connect/finish-grant.ts';
import { createGrants } from '../connect/grants.ts';
import type { Brand } from '../connect/pages/brand.ts';
import { createSessionsWorker } from '../connect/sessions.worker.ts';
import type { ConnectionsStore, Grant } from '../connections/connections.store.ts';
import { createAccessTokens } from '../credentials/access-tokens.ts';
import { createProviderCalls } from '../credentials/provider-calls.ts';
import { type CredentialState, createRefreshStore, type RefreshStore } from '../credentials/refresh.store.ts';
import { createRenewalsStore } from '../credentials/renewals.store.ts';
import { createRenewals } from '../credentials/renewals.worker.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import { createTokenEndpoint } from '../oauth/token-endpoint.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Database, Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import type { Access } from '../projects/access.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';

export type ConnectingInput = {
  config: Config;
  database: Database;
  vault: Vault;
  catalog: Catalog;
  providers: NamedProviders;
  log: Logger;
  outbound: Outbound;
  metrics: Metrics;
  now(): number;
  random(): number;
  integrations: IntegrationsStore;
  connections: ConnectionsStore;
  access: Access;
  endUsers: {
    endUserId(projectId: string, subject: string): Promise<string>;
    lockEndUser(trx: Db, projectId: string, endUserId: string): Promise<void>;
  };
  recordActivity: RecordActivity;
  findProjectRules(
    projectId: string,
  ): Promise<{ allowedOrigins: readonly string[]; returnUrls: readonly string[] } | undefined>;
  findBrand(projectId: string): Promise<Brand | undefined>;
};

/** The half of the composition that authorizes: connect sessions, hosted pages, token requests, refreshing. */
export function composeConnecting(input: ConnectingInput) {
  const {
    config,
    database,
    vault,
    providers,
    log,
    outbound,
    now,
    integrations,
    connections,
    recordActivity,
  } = input;
  const db = database.knex;
  const sessions = createConnectSessionsStore({ vault });
  const deliveredCodes = createDeliveredCodesStore({ db });
  const tokenEndpoint = createTokenEndpoint({ outbound });
  const calls = createProviderCalls({
    db,
    providers,
    integrations,
    connections,
    tokenEndpoint,
    takePendingGrants: sessions.takePendingOf,
    recordActivity,
    noteRefresh: input.metrics.refreshed,
    now,
    publicUrl: config.publicUrl,
    log,
  });
  const revokeGrant = async ({ integrationId, projectId }: ConnectSession, grant: Grant) => {
    if (integrationId !== null)
      await calls.revoke({ integrationId, projectId }, grant.variables, grant.credentials);
  };
  const finishGrant = createFinishGrant({
    connections,
    recordActivity,
    lockEndUser: input.endUsers.lockEndUser,
  });
  const grants = createGrants({ outbound, now, clientOf: calls.clientOf });
  const flow = createConnectFlow({ db, providers, integrations, connections });
  const { publicUrl } = config;
  const { connectPerMinute } = config.rateLimits;
  const authorization = createAuthorization({
    db,
    sessions,
    deliveredCodes,
    tokenEndpoint,
    grants,
    clientOf: calls.clientOf,
    revokeGrant,
    publicUrl,
    log,
  });
  const router = createConnectRouter({
    db,
    sessions,
    flow,
    authorization,
    conclude: createConclude({ db, sessions, connections, finishGrant, revokeGrant }),
    grantFromCredentials: grants.fromCredentials,
    findBrand: input.findBrand,
    ...(connectPerMinute > 0 && {
      limiter: createRateLimiter({ limit: connectPerMinute, windowSeconds: 60 }),
    }),
    publicUrl,
    log,
  });
  const endpoints: Endpoint[] = createConnectSessionsEndpoints({
    ...input,
    db,
    sessions,
    finishGrant,
    endUserId: input.endUsers.endUserId,
    publicUrl,
    sessionLifetimeSeconds: config.connectSessionLifetimeSeconds,
  });
  const refreshes = createRefreshStore({ db, vault });
  const accessTokens = refreshing(input, refreshes, calls);
  return {
    router,
    endpoints,
    disconnect: calls.disconnect,
    disconnectAll: calls.disconnectAll,
    revokePending: calls.revokePending,
    endWaiting: refreshes.endWaiting,
    worker: createSessionsWorker({
      db,
      sessions,
      deliveredCodes,
      revokeGrant,
      log,
      intervalMs: config.connectSweepIntervalSeconds * 1000,
    }),
    accessTokens,
    renewUnused: createRenewals({
      store: createRenewalsStore({ db }),
      accessTokens,
      listProviders: input.catalog.list,
      random: input.random,
      log,
    }),
  };
}

function refreshing(
  { database, log, now, random, recordActivity }: ConnectingInput,
  store: RefreshStore,
  calls: ReturnType<typeof createProviderCalls>,
) {
  const db = database.knex;

  async function markReauthorizationRequired(state: CredentialState, owner: string, reason: string) {
    return db.transaction(async (trx) => {
      const changed = await store.giveUp(trx, state, owner, reason);
      if (changed) {
        await recordActivity(trx, {
          projectId: state.projectId,
          actor: { kind: 'gateway' },
          action: 'connection.reauthorization_required',
          subjectKind: 'connection',
          subjectId: state.connectionId,
          details: { integrationId: state.integrationId, reason },
        });
      }
      return changed;
    });
  }

  return createAccessTokens({
    store,
    requestRefresh: calls.requestRefresh,
    revokeOrphaned: async (state, tokens) => {
      await calls.revoke(state, tokens.variables, tokens.credentials);
    },
    markReauthorizationRequired,
    log,
    now,
    random,
  });
}
