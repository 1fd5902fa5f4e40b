import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type {
  CallArguments,
  ItemOf,
  ListPath,
  Operation,
  PathOf,
  ResultOf,
} from '../../../../../clients/node/src/calls.ts';
import { api, type RequestParts, request } from './client.ts';

/** Keys begin with the path's template, so `refresh(client, '/projects')` reaches every variant of it. */
type Key = readonly [path: string, parts: RequestParts];

/** A GET of the API as a query: `useQuery(apiQuery('/projects/{projectId}', { path: { projectId } }))`. */
export function apiQuery<P extends PathOf<'get'>>(path: P, ...[parts]: CallArguments<Operation<'get', P>>) {
  return untypedQuery<ResultOf<Operation<'get', P>>>(path, parts);
}

/** The same for an operation that the OpenAPI document of this branch does not have yet: the caller names the type. */
export function untypedQuery<T>(path: string, parts: RequestParts = {}) {
  const queryKey: Key = [path, parts];
  return queryOptions({ queryKey, queryFn: ({ signal }) => request<T>('GET', path, { ...parts, signal }) });
}

/** A page of a list, whichever name its array has. */
export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

/**
 * A list of the API by cursor, for ResourceList. `parts.query` holds the filters. `path` must answer with one array and
 * `nextCursor`.
 */
export function apiList<P extends ListPath>(path: P, parts: RequestParts = {}) {
  return untypedList<ItemOf<ResultOf<Operation<'get', P>>>>(path, parts);
}

/** The same for a list that the OpenAPI document of this branch does not have yet. */
export function untypedList<T>(path: string, parts: RequestParts = {}) {
  return infiniteQueryOptions({
    // A page is cached in another shape than a plain answer of the same path.
    queryKey: [path, parts, 'pages'],
    queryFn: async ({ pageParam, signal }): Promise<Page<T>> => {
      const query = { ...parts.query, cursor: pageParam };
      return toPage<T>(await request('GET', path, { ...parts, query, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

function toPage<T>(reply: Record<string, unknown>): Page<T> {
  const items = Object.values(reply).find((value): value is T[] => Array.isArray(value)) ?? [];
  const { nextCursor } = reply;
  return { items, nextCursor: typeof nextCursor === 'string' ? nextCursor : null };
}

/** Has every query of these paths ask again. Visible data stays until the answer is there. */
export async function refresh(client: QueryClient, ...paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => client.invalidateQueries({ queryKey: [path] })));
}

export { api };
