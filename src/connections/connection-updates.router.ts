import type { RecordActivity } from '../activity/record.ts';
import { assertIfMatch, formatEtag } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { mergePatch } from '../lib/merge-patch.ts';
import { patchTags, TAGS_MAX, type Tags } from '../lib/tags.schema.ts';
import { factsOfTenant, isOnTenant } from '../oauth/tenants.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { AccessMode } from '../projects/access.ts';
import type { Connection } from './connection.ts';
import type { ReachTenants } from './connection-tenants.ts';
import {
  type ConnectionWire,
  connectionParams,
  connectionSchema,
  type MetadataPatch,
  mergedMetadata,
  tenantList,
  updateConnectionBody,
} from './connections.schema.ts';
import type { ConnectionsStore, ConnectionUpdate } from './connections.store.ts';
import { assertOwnTags } from './own-tags.ts';

type ConnectionUpdatesDependencies = {
  db: Db;
  connections: ConnectionsStore;
  recordActivity: RecordActivity;
  reachTenants: ReachTenants;
  /** Has polls of the connection begin again, in the transaction that moves it. */
  restartPolls(trx: Db, connectionId: string): Promise<void>;
  find(principal: Principal, id: string, mode: AccessMode): Promise<Connection>;
  wire(connection: Connection): Promise<ConnectionWire>;
  /** Claims of user tokens that the project makes tags of. */
  findTagClaims(projectId: string): Promise<readonly string[]>;
};

/** What an application changes of a connection: its metadata, and on which tenant it is. */
export function createConnectionUpdatesEndpoints(deps: ConnectionUpdatesDependencies): Endpoint[] {
  return [createListTenants(deps), createUpdateConnection(deps)];
}

function createListTenants(deps: ConnectionUpdatesDependencies): Endpoint {
  return endpoint({
    operationId: 'listConnectionTenants',
    method: 'get',
    path: '/connections/{id}/tenants',
    summary: 'List the tenants that a connection may be moved to',
    description:
      'The sites, organizations or accounts that the grant reaches, as the provider lists them now. For providers whose entry in the catalog has `tenants`.',
    tag: 'Connections',
    principals: ['end_user', 'operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'connections:read',
    params: connectionParams,
    success: { status: 200, schema: tenantList, description: 'The tenants, in the order of the provider' },
    errors: [
      'connection_not_found',
      'tenants_unsupported',
      'tenants_unavailable',
      'reauthorization_required',
      'project_frozen',
      'rate_limited',
    ],
    async handler({ principal, params }) {
      const current = await deps.find(principal, params.id, 'read');
      const { provider, tenants, isComplete } = await deps.reachTenants(current);
      const listed = tenants.map((tenant) => ({
        id: tenant.id,
        name: tenant.name,
        detail: tenant.detail,
        isCurrent: isOnTenant(current, tenant, provider),
      }));
      return { body: { tenants: listed, isComplete } };
    },
  });
}

function createUpdateConnection(deps: ConnectionUpdatesDependencies): Endpoint {
  return endpoint({
    operationId: 'updateConnection',
    method: 'patch',
    path: '/connections/{id}',
    summary: 'Change a connection’s metadata, tags or tenant',
    description:
      '`customMetadata` is merged as a JSON Merge Patch (RFC 7396); the result may have 16 KiB; so are `tags`, of which there are 20 at most. `tenantId` is one that `GET /v1/connections/{id}/tenants` lists: calls go there from now on, and polls begin again with its records.',
    tag: 'Connections',
    principals: ['end_user', 'operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'connections:write',
    params: connectionParams,
    body: updateConnectionBody,
    requestExample: { customMetadata: { plan: 'pro', trial: null } },
    success: { status: 200, schema: connectionSchema, description: 'The connection as changed' },
    errors: [
      'connection_not_found',
      'organization_role_missing',
      'precondition_failed',
      'tenant_unknown',
      'tenants_unsupported',
      'tenants_unavailable',
      'reauthorization_required',
      'project_frozen',
      'rate_limited',
    ],
    async handler({ principal, params, body, request }) {
      const current = await deps.find(principal, params.id, 'write');
      assertIfMatch(request, formatEtag(current.version));
      if (body.tags !== undefined)
        assertOwnTags(principal, body.tags, await deps.findTagClaims(current.projectId));
      const change: ConnectionUpdate = {
        customMetadata: body.customMetadata && mergeMetadata(current, body.customMetadata),
        tags: body.tags && mergeTags(current, body.tags),
        tenant:
          body.tenantId === undefined ? undefined : await findTenantChange(deps, current, body.tenantId),
      };
      if (Object.values(change).some((one) => one !== undefined)) {
        await applyChange(deps, current, change, principal);
      }
      const after = await deps.find(principal, params.id, 'read');
      return { body: await deps.wire(after), etag: formatEtag(after.version) };
    },
  });
}

/** The facts of the tenant; undefined where the connection is on it already. */
async function findTenantChange(
  { reachTenants }: ConnectionUpdatesDependencies,
  current: Connection,
  tenantId: string,
): Promise<ConnectionUpdate['tenant']> {
  const { provider, tenants } = await reachTenants(current);
  const wanted = tenants.find(({ id }) => id === tenantId);
  if (wanted === undefined) throw new HttpError('tenant_unknown');
  const facts = factsOfTenant(provider, wanted, current);
  const isSame = current.tenantId === wanted.id && isOnTenant(current, wanted, provider);
  if (isSame && current.tenantName === wanted.name) return undefined;
  const ofTenants = provider.variables.filter(({ from }) => from === 'tenant').map(({ name }) => name);
  return { ...facts, replaces: ofTenants };
}

async function applyChange(
  deps: ConnectionUpdatesDependencies,
  current: Connection,
  change: ConnectionUpdate,
  actor: Principal,
): Promise<void> {
  await deps.db.transaction(async (trx) => {
    const isChanged = await deps.connections.update(trx, current, change);
    if (!isChanged) throw new HttpError('precondition_failed');
    const { projectId, id: subjectId, integrationId, endUserId: integrationUserId } = current;
    const annotated = (['customMetadata', 'tags'] as const).filter((field) => change[field] !== undefined);
    if (annotated.length > 0) {
      const details = { fields: annotated, integrationId, integrationUserId };
      const action = 'connection.annotated';
      await deps.recordActivity(trx, { projectId, actor, action, subjectId, details });
    }
    if (change.tenant === undefined) return;
    await deps.restartPolls(trx, subjectId);
    await deps.recordActivity(trx, {
      projectId,
      actor,
      action: 'connection.updated',
      subjectId,
      details: {
        fields: ['tenantId'],
        integrationId,
        integrationUserId,
        tenantId: change.tenant.tenantId,
        tenantName: change.tenant.tenantName,
        previousTenantId: current.tenantId,
      },
    });
  });
}

function mergeTags(current: Connection, patch: Readonly<Record<string, string | null>>): Tags {
  const merged = patchTags(current.tags, patch);
  if (merged !== undefined) return merged;
  const message = `A connection has ${TAGS_MAX} tags at most`;
  throw new HttpError('invalid_request', { errors: [{ path: 'body.tags', message }] });
}

function mergeMetadata(current: Connection, patch: MetadataPatch): Record<string, unknown> {
  const merged = mergedMetadata.safeParse(mergePatch(current.customMetadata, patch));
  if (merged.success) return merged.data;
  throw new HttpError('invalid_request', {
    errors: merged.error.issues.map(({ message }) => ({ path: 'body.customMetadata', message })),
  });
}
