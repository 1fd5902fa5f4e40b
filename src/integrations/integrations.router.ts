import type { DistributiveOmit, ProjectChange } from '../activity/actions.ts';
import type { RecordActivity } from '../activity/record.ts';
import { splitSecretVariables } from '../catalog/facts/resolve-url.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { assertIfMatch, formatEtag } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { cutPage, decodeCursor } from '../lib/cursor.ts';
import type { Db } from '../platform/postgres/database.ts';
import { isConstraintViolation } from '../platform/postgres/store-errors.ts';
import type { Access, AccessMode } from '../projects/access.ts';
import { assertRoom } from '../projects/room.store.ts';
import type { Origins } from '../providers/catalog-wire.ts';
import { chooseGrant } from '../providers/choose-auth-method.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import { assertFitsGrant } from './change-auth-method.ts';
import {
  assertClientCertificate,
  assertCompatibleVariables,
  assertComplete,
  assertRequiredVariables,
  assertStillThere,
  assertVariables,
  assertWebhookScheme,
  tidyFiles,
} from './integration-rules.ts';
import { toIntegrationWire } from './integration-wire.ts';
import {
  createIntegrationBody,
  deleteIntegrationQuery,
  type IntegrationNumbers,
  integrationList,
  integrationParams,
  integrationSchema,
  integrationsQuery,
  updateIntegrationBody,
} from './integrations.schema.ts';
import type { Integration, IntegrationsStore } from './integrations.store.ts';

/** Two hundred scopes of the usual length, and variables that hold a key or a certificate. */
const BODY_BYTES_MAX = 128 * 1024;

export type IntegrationsDependencies = {
  db: Db;
  providers: NamedProviders;
  access: Access;
  integrations: IntegrationsStore;
  recordActivity: RecordActivity;
  /** Notes when the newer client secret ends at the provider. */
  setSecretExpiry(trx: Db, integration: Integration, expiresAt: Date | null): Promise<void>;
  origins: Origins;
  /** Integrations that a project may have. */
  integrationsMax: number;
  countConnections(db: Db, integration: Integration): Promise<number>;
  /** Connections and calls of each of the integrations, by id. */
  readNumbers(integrations: readonly Integration[]): Promise<ReadonlyMap<string, IntegrationNumbers>>;
  /** Hides the integration, and has what it holds revoked and erased; in the transaction of the delete. */
  hide(trx: Db, integration: Integration, actor: Principal): Promise<void>;
  /** Begins with that once the transaction has committed, and waits briefly. */
  eraseSoon(integration: Integration): Promise<void>;
  /** Revokes grants that users have authorized and not completed; called before every delete. */
  revokePending(integration: Integration): Promise<void>;
  /** Lets its connections be refreshed at once; called when its client has changed, which may have been refused. */
  endWaiting(trx: Db, integration: Integration): Promise<void>;
};

type IntegrationChange = DistributiveOmit<
  Extract<ProjectChange, { action: `integration.${string}` }>,
  'projectId' | 'subjectId'
>;

/** The integration rows of the management API. */
export function createIntegrationsEndpoints(deps: IntegrationsDependencies): Endpoint[] {
  const { db, providers, access, integrations, origins } = deps;
  const wire = async (integration: Integration) => {
    const { projectId, serviceProvider, grant } = integration;
    return toIntegrationWire(integration, await providers.find(projectId, serviceProvider, grant), origins);
  };

  const find = (principal: Principal, id: string, mode: AccessMode) =>
    access.find(principal, mode, 'integration_not_found', (projectIds) =>
      integrations.find(db, id, projectIds),
    );

  const list = endpoint({
    operationId: 'listIntegrations',
    method: 'get',
    path: '/integrations',
    summary: 'List integrations',
    description:
      'The integrations of the principal’s project (an operator: of every project they are a member of).',
    tag: 'Integrations',
    principals: ['operator', 'api_key', 'end_user'],
    leastRole: 'anyone',
    query: integrationsQuery,
    success: { status: 200, schema: integrationList, description: 'Integrations, newest first' },
    async handler({ principal, query }) {
      const visible = await access.projectsOf(principal);
      const projectIds =
        query.projectId === undefined ? visible : visible.filter((id) => id === query.projectId);
      const rows = await integrations.list(db, {
        projectIds,
        serviceProvider: query.serviceProvider,
        beforeId: decodeCursor(query.cursor),
        limit: query.limit + 1,
      });
      const { items, nextCursor } = cutPage(rows, query.limit);
      const wired = await Promise.all(items.map(wire));
      if (query.include === undefined) return { body: { integrations: wired, nextCursor } };
      if (principal.kind === 'end_user') throw new HttpError('forbidden_principal');
      const numbers = await deps.readNumbers(items);
      const integrationsWithNumbers = wired.map((item) => ({ ...item, numbers: numbers.get(item.id) }));
      return { body: { integrations: integrationsWithNumbers, nextCursor } };
    },
  });

  const create = endpoint({
    operationId: 'createIntegration',
    method: 'post',
    path: '/integrations',
    summary: 'Create an integration',
    description:
      'Configures a provider for a project with the client id, client secret and scopes of the app registered there.',
    tag: 'Integrations',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    body: createIntegrationBody,
    requestExample: {
      serviceProvider: 'hubspot',
      clientId: 'client-id-of-your-app',
      clientSecret: 'client-secret-of-your-app',
      scopes: ['oauth', 'crm.objects.contacts.read'],
    },
    bodyBytesMax: BODY_BYTES_MAX,
    success: { status: 201, schema: integrationSchema, description: 'The integration' },
    errors: [
      'provider_unknown',
      'provider_ended',
      'project_not_found',
      'variable_invalid',
      'grant_unknown',
      'limit_reached',
    ],
    async handler({ principal, body, commitReply }) {
      const projectId = await access.projectToChange(principal, body.projectId);
      const entry = await providers.find(projectId, body.serviceProvider, null);
      if (entry === undefined) throw providers.refusalOf(projectId, body.serviceProvider);
      assertStillThere(entry);
      const provider = chooseGrant(entry, body.grant);
      assertComplete(provider, body);
      assertWebhookScheme(provider, body.settings);
      assertVariables(provider, body.variables);
      assertRequiredVariables(provider, body.variables);
      assertCompatibleVariables(provider, body.variables, body.clientId);
      assertClientCertificate(provider, body.variables, body.variables);
      const variables = splitSecretVariables(provider, tidyFiles(provider, body.variables));
      return commitReply(db, async (trx) => {
        await assertRoom(trx, projectId, {
          table: 'integrations',
          most: deps.integrationsMax,
          noun: 'integrations',
        });
        const created = await integrations.insert(trx, {
          projectId,
          serviceProvider: provider.id,
          grant: provider.grant,
          clientId: body.clientId ?? null,
          clientSecret: body.clientSecret ?? null,
          webhookSecret: body.webhookSecret ?? null,
          scopes: body.scopes ?? [],
          optionalScopes: body.optionalScopes,
          variables: variables.open,
          secretVariables: variables.secret,
          settings: body.settings,
          hasOwnCallback: provider.mcp !== undefined,
          createdBy: actorId(principal),
        });
        if (body.secretExpiresAt) await deps.setSecretExpiry(trx, created, new Date(body.secretExpiresAt));
        await record(trx, created, {
          actor: principal,
          action: 'integration.created',
          details: {
            serviceProvider: provider.id,
            ...(provider.grant !== null && { grant: provider.grant }),
          },
        });
        return {
          body: await wire(created),
          etag: formatEtag(created.version),
          headers: { Location: `${origins.publicUrl}/v1/integrations/${created.id}` },
        };
      }).catch(refuseGoneProvider);
    },
  });

  const get = endpoint({
    operationId: 'getIntegration',
    method: 'get',
    path: '/integrations/{id}',
    summary: 'Read an integration',
    tag: 'Integrations',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    params: integrationParams,
    success: { status: 200, schema: integrationSchema, description: 'The integration' },
    errors: ['integration_not_found'],
    async handler({ principal, params }) {
      const found = await find(principal, params.id, 'read');
      return { body: await wire(found), etag: formatEtag(found.version) };
    },
  });

  const update = endpoint({
    operationId: 'updateIntegration',
    method: 'patch',
    path: '/integrations/{id}',
    summary: 'Change an integration',
    description:
      'A new client or webhook secret takes effect at once; the one before is still tried for seven days. `variables` takes the place of those that were there, less the secret ones, which stay until they are named.',
    tag: 'Integrations',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    params: integrationParams,
    body: updateIntegrationBody,
    requestExample: { clientSecret: 'new-client-secret-of-your-app' },
    bodyBytesMax: BODY_BYTES_MAX,
    success: { status: 200, schema: integrationSchema, description: 'The integration as changed' },
    errors: [
      'integration_not_found',
      'precondition_failed',
      'variable_invalid',
      'grant_unknown',
      'grant_in_use',
    ],
    async handler({ principal, params, body, request }) {
      const current = await find(principal, params.id, 'write');
      assertIfMatch(request, formatEtag(current.version));
      if (Object.keys(body).length === 0)
        return { body: await wire(current), etag: formatEtag(current.version) };
      const provider = await providerAfter(current, body.grant);
      const isOtherGrant = body.grant !== undefined && provider?.grant !== current.grant;
      if (provider !== undefined && isOtherGrant) {
        await assertFitsGrant({ integrations, db }, provider, current, body);
        await deps.revokePending(current);
      }
      if (provider !== undefined && body.settings !== undefined) assertWebhookScheme(provider, body.settings);
      const isReaddressed = body.variables !== undefined || body.clientId !== undefined;
      if (provider !== undefined && isReaddressed) {
        const kept = await integrations.remainingVariables(db, current);
        const variables = { ...kept, ...(body.variables ?? current.variables) };
        if (body.variables !== undefined) {
          assertVariables(provider, body.variables);
          assertRequiredVariables(provider, variables);
          assertClientCertificate(provider, body.variables, variables);
        }
        assertCompatibleVariables(provider, variables, body.clientId ?? current.clientId);
      }
      const variables =
        provider && body.variables && splitSecretVariables(provider, tidyFiles(provider, body.variables));
      const { secretExpiresAt, ...fields } = body;
      const changed = await db.transaction(async (trx) => {
        if (isOtherGrant) await assertGrantUnused(trx, current);
        const isOtherClient = await integrations.changesClient(trx, current, fields);
        const row = await integrations.update(trx, current, {
          ...fields,
          ...(isOtherGrant && {
            grant: provider?.grant ?? null,
            hasOwnCallback: provider?.mcp !== undefined,
          }),
          ...(isOtherGrant && fields.clientId === undefined && dropGatewaysClient(current)),
          ...(variables && { variables: variables.open, secretVariables: variables.secret }),
          updatedBy: actorId(principal),
        });
        if (row !== undefined) {
          if (isOtherClient) await deps.endWaiting(trx, row);
          if (secretExpiresAt !== undefined) {
            await deps.setSecretExpiry(trx, row, secretExpiresAt === null ? null : new Date(secretExpiresAt));
          }
          await record(trx, row, {
            actor: principal,
            action: 'integration.updated',
            details: { fields: Object.keys(body) },
          });
        }
        return row;
      });
      if (changed === undefined) throw new HttpError('precondition_failed');
      return { body: await wire(changed), etag: formatEtag(changed.version) };
    },
  });

  const remove = endpoint({
    operationId: 'deleteIntegration',
    method: 'delete',
    path: '/integrations/{id}',
    summary: 'Delete an integration',
    description:
      'Refused while connections exist; with `force=true` they end at once, and are erased and revoked at the provider in the background.',
    tag: 'Integrations',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    params: integrationParams,
    query: deleteIntegrationQuery,
    success: { status: 204, description: 'Deleted' },
    errors: ['integration_not_found', 'connections_exist', 'precondition_failed'],
    async handler({ principal, params, query, request }) {
      const current = await find(principal, params.id, 'write');
      assertIfMatch(request, formatEtag(current.version));
      await db.transaction(async (trx) => {
        // The row lock keeps a connection from being made between the count and the delete.
        await integrations.lock(trx, current);
        if ((await integrations.find(trx, current.id, [current.projectId])) === undefined) {
          throw new HttpError('integration_not_found');
        }
        if (query.force !== 'true') await assertUnused(trx, current);
        await record(trx, current, {
          actor: principal,
          action: 'integration.deleted',
          details: { serviceProvider: current.serviceProvider },
        });
        await deps.hide(trx, current, principal);
      });
      await deps.eraseSoon(current);
      return {};
    },
  });

  /** The integration's provider as it is for the grant that a change names, or for the present one. */
  async function providerAfter(
    { projectId, serviceProvider, grant }: Integration,
    asked: string | null | undefined,
  ): Promise<Provider | undefined> {
    if (asked === undefined) return providers.find(projectId, serviceProvider, grant);
    const entry = await providers.find(projectId, serviceProvider, null);
    if (entry === undefined) throw providers.refusalOf(projectId, serviceProvider);
    return chooseGrant(entry, asked);
  }

  /** Credentials of one grant are of no use with another. */
  async function assertGrantUnused(trx: Db, integration: Integration): Promise<void> {
    // The row lock keeps a connection from being made between the count and the change.
    await integrations.lock(trx, integration);
    if ((await deps.countConnections(trx, integration)) > 0) throw new HttpError('grant_in_use');
  }

  async function assertUnused(on: Db, integration: Integration): Promise<void> {
    const connections = await deps.countConnections(on, integration);
    if (connections === 0) return;
    throw new HttpError('connections_exist', { detail: `${connections} connections use this integration.` });
  }

  function record(trx: Db, { id, projectId }: Integration, change: IntegrationChange): Promise<void> {
    return deps.recordActivity(trx, { ...change, projectId, subjectId: id });
  }

  return [list, create, get, update, remove];
}

/** A client that the gateway has at one authorization server is of no use at another. */
function dropGatewaysClient({ authorizationServer }: Integration): { readonly clientId?: null } {
  const by = authorizationServer?.client?.by ?? 'operator';
  return by === 'operator' ? {} : { clientId: null };
}

/** The project's own provider was deleted since it was looked up. */
function refuseGoneProvider(error: unknown): never {
  if (isConstraintViolation(error, 'integrations_custom_provider_fkey'))
    throw new HttpError('provider_unknown');
  throw error;
}

/** The UUID that `createdBy` and `updatedBy` show: the operator, or the API key that stood in for one. */
function actorId(principal: Exclude<Principal, { kind: 'end_user' }>): string {
  return principal.kind === 'operator' ? principal.operatorId : principal.apiKeyId;
}
