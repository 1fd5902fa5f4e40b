import { apiQuery } from './queries.ts';

/** Pages of many objects ask whether a file manages theirs. */
const KEPT_MS = 30_000;

/** What files manage in a project, with what was changed by hand since. */
export function configurationQuery(projectId: string) {
  return { ...apiQuery('/projects/{projectId}/configuration', { path: { projectId } }), staleTime: KEPT_MS };
}
