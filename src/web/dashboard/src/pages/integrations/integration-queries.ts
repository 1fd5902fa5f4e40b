import { queryOptions } from '@tanstack/react-query';
import { requestWithEtag, type Tagged } from '../../api/client.ts';
import { apiQuery } from '../../api/queries.ts';
import type { Integration } from './form-values.ts';

const LISTED_MAX = 200;

/** An integration with the ETag that its form sends back. */
export function integrationQuery(id: string) {
  const parts = { path: { id } };
  return queryOptions({
    // Other pages keep the plain answer under the shorter key.
    queryKey: ['/integrations/{id}', parts, 'tagged'],
    queryFn: ({ signal }): Promise<Tagged<Integration>> =>
      requestWithEtag('GET', '/integrations/{id}', { ...parts, signal }),
  });
}

/** Where every page reads how an integration does. */
export function stateQueries(projectId: string) {
  return {
    list: apiQuery('/integrations', { query: { projectId, include: 'numbers', limit: LISTED_MAX } }),
    states: apiQuery('/projects/{projectId}/integration-states', { path: { projectId } }),
  };
}

/** What a change of an integration may have changed on the page. */
export const PATHS_OF_INTEGRATION = [
  '/integrations',
  '/integrations/{id}',
  '/integrations/{id}/secrets',
  '/integrations/{id}/clients',
  '/integrations/{id}/diagnosis',
  '/projects/{projectId}/integration-states',
] as const;
