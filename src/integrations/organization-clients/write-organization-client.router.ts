import type { Request } from 'express';
import type { z } from 'zod';
import { assertIfMatch, formatEtag } from '../../http/conditional.ts';
import { type CommitReply, type Endpoint, type EndpointReply, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { assertRoom } from '../../projects/room.store.ts';
import type { Integration } from '../integration.ts';
import { actorId, findIntegration } from '../integration-endpoints.ts';
import { integrationParams } from '../integrations.schema.ts';
import type { OrganizationClient } from './organization-client.ts';
import {
  ABSENT,
  type Caller,
  findClient,
  type OrganizationClientsDependencies,
  recordClientChange,
  replyWith,
  TAG,
} from './organization-client-endpoints.ts';
import { judgeOrganizationClient } from './organization-client-rules.ts';
import {
  createOrganizationClientBody,
  type OrganizationClientWire,
  organizationClientParams,
  organizationClientSchema,
  updateOrganizationClientBody,
} from './organization-clients.schema.ts';

/** Of a project; each is a customer's. */
const CLIENTS_MAX = 10_000;
/** Two hundred scopes of the usual length, and variables that hold a key or a certificate. */
const BODY_BYTES_MAX = 128 * 1024;

export function createOrganizationClient(deps: OrganizationClientsDependencies): Endpoint {
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
  deps: OrganizationClientsDependencies,
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
    await recordClientChange(deps, trx, integration, {
      principal,
      client,
      action: 'integration.client_created',
    });
    const address = `${deps.origins.publicUrl}/v1/integrations/${integration.id}/clients/${client.id}`;
    return { ...replyWith(client), headers: { Location: address } };
  });
}

export function updateOrganizationClient(deps: OrganizationClientsDependencies): Endpoint {
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
  deps: OrganizationClientsDependencies,
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
  if (Object.keys(body).length === 0) return replyWith(client);
  const { open, secret } = await judgeOrganizationClient(deps, integration, body, client);
  const changed = await deps.db.transaction(async (trx) => {
    const row = await deps.integrations.clients.change(trx, client, {
      ...{ ...body, by: actorId(principal) },
      ...(body.variables !== undefined && { variables: open, secretVariables: secret }),
    });
    if (row === undefined) return undefined;
    await settle(deps, trx, integration, row);
    const fields = Object.keys(body);
    await recordClientChange(deps, trx, integration, {
      principal,
      client: row,
      action: 'integration.client_updated',
      fields,
    });
    return row;
  });
  if (changed === undefined) throw new HttpError('precondition_failed');
  return replyWith(changed);
}

/** Connections of that client that waited, since the provider refused it, are refreshed at once. */
function settle(
  deps: OrganizationClientsDependencies,
  trx: Db,
  { id, projectId }: Integration,
  { versionId }: OrganizationClient,
): Promise<void> {
  return deps.endWaiting(trx, { id, projectId, organizationClientId: versionId });
}
