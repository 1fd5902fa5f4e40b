import type { QueryClient } from '@tanstack/react-query';
import { catalogQuery, ownProvidersQuery } from '../../api/catalog.ts';
import { apiQuery } from '../../api/queries.ts';

const INTEGRATIONS_MAX = 200;

/** What the catalog shows: all providers, the project's own, and those that projects of the operator use. */
export function catalogQueries(projectId: string) {
  return {
    catalog: catalogQuery,
    own: ownProvidersQuery(projectId),
    used: apiQuery('/integrations', { query: { limit: INTEGRATIONS_MAX } }),
  };
}

/** Asks for them while the page's script is on its way. What fails, the page asks for again. */
export function prefetchCatalog(client: QueryClient, projectId: string): void {
  const { catalog, own, used } = catalogQueries(projectId);
  void client.prefetchQuery(catalog);
  void client.prefetchQuery(own);
  void client.prefetchQuery(used);
}
