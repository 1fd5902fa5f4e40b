import { type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import { projectParams, statsQuery, statsSchema } from './stats.schema.ts';
import { readStats } from './stats.ts';

/** The numbers of a project's proxied calls. */
export function createStatsEndpoints(deps: { db: Db; access: Access; now(): number }): Endpoint[] {
  const get = endpoint({
    operationId: 'getStats',
    method: 'get',
    path: '/projects/{projectId}/stats',
    summary: 'Read the numbers of proxied calls',
    description:
      'Calls, errors by origin and percentiles over time. They are counted in memory and stored every few seconds: what a process counted last is missing until then.',
    tag: 'Calls',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'activity:read',
    params: projectParams,
    query: statsQuery,
    success: { status: 200, schema: statsSchema, description: 'Series, the one with the most calls first' },
    errors: ['project_not_found'],
    async handler({ principal, params, query }) {
      await deps.access.requireProjectAccess(principal, params.projectId, 'read');
      return { body: await readStats(deps.db, params.projectId, query, deps.now()) };
    },
  });
  return [get];
}
