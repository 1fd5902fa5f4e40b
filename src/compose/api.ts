import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { createCallLog } from '../call-log/create-call-log.ts';
import type { Catalog } from '../catalog/loading/catalog.ts';
import type { Config } from '../config.ts';
import type { createConnect } from '../connect/create-connect.ts';
import { createConnectionsEndpoints } from '../connections/connections.router.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { createPrepareImport } from '../connections/import-connection.ts';
import { createProveImport } from '../connections/prove-import.ts';
import type { Erasing } from '../credentials/revoking/erasing.ts';
import type { createObservations } from '../diagnosis/create-diagnosis.ts';
import { describeDeliveries } from '../events/sending/describe-deliveries.ts';
import { createApiRouter } from '../http/api-router.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { createFailedAttempts } from '../http/failed-attempts.ts';
import { createIdempotencyStore } from '../http/idempotency.store.ts';
import { buildOpenApiDocument } from '../http/openapi.ts';
import { createIntegrationsEndpoints } from '../integrations/integrations.router.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import { once } from '../lib/once.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import { createGatewayEndpoints } from '../operators/gateway/gateway.router.ts';
import { createGatewayStore } from '../operators/gateway/gateway.store.ts';
import type { Logger } from '../platform/logger.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Database, Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import { countRowsByKeyId } from '../platform/vault-rotation.store.ts';
import type { createProviders } from '../providers/create-providers.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import { createSearchEndpoints } from '../search/search.router.ts';
import { createSearchSources } from '../search/sources.ts';
import { API_TAGS, describeApi } from './api-description.ts';
import type { composeIdentity } from './identity.ts';

type ApiInput = {
  config: Config;
  database: Database;
  vault: Vault;
  catalog: Catalog;
  log: Logger;
  outbound: Outbound;
  providers: NamedProviders;
  integrations: IntegrationsStore;
  connections: ConnectionsStore;
  principals: ReturnType<typeof composeIdentity>;
  custom: ReturnType<typeof createProviders>;
  connecting: ReturnType<typeof createConnect>;
  diagnosis: readonly Endpoint[];
  notices: Pick<ReturnType<typeof createObservations>, 'noticed' | 'records'>;
  calls: ReturnType<typeof createCallLog>;
  /** Removes webhook registrations at the provider, while there are credentials to do so. */
  erasing: Erasing;
  removeWebhooks(owner: { integrationId: string } | { connectionId: string }): Promise<void>;
  /** Has polls begin again with a connection that the transaction moves to another account. */
  restartPolls(trx: Db, connectionId: string): Promise<void>;
  events: readonly Endpoint[];
  polls: readonly Endpoint[];
};

/** Composes the management API: its endpoints, their router and their OpenAPI document. */
export function composeApi(input: ApiInput) {
  const { config, vault, log, principals } = input;
  const { publicUrl } = config;
  const endpoints: Endpoint[] = [
    ...principals.endpoints,
    ...input.custom.endpoints(principals),
    ...composeIntegrationsEndpoints(input),
    ...composeConnectionsEndpoints(input),
    ...input.connecting.endpoints,
    ...input.diagnosis,
    ...input.calls.endpoints,
    ...input.events,
    ...input.polls,
    ...createSearchEndpoints({
      access: principals.access,
      sources: createSearchSources({ ...input, ...principals, db: input.database.knex }),
    }),
    ...composeGatewayEndpoints(input),
  ];
  // Made when it is first asked for: it takes a sixth of the time of a start.
  const readDocument = once(() =>
    buildOpenApiDocument(endpoints, {
      publicUrl,
      version: '1',
      title: 'Integration Gateway',
      description: describeApi(config.proxyUrl ?? publicUrl),
      tags: API_TAGS,
      webhooks: describeDeliveries(),
    }),
  );
  const idempotency = createIdempotencyStore({ db: input.database.knex, ...replySeals(vault) });
  const api = createApiRouter({
    endpoints,
    authenticate: principals.authenticate,
    publicUrl,
    log,
    idempotency,
    ...limiters(config),
    isAllowedOrigin: async (origin, principal) => {
      const projectId = principal?.kind === 'end_user' ? principal.projectId : undefined;
      const isAllowed =
        projectId === undefined
          ? await principals.rules.isAllowedAnywhere(origin)
          : await principals.rules.isAllowed(projectId, origin);
      if (!isAllowed) input.notices.noticed.noteOrigin(projectId, origin);
      return isAllowed;
    },
  });
  return { api, endpoints, readDocument, idempotency };
}

function composeIntegrationsEndpoints(input: ApiInput): Endpoint[] {
  const { providers, integrations, connections, connecting } = input;
  const { access, recordActivity } = input.principals;
  return createIntegrationsEndpoints({
    db: input.database.knex,
    providers,
    access,
    integrations,
    recordActivity,
    origins: input.config,
    integrationsMax: input.config.tenancy.integrationsPerProjectMax,
    countConnections: (trx, { id, projectId }) => connections.countOfIntegration(trx, id, projectId),
    readNumbers: input.calls.readIntegrationNumbers,
    hide: input.erasing.hideIntegration,
    eraseSoon: ({ id, projectId }) => input.erasing.eraseSoon({ kind: 'integration', id, projectId }),
    revokePending: connecting.disconnecting.revokePending,
    endWaiting: connecting.endWaiting,
    setSecretExpiry: input.notices.records.setExpiry,
  });
}

function composeConnectionsEndpoints(input: ApiInput): Endpoint[] {
  const { providers, integrations, connections, connecting } = input;
  const { access, endUsers, recordActivity } = input.principals;
  const db = input.database.knex;
  const integrationOf = async ({ id, projectId }: { id: string; projectId: string }) => {
    const found = await integrations.find(db, id, [projectId]);
    if (found === undefined) throw new HttpError('integration_not_found');
    return found;
  };
  return createConnectionsEndpoints({
    db,
    providers,
    access,
    connections,
    recordActivity,
    publicUrl: input.config.publicUrl,
    async disconnect(connection, actor) {
      await input.removeWebhooks({ connectionId: connection.id });
      await connecting.disconnecting.disconnect(connection, actor);
    },
    reachTenants: connecting.reachTenants,
    restartPolls: input.restartPolls,
    prepareImport: createPrepareImport({
      providers,
      access,
      connections,
      recordActivity,
      findIntegration: (id, projectIds) => integrations.find(db, id, projectIds),
      secretVariablesOf: async (integration) => (await integrations.openSecrets(db, integration)).variables,
      endUserId: endUsers.endUserId,
      logIn: connecting.logIn,
      proveImport: createProveImport({
        outbound: input.outbound,
        clientOf: async (target) => connecting.clientOf(await integrationOf(target)),
      }),
    }),
  });
}

/** What operators see of the gateway itself: nothing of its settings that is a secret. */
function composeGatewayEndpoints({ config, database, vault, principals }: ApiInput): Endpoint[] {
  const db = database.knex;
  const { publicUrl, proxyUrl = publicUrl } = config;
  return createGatewayEndpoints({
    db,
    operators: principals.operators,
    gatewayStore: createGatewayStore({ db }),
    facts: { version: VERSION, publicUrl, proxyUrl, startedAt: new Date(), demo: config.isDemo },
    isStoreEmbedded: config.databaseUrl === undefined,
    keyIds: vault.keyIds,
    countRowsByKeyId: () => countRowsByKeyId(db),
    settings: {
      allowPrivateNetworks: config.allowPrivateNetworks,
      workers: config.workers,
      activityKeepDays: config.activityKeepDays,
      rateLimits: config.rateLimits,
      connectSessionLifetimeSeconds: config.connectSessionLifetimeSeconds,
      singleSignOn: describeSingleSignOn(config),
      mail: config.smtp === undefined ? null : { from: config.smtp.from },
    },
    now: Date.now,
  });
}

function describeSingleSignOn({ oidc }: Config) {
  if (oidc === undefined) return null;
  const { issuer, allowedDomains, defaultRole = null } = oidc;
  return { issuer, allowedDomains, defaultRole };
}

const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version;

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
