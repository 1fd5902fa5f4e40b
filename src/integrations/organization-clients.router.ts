import type { Request } from 'express';
import type { z } from 'zod';
import { assertIfMatch, formatEtag } from '../http/conditional.ts';
import { type CommitReply, type Endpoint, type EndpointReply, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal, PrincipalOf } from '../http/principal.ts';
import { readPage } from '../lib/cursor.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { AccessMode } from '../projects/access.ts';
import { assertRoom } from '../projects/room.store.ts';
import type { Integration } from './integration.ts';
import {
  actorId,
  findIntegration,
  type IntegrationsDependencies,
  recordChange,
} from './integration-endpoints.ts';
import { integrationParams } from './integrations.schema.ts';
import type { OrganizationClient } from './organization-client.ts';
import { judgeOrganizationClient } from './organization-client-rules.ts';
import {
  createOrganizationClientBody,
  type OrganizationClientWire,
  organizationClientList,
  organizationClientParams,
  organizationClientSchema,
  organizationClientsQuery,
  updateOrganizationClientBody,
} from './organization-clients.schema.ts';

/** Of a project; each is a customer's. */
const CLIENTS_MAX = 10_000;
/** Two hundred scopes of the usual length, and variables that hold a key or a certificate. */
const BODY_BYTES_MAX = 128 * 1024;
const TAG = 'Integrations';

type Dependencies = IntegrationsDependencies & {
  organizationId(projectId: string, organization: string): Promise<string>;
};
type Caller = PrincipalOf<['operator', 'api_key']>;

/** OAuth clients that organizations have of their own: their connections are made, refreshed and revoked with these. */
export function createOrganizationClientsEndpoints(deps: Dependencies): Endpoint[] {
  return [listClients(deps), createClient(deps), getClient(deps), updateClient(deps), deleteClient(deps)];
}

const ABSENT = 'organization_client_not_found';

const reply = (client: OrganizationClient) => ({ body: wire(client), etag: formatEtag(client.version) });

type Found = {
  readonly projectId: string;
  readonly integration: Integration;
  readonly client: OrganizationClient;
};

async function findClient(
  { access, integrations, db }: Dependencies,
  principal: Principal,
  { id, clientId }: { readonly id: string; readonly clientId: string },
  mode: AccessMode,
): Promise<Found> {
  const found = await access.find(principal, mode, ABSENT, async (projectIds) => {
    const integration = await integrations.find(db, id, projectIds);
    const client = integration && (await integrations.clients.find(db, integration, clientId));
    return integration && { projectId: integration.projectId, integration, client };
  });
  // Whose role is too low hears that first, whichever client was named.
  if (found.client === undefined) throw new HttpError(ABSENT);
  return { ...found, client: found.client };
}

function listClients(deps: Dependencies): Endpoint {
  return endpoint({
    operationId: 'listOrganizationClients',
    method: 'get',
    path: '/integrations/{id}/clients',
    summary: 'List the OAuth clients of organizations',
    description: 'Without their secrets. One that was replaced or deleted is not among them.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'integrations:read',
    params: integrationParams,
    query: organizationClientsQuery,
    success: { status: 200, schema: organizationClientList, description: 'Clients, newest first' },
    errors: ['integration_not_found'],
    async handler({ principal, params, query }) {
      const integration = await findIntegration(deps, principal, params.id, 'read');
      const { organizationId: organization, ...page } = query;
      const { items, nextCursor } = await readPage(page, (window) =>
        deps.integrations.clients.list(deps.db, integration, { organization, ...window }),
      );
      return { body: { clients: items.map(wire), nextCursor } };
    },
  });
}

function createClient(deps: Dependencies): Endpoint {
  return endpoint({
    operationId: 'createOrganizationClient',
    method: 'post',
    path: '/integrations/{id}/clients',
    summary: 'Give an organization an OAuth client of its own',
    description:
      'What the organization connects from now on is authorized with its own app at the provider, and refreshed and revoked with it for as long as it lives. Connections that it has already stay with the client that made them. Users’ own connections are not concerned.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    params: integrationParams,
    body: createOrganizationClientBody,
    requestExample: {
      organizationId: 'acme',
      clientId: 'client-id-of-their-app',
      clientSecret: 'client-secret-of-their-app',
    },
    bodyBytesMax: BODY_BYTES_MAX,
    success: { status: 201, schema: organizationClientSchema, description: 'The client' },
    errors: ['integration_not_found', 'organization_client_exists', 'variable_invalid', 'limit_reached'],
    handler: (input) => insertClient(deps, input),
  });
}

async function insertClient(
  deps: Dependencies,
  input: {
    readonly principal: Caller;
    readonly params: { readonly id: string };
    readonly body: z.output<typeof createOrganizationClientBody>;
    readonly commitReply: CommitReply;
  },
): Promise<EndpointReply<OrganizationClientWire>> {
  const { principal, params, body } = input;
  const integration = await findIntegration(deps, principal, params.id, 'write');
  const { organizationId: organization, clientSecret = null, ...given } = body;
  const { open, secret } = await judgeOrganizationClient(deps, integration, { ...given, clientSecret });
  const { projectId } = integration;
  const endUserId = await deps.organizationId(projectId, organization);
  return input.commitReply(deps.db, async (trx) => {
    const room = {
      table: 'organization_clients',
      most: CLIENTS_MAX,
      noun: 'clients of organizations',
    } as const;
    await assertRoom(trx, projectId, room);
    const { clientId, scopes } = given;
    const client = await deps.integrations.clients.add(trx, integration, {
      ...{ endUserId, clientId, clientSecret, scopes, by: actorId(principal) },
      ...{ variables: open, secretVariables: secret },
    });
    if (client === undefined) throw new HttpError('organization_client_exists');
    await settle(deps, trx, integration, client);
    await record(deps, trx, integration, { principal, client, action: 'integration.client_created' });
    const address = `${deps.origins.publicUrl}/v1/integrations/${integration.id}/clients/${client.id}`;
    return { ...reply(client), headers: { Location: address } };
  });
}

function getClient(deps: Dependencies): Endpoint {
  return endpoint({
    operationId: 'getOrganizationClient',
    method: 'get',
    path: '/integrations/{id}/clients/{clientId}',
    summary: 'Read the OAuth client of an organization',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'integrations:read',
    params: organizationClientParams,
    success: { status: 200, schema: organizationClientSchema, description: 'The client' },
    errors: [ABSENT],
    async handler({ principal, params }) {
      return reply((await findClient(deps, principal, params, 'read')).client);
    },
  });
}

function updateClient(deps: Dependencies): Endpoint {
  return endpoint({
    operationId: 'updateOrganizationClient',
    method: 'patch',
    path: '/integrations/{id}/clients/{clientId}',
    summary: 'Change the OAuth client of an organization',
    description:
      'Another `clientId`, which needs its `clientSecret`, or other `variables` count for what is authorized from now on: connections that are there go on with the client that made them. A new `clientSecret` alone is the same client’s and counts for them as well; the one before is still tried for seven days. Secret variables stay until they are named.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    params: organizationClientParams,
    body: updateOrganizationClientBody,
    requestExample: { clientSecret: 'new-client-secret-of-their-app' },
    bodyBytesMax: BODY_BYTES_MAX,
    success: { status: 200, schema: organizationClientSchema, description: 'The client as changed' },
    errors: [ABSENT, 'precondition_failed', 'variable_invalid'],
    handler: (input) => applyChange(deps, input),
  });
}

async function applyChange(
  deps: Dependencies,
  input: {
    readonly principal: Caller;
    readonly params: { readonly id: string; readonly clientId: string };
    readonly body: z.output<typeof updateOrganizationClientBody>;
    readonly request: Request;
  },
): Promise<EndpointReply<OrganizationClientWire>> {
  const { principal, params, body, request } = input;
  const { integration, client } = await findClient(deps, principal, params, 'write');
  assertIfMatch(request, formatEtag(client.version));
  if (Object.keys(body).length === 0) return reply(client);
  const { open, secret } = await judgeOrganizationClient(deps, integration, body, client);
  const changed = await deps.db.transaction(async (trx) => {
    const row = await deps.integrations.clients.change(trx, client, {
      ...{ ...body, by: actorId(principal) },
      ...(body.variables !== undefined && { variables: open, secretVariables: secret }),
    });
    if (row === undefined) return undefined;
    await settle(deps, trx, integration, row);
    const fields = Object.keys(body);
    await record(deps, trx, integration, {
      principal,
      client: row,
      action: 'integration.client_updated',
      fields,
    });
    return row;
  });
  if (changed === undefined) throw new HttpError('precondition_failed');
  return reply(changed);
}

function deleteClient(deps: Dependencies): Endpoint {
  return endpoint({
    operationId: 'deleteOrganizationClient',
    method: 'delete',
    path: '/integrations/{id}/clients/{clientId}',
    summary: 'Take the OAuth client of an organization away',
    description:
      'What the organization connects from now on is authorized with the client of the integration. The gateway keeps this one, sealed, for the connections that it made, until the last of them is gone.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    params: organizationClientParams,
    success: { status: 204, description: 'Taken away' },
    errors: [ABSENT, 'precondition_failed'],
    async handler({ principal, params, request }) {
      const { integration, client } = await findClient(deps, principal, params, 'write');
      assertIfMatch(request, formatEtag(client.version));
      await deps.db.transaction(async (trx) => {
        if (!(await deps.integrations.clients.retire(trx, client)))
          throw new HttpError('precondition_failed');
        await record(deps, trx, integration, { principal, client, action: 'integration.client_deleted' });
      });
      return {};
    },
  });
}

/** Connections of that client that waited, since the provider refused it, are refreshed at once. */
function settle(
  deps: Dependencies,
  trx: Db,
  { id, projectId }: Integration,
  { versionId }: OrganizationClient,
): Promise<void> {
  return deps.endWaiting(trx, { id, projectId, organizationClientId: versionId });
}

function record(
  deps: Dependencies,
  trx: Db,
  integration: Integration,
  change: {
    readonly principal: Caller;
    readonly client: OrganizationClient;
    readonly action:
      | 'integration.client_created'
      | 'integration.client_updated'
      | 'integration.client_deleted';
    readonly fields?: readonly string[];
  },
): Promise<void> {
  const { principal: actor, client, action, fields = [] } = change;
  const details = { integrationUserId: client.endUserId, organizationClientId: client.id, fields };
  return recordChange(deps, trx, integration, { actor, action, details });
}

function wire(client: OrganizationClient): OrganizationClientWire {
  const { id, integrationId, organization: organizationId, clientId, hasSecret, variables, scopes } = client;
  return {
    ...{ id, integrationId, organizationId, clientId, hasSecret, variables, scopes },
    lastWorkedAt: client.workedAt?.toISOString() ?? null,
    lastRefusedAt: client.refusedAt?.toISOString() ?? null,
    createdAt: client.createdAt.toISOString(),
    updatedAt: client.updatedAt.toISOString(),
  };
}
