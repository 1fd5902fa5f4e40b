import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { readPage } from '../lib/cursor.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import { callList, callParams, callSchema, callsQuery, callWire } from './calls.schema.ts';
import { listCalls } from './recent-calls.store.ts';
import { projectParams } from './stats.schema.ts';

/** The proxied calls of a project that are kept. */
export function createCallsEndpoints({ db, access }: { db: Db; access: Access }): Endpoint[] {
  const list = endpoint({
    operationId: 'listCalls',
    method: 'get',
    path: '/projects/{projectId}/calls',
    summary: 'List recent proxied calls',
    description:
      'Failures, slow calls and a sample of the others, kept for some days. Never a query, a body or a header value.',
    tag: 'Calls',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'activity:read',
    params: projectParams,
    query: callsQuery,
    success: { status: 200, schema: callList, description: 'Calls, newest first' },
    errors: ['project_not_found'],
    async handler({ principal, params, query }) {
      await access.requireProjectAccess(principal, params.projectId, 'read');
      const { status, userId, organizationId, tag, limit, cursor, ...rest } = query;
      const filter = {
        ...rest,
        projectId: params.projectId,
        subject: userId,
        organization: organizationId,
        tags: tag,
        ...(status?.endsWith('xx')
          ? { statusClass: Number(status[0]) }
          : { status: status === undefined ? undefined : Number(status) }),
      };
      const { items, nextCursor } = await readPage({ cursor, limit }, async (window) => {
        const rows = await listCalls(db, { ...filter, ...window });
        return rows.map((call) => ({ ...call, id: call.requestId }));
      });
      return { body: { calls: items.map(callWire), nextCursor } };
    },
  });

  const get = endpoint({
    operationId: 'getCall',
    method: 'get',
    path: '/projects/{projectId}/calls/{requestId}',
    summary: 'Read a proxied call by its request id',
    tag: 'Calls',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'activity:read',
    params: callParams,
    success: { status: 200, schema: callSchema, description: 'The call' },
    errors: ['call_not_found', 'project_not_found'],
    async handler({ principal, params }) {
      const { projectId, requestId } = params;
      await access.requireProjectAccess(principal, projectId, 'read');
      const [found] = await listCalls(db, { projectId, requestId, limit: 1 });
      if (found === undefined) throw new HttpError('call_not_found');
      return { body: callWire(found) };
    },
  });

  return [list, get];
}
