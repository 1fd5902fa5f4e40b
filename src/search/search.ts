import { findMissingScopes, type KeyScope } from '../http/key-scopes.ts';
import { isUuid } from '../lib/ids.ts';

const RESULTS_MAX = 20;
/** Of one kind, so that no kind hides the others. */
const OF_A_KIND_MAX = 5;

export const RESULT_KINDS = [
  ...(['request', 'connection', 'user', 'integration', 'provider', 'project'] as const),
] as const;

export type SearchResult = {
  readonly kind: (typeof RESULT_KINDS)[number];
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  /** Null for a provider of the catalog. */
  readonly projectId: string | null;
};

/** How things of each kind are found in these projects; every function answers at most `limit`. */
export type SearchSources = {
  findRequests(projectIds: readonly string[], requestId: string): Promise<SearchResult[]>;
  findConnections(projectIds: readonly string[], text: string, limit: number): Promise<SearchResult[]>;
  findUsers(projectIds: readonly string[], text: string, limit: number): Promise<SearchResult[]>;
  findIntegrations(projectIds: readonly string[], text: string, limit: number): Promise<SearchResult[]>;
  findProjects(projectIds: readonly string[], text: string, limit: number): Promise<SearchResult[]>;
  findProviders(text: string, limit: number): Promise<SearchResult[]>;
};

/**
 * What is found by the text: by ids, by beginnings of names, and for providers and projects by any part of the name. An API
 * key finds what its scopes let it read.
 */
export async function search(
  sources: SearchSources,
  projectIds: readonly string[],
  text: string,
  scopes: readonly string[],
): Promise<SearchResult[]> {
  if (projectIds.length === 0) return sources.findProviders(text, OF_A_KIND_MAX);
  const most = OF_A_KIND_MAX;
  const steps: readonly (readonly [KeyScope | undefined, () => Promise<SearchResult[]>])[] = [
    ['activity:read', async () => (isUuid(text) ? sources.findRequests(projectIds, text) : [])],
    ['connections:read', () => sources.findConnections(projectIds, text, most)],
    ['connections:read', () => sources.findUsers(projectIds, text, most)],
    ['integrations:read', () => sources.findIntegrations(projectIds, text, most)],
    [undefined, () => sources.findProviders(text, most)],
    ['projects:read', () => sources.findProjects(projectIds, text, most)],
  ];
  const found: SearchResult[] = [];
  for (const [scope, find] of steps) {
    if (scope !== undefined && findMissingScopes(scopes, [scope]).length > 0) continue;
    found.push(...(await find()));
  }
  return found.slice(0, RESULTS_MAX);
}
