import { queryOptions } from '@tanstack/react-query';
import { requestWithEtag, type Tagged } from '../../api/client.ts';
import type { Integration } from './form-values.ts';

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

/** What a change of an integration may have changed on the page. */
export const PATHS_OF_INTEGRATION = [
  '/integrations',
  '/integrations/{id}',
  '/integrations/{id}/secrets',
  '/integrations/{id}/clients',
  '/integrations/{id}/diagnosis',
  '/projects/{projectId}/integration-states',
] as const;
