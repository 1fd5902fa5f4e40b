import { type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Access } from '../projects/access.ts';
import { projectParams } from './diagnosis.schema.ts';
import { overviewSchema } from './overview.schema.ts';
import type { ReadOverview } from './overview.ts';

/** `GET /projects/{projectId}/overview`: what a project's first page shows, in one reply. */
export function createOverviewEndpoint(deps: {
  readonly access: Pick<Access, 'requireProjectAccess'>;
  readonly readOverview: ReadOverview;
}): Endpoint {
  return endpoint({
    operationId: 'showProjectOverview',
    method: 'get',
    path: '/projects/{projectId}/overview',
    summary: 'What in a project needs a person',
    description:
      'How its integrations do, secrets that end, destinations that take nothing, and how far it is on its way to the first call. From what is known: no provider is asked.',
    tag: 'Diagnosis',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: ['integrations:read', 'events:read'],
    params: projectParams,
    success: { status: 200, schema: overviewSchema, description: 'The overview' },
    errors: ['project_not_found'],
    async handler({ principal, params }) {
      await deps.access.requireProjectAccess(principal, params.projectId, 'read');
      return { body: await deps.readOverview(params.projectId.toLowerCase(), principal) };
    },
  });
}
