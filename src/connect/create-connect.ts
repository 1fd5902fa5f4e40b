import type { RecordActivity } from '../activity/record.ts';
import { consentedValues } from '../catalog/facts/template-values.ts';
import type { Catalog } from '../catalog/loading/catalog.ts';
import type { Config } from '../config.ts';
import type { Grant } from '../connections/connection.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { LoginResult } from '../connections/import-connection.ts';
import { createCredentials } from '../credentials/create-credentials.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Database, Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import type { Access } from '../projects/access.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import { createAuthorization } from './authorization.ts';
import { createBrandingPreviewEndpoints } from './branding-preview.router.ts';
import { createClientDocumentsRouter } from './client-documents.router.ts';
import { createCompleteSessionEndpoints } from './complete-session.router.ts';
import { createConclude } from './conclude.ts';
import { createConnectRouter } from './connect.router.ts';
import { createConnectFailures } from './connect-failures.ts';
import { createConnectFlow } from './connect-flow.ts';
import type { ConnectSession } from './connect-session.ts';
import { createConnectSessionsEndpoints } from './connect-sessions.router.ts';
import { createConnectSessionsStore } from './connect-sessions.store.ts';
import { createDeliveredCodesStore } from './delivered-codes.store.ts';
import { createFinishGrant } from './finish-grant.ts';
import { createGrants } from './grants.ts';
import { createOAuth1Authorization } from './oauth1-authorization.ts';
import type { Brand } from './pages/brand.ts';
import { createSessionsChore } from './sessions.worker.ts';

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
  processKey: number;
  findProjectRules(
    projectId: string,
  ): Promise<{ allowedOrigins: readonly string[]; returnUrls: readonly string[] } | undefined>;
  findBrand(projectId: string): Promise<Brand | undefined>;
  findingOf: Parameters<typeof createConnectFailures>[0]['findingOf'];
  noteReturnUrl(projectId: string, returnUrl: string): void;
  noteOrigin(projectId: string, origin: string): void;
  noteSecretVerdict(secretId: string, verdict: 'worked' | 'refused'): void;
};

/** Composes what authorizes: connect sessions, hosted pages, token requests, refreshing. */
export function createConnect(input: ConnectingInput) {
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
  const credentials = createCredentials({ ...input, takePendingGrants: sessions.takePendingOf });
  const { tokenEndpoint, clientOf, disconnecting, servers } = credentials;
  const revokeGrant = async (session: ConnectSession, grant: Grant, trx?: Db) => {
    const { integrationId, projectId, connectionId, endUserId } = session;
    if (integrationId === null) return;
    await disconnecting.revokeGrant({ integrationId, projectId, connectionId, endUserId }, grant, trx);
  };
  const finishGrant = createFinishGrant({
    connections,
    recordActivity,
    lockEndUser: input.endUsers.lockEndUser,
  });
  const grants = createGrants({ outbound, now, clientOf });
  const flow = createConnectFlow({ db, providers, integrations, connections });
  const { publicUrl } = config;
  const { connectPerMinute } = config.rateLimits;
  const authorization = createAuthorization({
    db,
    sessions,
    deliveredCodes,
    tokenEndpoint,
    grants,
    clientOf,
    revokeGrant,
    servers,
    outbound,
    publicUrl,
  });
  const createLimiter = () =>
    connectPerMinute > 0 && { limiter: createRateLimiter({ limit: connectPerMinute, windowSeconds: 60 }) };
  const clientDocuments = createClientDocumentsRouter({
    findIntegration: (id) => integrations.findOfAnyProject(db, id),
    describe: servers.describe,
    ...createLimiter(),
    publicUrl,
  });
  const router = createConnectRouter({
    db,
    sessions,
    flow,
    authorization,
    oauth1: createOAuth1Authorization({ db, outbound, sessions, grants, clientOf, publicUrl }),
    conclude: createConclude({ db, sessions, connections, finishGrant, revokeGrant }),
    grantFromCredentials: grants.fromCredentials,
    findBrand: input.findBrand,
    noteFailure: createConnectFailures({
      db,
      recordActivity,
      findingOf: input.findingOf,
      count: input.metrics.countConnectFailure,
      log,
    }),
    ...createLimiter(),
    publicUrl,
    log,
  });
  const preview = createBrandingPreviewEndpoints({
    access: input.access,
    findBrand: input.findBrand,
    choicesOf: flow.choicesOf,
    listSamples: (count) =>
      input.catalog
        .ids()
        .slice(0, count)
        .flatMap((id) => input.catalog.find(id) ?? []),
  });
  const begin = createConnectSessionsEndpoints({
    ...input,
    db,
    flow,
    sessions,
    endUserId: input.endUsers.endUserId,
    publicUrl,
    sessionLifetimeSeconds: config.connectSessionLifetimeSeconds,
    sessionsPerUserPerHour: config.tenancy.connectSessionsPerUserPerHour,
  });
  const complete = createCompleteSessionEndpoints({ ...input, db, sessions, finishGrant });
  return {
    ...credentials,
    /** The grant of tokens that the gateway obtains, for a connection that no browser makes. */
    async logIn(
      { id, projectId }: { readonly id: string; readonly projectId: string },
      entered: { variables: Record<string, string>; secrets: Record<string, string> },
    ): Promise<LoginResult> {
      const target = await credentials.findTarget({ integrationId: id, projectId });
      if (target === undefined) return { ok: false, error: 'integration_misconfigured' };
      const known = target.integration.variables;
      const isByClient = target.provider.auth === 'oauth2-client-credentials';
      const grantBy = isByClient ? authorization.grantByClient : authorization.grantByLogin;
      const made = await grantBy(
        {
          ...target,
          known,
          kept: consentedValues(target.provider, known),
          sealed: new Set(),
          wantedTenant: null,
        },
        entered,
      );
      if (made.ok) return made;
      const { error, reason, providerWords: words } = made;
      return { ok: false, error, ...(reason && { reason }), ...(words && { words }) };
    },
    router,
    clientDocuments,
    endpoints: [...begin, ...complete, ...preview],
    chores: [
      ...credentials.chores,
      createSessionsChore({
        db,
        sessions,
        deliveredCodes,
        revokeGrant,
        log,
        intervalMs: config.connectSweepIntervalSeconds * 1000,
      }),
    ],
  };
}
