import { assertIfMatch, formatEtag } from '../../http/conditional.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { readPage } from '../../lib/cursor.ts';
import { findIntegration } from '../integration-endpoints.ts';
import { integrationParams } from '../integrations.schema.ts';
import {
  ABSENT,
  describeClient,
  findClient,
  type OrganizationClientsDependencies,
  recordClientChange,
  replyWith,
  TAG,
} from './organization-client-endpoints.ts';
import {
  organizationClientList,
  organizationClientParams,
  organizationClientSchema,
  organizationClientsQuery,
} from './organization-clients.schema.ts';
import { createOrganizationClient, updateOrganizationClient } from './write-organization-client.router.ts';

/** OAuth clients that organizations have of their own: their connections are made, refreshed and revoked with these. */
export function createOrganizationClientsEndpoints(deps: OrganizationClientsDependencies): Endpoint[] {
  return [
    listClients(deps),
    createOrganizationClient(deps),
    getClient(deps),
    updateOrganizationClient(deps),
    deleteClient(deps),
  ];
}

function listClients(deps: OrganizationClientsDependencies): Endpoint {
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
      return { body: { clients: items.map(describeClient), nextCursor } };
    },
  });
}

function getClient(deps: OrganizationClientsDependencies): Endpoint {
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
      return replyWith((await findClient(deps, principal, params, 'read')).client);
    },
  });
}

function deleteClient(deps: OrganizationClientsDependencies): Endpoint {
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
        await recordClientChange(deps, trx, integration, {
          principal,
          client,
          action: 'integration.client_deleted',
        });
      });
      return {};
    },
  });
}
