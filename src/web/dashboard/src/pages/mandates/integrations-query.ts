import { apiQuery } from '../../api/queries.ts';

/** The project's integrations: mandates name their providers. */
export function integrationsQuery(projectId: string) {
  return { ...apiQuery('/integrations', { query: { projectId, limit: 200 } }), staleTime: 60_000 };
}
