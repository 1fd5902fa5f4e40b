import { assertIfMatch, formatEtag } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { readPage } from '../lib/cursor.ts';
import type { Db } from '../platform/postgres/database.ts';
import { createIntegration } from './create-integration.router.ts';
import type { Integration } from './integration.ts';
import {
  describeIntegration,
  findIntegration,
  type IntegrationsDependencies,
  recordChange,
  replyWith,
} from './integration-endpoints.ts';
import {
  deleteIntegrationQuery,
  integrationList,
  integrationParams,
  integrationSchema,
  integrationsQuery,
} from './integrations.schema.ts';
import { updateIntegration } from './update-integration.router.ts';

/** The integration rows of the management API. */
export function createIntegrationsEndpoints(deps: IntegrationsDependencies): Endpoint[] {
  return [
    listIntegrations(deps),
    createIntegration(deps),
    getIntegration(deps),
    updateIntegration(deps),
    deleteIntegration(deps),
  ];
}

function listIntegrations(deps: IntegrationsDependencies): Endpoint {
  const { access, integrations, db } = deps;
  return endpoint({
    operationId: 'listIntegrations',
    method: 'get',
    path: '/integrations',
    summary: 'List integrations',
    description:
      'The integrations of the principal’s project (an operator: of every project they are a member of).',
    tag: 'Integrations',
    principals: ['operator', 'api_key', 'end_user'],
    leastRole: 'anyone',
    keyScope: 'integrations:read',
    query: integrationsQuery,
    success: { status: 200, schema: integrationList, description: 'Integrations, newest first' },
    async handler({ principal, query }) {
      const visible = await access.projectsOf(principal);
      const projectIds =
        query.projectId === undefined ? visible : visible.filter((id) => id === query.projectId);
      const filter = { projectIds, serviceProvider: query.serviceProvider };
      const { items, nextCursor } = await readPage(query, (window) =>
        integrations.list(db, { ...filter, ...window }),
      );
      const wired = await Promise.all(items.map((item) => describeIntegration(deps, item)));
      if (query.include === undefined) return { body: { integrations: wired, nextCursor } };
      if (principal.kind === 'end_user') throw new HttpError('forbidden_principal');
      const numbers = await deps.readNumbers(items);
      const integrationsWithNumbers = wired.map((item) => ({ ...item, numbers: numbers.get(item.id) }));
      return { body: { integrations: integrationsWithNumbers, nextCursor } };
    },
  });
}

function getIntegration(deps: IntegrationsDependencies): Endpoint {
  return endpoint({
    operationId: 'getIntegration',
    method: 'get',
    path: '/integrations/{id}',
    summary: 'Read an integration',
    tag: 'Integrations',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'integrations:read',
    params: integrationParams,
    success: { status: 200, schema: integrationSchema, description: 'The integration' },
    errors: ['integration_not_found'],
    async handler({ principal, params }) {
      return replyWith(deps, await findIntegration(deps, principal, params.id, 'read'));
    },
  });
}

function deleteIntegration(deps: IntegrationsDependencies): Endpoint {
  const { db, integrations } = deps;
  return endpoint({
    operationId: 'deleteIntegration',
    method: 'delete',
    path: '/integrations/{id}',
    summary: 'Delete an integration',
    description:
      'Refused while connections exist; with `force=true` they end at once, and are erased and revoked at the provider in the background.',
    tag: 'Integrations',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    params: integrationParams,
    query: deleteIntegrationQuery,
    success: { status: 204, description: 'Deleted' },
    errors: ['integration_not_found', 'connections_exist', 'precondition_failed'],
    async handler({ principal, params, query, request }) {
      const current = await findIntegration(deps, principal, params.id, 'write');
      assertIfMatch(request, formatEtag(current.version));
      await db.transaction(async (trx) => {
        // The row lock keeps a connection from being made between the count and the delete.
        await integrations.lock(trx, current);
        const locked = await integrations.find(trx, current.id, [current.projectId]);
        if (locked === undefined) throw new HttpError('integration_not_found');
        assertIfMatch(request, formatEtag(locked.version));
        if (query.force !== 'true') await assertUnused(deps, trx, current);
        await recordChange(deps, trx, current, {
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
}

async function assertUnused(
  { countConnections }: IntegrationsDependencies,
  on: Db,
  integration: Integration,
): Promise<void> {
  const connections = await countConnections(on, integration);
  if (connections === 0) return;
  throw new HttpError('connections_exist', { detail: `${connections} connections use this integration.` });
}
