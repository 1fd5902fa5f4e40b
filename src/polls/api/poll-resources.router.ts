import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Access } from '../../projects/access.ts';
import type { NamedProviders } from '../../providers/custom-providers.ts';
import { toResourceWire } from './poll-wire.ts';
import { pollResourceList, pollResourceParams, pollResourceQuery } from './polls.schema.ts';

/** What of a provider can be polled without describing it. */
export function createPollResourcesEndpoint(deps: { access: Access; providers: NamedProviders }): Endpoint {
  return endpoint({
    operationId: 'listPollResources',
    method: 'get',
    path: '/providers/{provider}/poll-resources',
    summary: 'List what can be polled',
    description:
      'Kinds of records that the catalog describes; `custom` of a poll takes others, in the same shape.',
    tag: 'Polls',
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'none',
    params: pollResourceParams,
    query: pollResourceQuery,
    success: { status: 200, schema: pollResourceList, description: 'The resources, by name' },
    errors: ['provider_unknown'],
    async handler({ principal, params, query }) {
      const visible = await deps.access.projectsOf(principal);
      const projectIds =
        query.projectId === undefined
          ? visible
          : visible.filter((id) => id === query.projectId?.toLowerCase());
      for (const projectId of projectIds) {
        const provider = await deps.providers.find(projectId, params.provider, null);
        if (provider === undefined) continue;
        const resources = Object.entries(provider.polls).map(([name, resource]) =>
          toResourceWire(name, resource),
        );
        return { body: { resources } };
      }
      const [projectId] = visible;
      throw projectId === undefined
        ? new HttpError('provider_unknown')
        : deps.providers.refusalOf(projectId, params.provider);
    },
  });
}
