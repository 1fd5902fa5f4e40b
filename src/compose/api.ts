import type { Config } from '../config.ts';
import { createRestoreEndpoints } from '../credentials/restoring/restore.router.ts';
import { createRevokeAllEndpoints } from '../credentials/revoking/revoke-all.router.ts';
import { describeDeliveries } from '../events/sending/describe-deliveries.ts';
import { createApiRouter } from '../http/api-router.ts';
import { API_TAGS } from '../http/api-tags.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { createFailedAttempts } from '../http/failed-attempts.ts';
import { createIdempotencyStore } from '../http/idempotency.store.ts';
import { buildOpenApiDocument } from '../http/openapi.ts';
import { once } from '../lib/once.ts';
import { requireProfile } from '../operators/accounts/require-profile.ts';
import { assertGatewayOwner } from '../operators/gateway/assert-gateway-owner.ts';
import { createGatewayEndpoints } from '../operators/gateway/gateway.router.ts';
import { createGatewayStore } from '../operators/gateway/gateway.store.ts';
import { countRowsByKeyId } from '../platform/vault-rotation.store.ts';
import { createSearchEndpoints } from '../search/search.router.ts';
import { createSearchSources } from '../search/sources.ts';
import { VERSION } from '../settings/version.ts';
import { type ApiInput, aboveIntegrations, aboveProjects, createDryRuns } from './above-rooms.ts';
import { describeApi } from './api-description.ts';
import { composeConfiguration } from './configuration.ts';
import type { ComposedPlatform } from './platform.ts';
import { createReplySeals } from './reply-seals.ts';

/** Builds the management API: its router and its OpenAPI document, of the endpoints of every room. */
export function composeApi(input: ApiInput) {
  const { config, rooms } = input;
  const { db, vault, log, publicUrl } = input.platform.kit;
  const { rules, authenticate } = rooms.identity;
  const endpoints = collectEndpoints(input);
  // Made when it is first asked for: it takes a sixth of the time of a start.
  const readDocument = once(() =>
    buildOpenApiDocument(endpoints, {
      publicUrl,
      version: VERSION,
      title: 'Integration Gateway',
      description: describeApi(config.proxyUrl ?? publicUrl),
      tags: API_TAGS,
      webhooks: describeDeliveries(),
    }),
  );
  const idempotency = createIdempotencyStore({ db, ...createReplySeals(vault) });
  const api = createApiRouter({
    endpoints,
    authenticate,
    publicUrl,
    log,
    idempotency,
    ...limiters(config, input.platform),
    isAllowedOrigin: async (origin, principal) => {
      const projectId = principal?.kind === 'end_user' ? principal.projectId : undefined;
      const isAllowed =
        projectId === undefined
          ? await rules.isAllowedAnywhere(origin)
          : await rules.isAllowed(projectId, origin);
      if (!isAllowed) rooms.observations.noteOrigin(projectId, origin);
      return isAllowed;
    },
  });
  return { api, endpoints, readDocument, idempotency };
}

/** Endpoints come last, when every room is there: they may need rooms above their own. */
function collectEndpoints(input: ApiInput): Endpoint[] {
  const { catalog, platform, rooms } = input;
  const { kit } = platform;
  const { identity, observations } = rooms;
  const { access, authenticate } = identity;
  const { recordActivity } = rooms.activity;
  const { noteOrigin, noteReturnUrl } = observations;
  const shared = { access, authenticate, recordActivity };
  return [
    ...identity.endpoints({ ...aboveProjects(rooms), findAccessFacts: rooms.findAccessFacts }),
    ...createRevokeAllEndpoints({
      ...{ db: kit.db, publicUrl: kit.publicUrl, jobs: rooms.jobs, access, recordActivity },
      lockProject: identity.projects.lock,
    }),
    ...rooms.ownProviders.endpoints({ ...shared, ...createDryRuns(input) }),
    ...rooms.integrations.endpoints(aboveIntegrations(input)),
    ...composeConfiguration(input).endpoints(),
    ...collectConnectionsEndpoints(input),
    ...rooms.connect.endpoints({
      ...shared,
      findProjectRules: identity.projects.findProjectRules,
      noteReturnUrl,
      noteOrigin,
    }),
    ...rooms.diagnosis.endpoints({
      access,
      listTroubledDestinations: rooms.deliveries.listTroubled,
      listRecentCalls: rooms.callLog.listRecent,
    }),
    ...rooms.callLog.endpoints(shared),
    ...rooms.events.endpoints(shared),
    ...rooms.deliveries.endpoints(shared),
    ...rooms.webhooks.endpoints(shared),
    ...rooms.polls.endpoints(shared),
    ...rooms.approvals.endpoints(shared),
    ...rooms.portal.endpoints(),
    ...rooms.agentSignIn.endpoints(shared),
    ...rooms.persons.endpoints(shared),
    ...createSearchEndpoints({
      access,
      sources: createSearchSources({
        ...{ db: kit.db, catalog, endUsers: identity.endUsers, projects: identity.projects },
        ...{ ...rooms.integrations, ...rooms.connections },
      }),
    }),
    ...createRestoreEndpoints({
      db: kit.db,
      recordActivity,
      loadHolds: rooms.holds.load,
      async requireGatewayOwner(operatorId) {
        const profile = await requireProfile(identity.operators, kit.db, operatorId);
        assertGatewayOwner(profile.gatewayOwner);
      },
    }),
    ...composeGatewayEndpoints(input),
  ];
}

function collectConnectionsEndpoints({ platform, rooms }: ApiInput): Endpoint[] {
  const { credentials, identity, webhooks, polls } = rooms;
  const { integrations } = rooms.integrations;
  const { db } = platform.kit;
  return rooms.connections.endpoints({
    access: identity.access,
    recordActivity: rooms.activity.recordActivity,
    providers: rooms.ownProviders.providers,
    disconnect: (connection, actor, assertVersion) =>
      webhooks.unregisterWhile(connection.id, () =>
        credentials.disconnecting.disconnect(connection, actor, assertVersion),
      ),
    reachTenants: credentials.reachTenants,
    restartPolls: polls.restart,
    findTagClaims: async (projectId) =>
      (await identity.projects.findProjectRules(projectId))?.tagClaims ?? [],
    findIntegration: (id, projectIds) => integrations.find(db, id, projectIds),
    secretVariablesOf: async (integration) => (await integrations.openSecrets(db, integration)).variables,
    endUserId: identity.endUsers.endUserId,
    organizationId: identity.endUsers.organizationId,
    logIn: rooms.connect.logIn,
    async withClientOf({ id, projectId }, organization) {
      const found = await integrations.find(db, id, [projectId]);
      if (found === undefined) throw new HttpError('integration_not_found');
      return integrations.clients.withClientOfOrganization(db, found, organization);
    },
    async clientOf({ id, projectId, organizationClient }) {
      const found = await integrations.find(db, id, [projectId]);
      const used =
        found && (await integrations.clients.withVersion(db, found, organizationClient?.versionId));
      if (used === undefined) throw new HttpError('integration_not_found');
      return credentials.clientOf(used);
    },
  });
}

/** What operators see of the gateway itself: nothing of its settings that is a secret. */
function composeGatewayEndpoints({ config, platform, rooms, untrustedProxy }: ApiInput): Endpoint[] {
  const { db, vault, now } = platform.kit;
  const { publicUrl, proxyUrl = publicUrl } = config;
  return createGatewayEndpoints({
    db,
    operators: rooms.identity.operators,
    gatewayStore: createGatewayStore({ db }),
    facts: { version: VERSION, publicUrl, proxyUrl, startedAt: new Date(), demo: config.isDemo },
    isStoreEmbedded: config.databaseUrl === undefined,
    listKeyIds: () => vault.keyIds,
    countRowsByKeyId: () => countRowsByKeyId(db),
    untrustedProxy,
    settings: {
      trustProxy: config.trustProxy === false ? null : config.trustProxy,
      allowPrivateNetworks: config.allowPrivateNetworks,
      workers: config.workers,
      activityKeepDays: config.activityKeepDays,
      rateLimits: config.rateLimits,
      connectSessionLifetimeSeconds: config.connectSessionLifetimeSeconds,
      singleSignOn: describeSingleSignOn(config),
      mail: config.smtp === undefined ? null : { from: config.smtp.from },
    },
    now,
  });
}

function describeSingleSignOn({ oidc }: Config) {
  if (oidc === undefined) return null;
  const { issuer, allowedDomains, defaultRole = null } = oidc;
  return { issuer, allowedDomains, defaultRole };
}

/** A limit of 0 switches it off. */
function limiters({ rateLimits }: Config, { sharedLimits }: Pick<ComposedPlatform, 'sharedLimits'>) {
  const { managementPerMinute, failedAuthenticationPerMinute } = rateLimits;
  return {
    ...(managementPerMinute > 0 && {
      rateLimiter: sharedLimits.limiter({ name: 'API', limit: managementPerMinute, windowSeconds: 60 }),
    }),
    ...(failedAuthenticationPerMinute > 0 && {
      failedAttempts: createFailedAttempts({ perMinute: failedAuthenticationPerMinute, sharedLimits }),
    }),
  };
}
