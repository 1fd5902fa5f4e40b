import type { DistributiveOmit, ProjectChange } from '../../activity/actions.ts';
import type { RecordActivity } from '../../activity/record.ts';
import { assertIfMatch, formatEtag } from '../../http/conditional.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { readPage } from '../../lib/cursor.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access } from '../../projects/access.ts';
import { projectParams } from '../../projects/projects.schema.ts';
import { assertRoom } from '../../projects/room.store.ts';
import {
  apiKeyList,
  apiKeyParams,
  apiKeySchema,
  apiKeysQuery,
  createApiKeyBody,
  newApiKeySchema,
  rotateApiKeyBody,
  toApiKeyWire,
  toNewApiKeyWire,
  updateApiKeyBody,
} from './api-keys.schema.ts';
import type { ApiKey, ApiKeyLimits, ApiKeysStore } from './api-keys.store.ts';

type ApiKeysDependencies = {
  db: Db;
  access: Access;
  apiKeys: ApiKeysStore;
  recordActivity: RecordActivity;
  tenancy: { readonly apiKeysPerProjectMax: number };
};

type ApiKeyChange = DistributiveOmit<
  Extract<ProjectChange, { action: `api_key.${string}` }>,
  'projectId' | 'subjectId'
>;

const TAG = 'Projects';

/** Keys of the application's backend. Operators only: a leaked key must not be able to create further keys. */
export function createApiKeysEndpoints(deps: ApiKeysDependencies): Endpoint[] {
  return [
    listApiKeys(deps),
    createApiKey(deps),
    rotateApiKey(deps),
    getApiKey(deps),
    updateApiKey(deps),
    revokeApiKey(deps),
  ];
}

function listApiKeys({ access, apiKeys }: ApiKeysDependencies): Endpoint {
  return endpoint({
    operationId: 'listApiKeys',
    method: 'get',
    path: '/projects/{projectId}/api-keys',
    summary: 'List the API keys of a project',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'viewer',
    params: projectParams,
    query: apiKeysQuery,
    success: { status: 200, schema: apiKeyList, description: 'Keys that are not revoked, newest first' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId }, query }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const { items, nextCursor } = await readPage(query, (window) => apiKeys.list({ projectId, ...window }));
      return { body: { apiKeys: items.map(toApiKeyWire), nextCursor } };
    },
  });
}

function createApiKey({ access, db, tenancy, apiKeys, recordActivity }: ApiKeysDependencies): Endpoint {
  return endpoint({
    operationId: 'createApiKey',
    method: 'post',
    path: '/projects/{projectId}/api-keys',
    summary: 'Create an API key',
    description:
      'Without `scopes` it may do everything, without `allowedAddresses` from anywhere, and without `expiresAt` it works until it is revoked.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'admin',
    params: projectParams,
    body: createApiKeyBody,
    requestExample: {
      name: 'Backend',
      scopes: ['users:tokens', 'connect', 'connections:read', 'events:read'],
      allowedAddresses: ['192.0.2.0/24', '2001:db8::/48'],
    },
    success: { status: 201, schema: newApiKeySchema, description: 'The key, shown this once' },
    errors: ['project_not_found', 'limit_reached'],
    async handler({ principal, params: { projectId }, body, commitReply }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      return commitReply(db, async (trx) => {
        const most = tenancy.apiKeysPerProjectMax;
        await assertRoom(trx, projectId, { table: 'api_keys', most, noun: 'API keys' });
        const created = await apiKeys.insert(trx, {
          projectId,
          name: body.name,
          createdBy: principal.operatorId,
          expiresAt: parseDate(body.expiresAt),
          scopes: body.scopes,
          allowedAddresses: body.allowedAddresses ?? null,
        });
        const details = describeLimits(created.apiKey);
        await recordActivity(
          trx,
          describeChange(created.apiKey, { actor: principal, action: 'api_key.created', details }),
        );
        return { body: toNewApiKeyWire(created), etag: formatEtag(created.apiKey.version) };
      });
    },
  });
}

function getApiKey({ access, apiKeys }: ApiKeysDependencies): Endpoint {
  return endpoint({
    operationId: 'getApiKey',
    method: 'get',
    path: '/projects/{projectId}/api-keys/{id}',
    summary: 'Read an API key',
    description: 'What is known of it; the key itself is not kept.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'viewer',
    params: apiKeyParams,
    success: { status: 200, schema: apiKeySchema, description: 'The key' },
    errors: ['not_found', 'project_not_found'],
    async handler({ principal, params: { projectId, id } }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const found = await apiKeys.find(projectId, id);
      if (found === undefined) throw new HttpError('not_found');
      return { body: toApiKeyWire(found), etag: formatEtag(found.version) };
    },
  });
}

function updateApiKey({ access, db, apiKeys, recordActivity }: ApiKeysDependencies): Endpoint {
  return endpoint({
    operationId: 'updateApiKey',
    method: 'patch',
    path: '/projects/{projectId}/api-keys/{id}',
    summary: 'Change what an API key may do',
    description: 'Counts from the key’s next request, on every replica. The audit log has what was before.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'admin',
    params: apiKeyParams,
    body: updateApiKeyBody,
    requestExample: { scopes: ['events:read'], allowedAddresses: null },
    success: { status: 200, schema: apiKeySchema, description: 'The key as changed' },
    errors: ['not_found', 'project_not_found', 'precondition_failed'],
    async handler({ principal, params: { projectId, id }, body, request }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      return db.transaction(async (trx) => {
        const old = await apiKeys.lockLive(trx, projectId, id);
        if (old === undefined) throw new HttpError('not_found');
        assertIfMatch(request, formatEtag(old.version));
        const key = await apiKeys.update(trx, old, body);
        const details = { ...describeLimits(key), fields: Object.keys(body), previous: describeLimits(old) };
        await recordActivity(
          trx,
          describeChange(key, { actor: principal, action: 'api_key.updated', details }),
        );
        return { body: toApiKeyWire(key), etag: formatEtag(key.version) };
      });
    },
  });
}

function rotateApiKey({ access, db, apiKeys, recordActivity }: ApiKeysDependencies): Endpoint {
  return endpoint({
    operationId: 'rotateApiKey',
    method: 'post',
    path: '/projects/{projectId}/api-keys/{id}/rotate',
    summary: 'Rotate an API key',
    description:
      'Makes a new key of the same name, scopes, addresses and length of life; the old one goes on for `overlapSeconds`, a day when left out.',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'admin',
    params: apiKeyParams,
    body: rotateApiKeyBody,
    requestExample: { overlapSeconds: 86_400 },
    success: { status: 201, schema: newApiKeySchema, description: 'The new key, shown this once' },
    errors: ['not_found', 'project_not_found'],
    async handler({ principal, params: { projectId, id }, body, commitReply }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      return commitReply(db, async (trx) => {
        const old = await apiKeys.lockLive(trx, projectId, id);
        if (old === undefined) throw new HttpError('not_found');
        const created = await apiKeys.insert(trx, {
          projectId,
          name: old.name,
          createdBy: principal.operatorId,
          expiresAt: body.expiresAt === undefined ? endAsLongAfterNow(old) : parseDate(body.expiresAt),
          lineageId: old.lineageId,
          scopes: old.scopes,
          allowedAddresses: old.allowedAddresses,
        });
        const { overlapSeconds } = body;
        if (overlapSeconds === 0) await apiKeys.revoke(trx, projectId, id);
        else await apiKeys.endIn(trx, old, overlapSeconds);
        const newApiKeyId = created.apiKey.id;
        const details = { name: old.name, newApiKeyId, overlapSeconds };
        await recordActivity(
          trx,
          describeChange(old, { actor: principal, action: 'api_key.rotated', details }),
        );
        return { body: toNewApiKeyWire(created), headers: { Location: `../${newApiKeyId}` } };
      });
    },
  });
}

function revokeApiKey({ access, db, apiKeys, recordActivity }: ApiKeysDependencies): Endpoint {
  return endpoint({
    operationId: 'revokeApiKey',
    method: 'delete',
    path: '/projects/{projectId}/api-keys/{id}',
    summary: 'Revoke an API key',
    tag: TAG,
    principals: ['operator'],
    leastRole: 'admin',
    params: apiKeyParams,
    success: { status: 204, description: 'Revoked, at once' },
    errors: ['not_found', 'project_not_found', 'precondition_failed'],
    async handler({ principal, params: { projectId, id }, request }) {
      await access.requireProjectAccess(principal, projectId, 'write');
      await db.transaction(async (trx) => {
        const current = await apiKeys.lockLive(trx, projectId, id);
        if (current !== undefined) assertIfMatch(request, formatEtag(current.version));
        const revoked = await apiKeys.revoke(trx, projectId, id);
        if (revoked === undefined) throw new HttpError('not_found');
        const details = { name: revoked.name };
        await recordActivity(
          trx,
          describeChange(revoked, { actor: principal, action: 'api_key.revoked', details }),
        );
      });
      return {};
    },
  });
}

function describeLimits({
  name,
  scopes,
  allowedAddresses,
}: ApiKey): ApiKeyLimits & { readonly name: string } {
  return { name, scopes, allowedAddresses };
}

function describeChange({ id, projectId }: ApiKey, change: ApiKeyChange): ProjectChange {
  return { ...change, projectId, subjectId: id };
}

function parseDate(text: string | null | undefined): Date | null {
  return text === undefined || text === null ? null : new Date(text);
}

function endAsLongAfterNow({ lifetimeSeconds }: ApiKey): Date | null {
  return lifetimeSeconds === null ? null : new Date(Date.now() + lifetimeSeconds * 1000);
}
