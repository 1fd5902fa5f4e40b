import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { EVERY_SCOPE } from '../http/key-scopes.ts';
import type { Access } from '../projects/access.ts';
import { RESULT_KINDS, type SearchSources, search } from './search.ts';

const searchQuery = z.strictObject({
  q: z.string().trim().min(1).max(255),
  projectId: z.uuid().optional().meta({ description: 'Only in this project.' }),
});

const searchResults = z
  .object({
    results: z.array(
      z.object({
        kind: z.enum(RESULT_KINDS),
        id: z
          .string()
          .meta({ description: 'A provider’s name, else a UUID; a user’s is `integrationUserId`.' }),
        title: z.string(),
        subtitle: z.string().nullable(),
        projectId: z.uuid().nullable(),
      }),
    ),
  })
  .meta({ id: 'SearchResults' });

/** One field to find things by. */
export function createSearchEndpoints({
  access,
  sources,
}: {
  access: Pick<Access, 'projectsOf'>;
  sources: SearchSources;
}): Endpoint[] {
  const find = endpoint({
    operationId: 'search',
    method: 'get',
    path: '/search',
    summary: 'Search',
    description:
      'Requests and connections by id; users, accounts and integrations by what their names begin with; providers and projects by a part of the name. At most 20. An API key finds what its scopes let it read, providers always.',
    tag: 'Projects',
    principals: ['operator', 'api_key'],
    leastRole: 'anyone',
    keyScope: 'none',
    query: searchQuery,
    success: { status: 200, schema: searchResults, description: 'What was found, five of a kind at most' },
    async handler({ principal, query }) {
      const visible = await access.projectsOf(principal);
      const scopes = principal.kind === 'api_key' ? principal.scopes : [EVERY_SCOPE];
      const { projectId, q } = query;
      const projectIds = projectId === undefined ? visible : visible.filter((id) => id === projectId);
      return { body: { results: await search(sources, projectIds, q, scopes) } };
    },
  });
  return [find];
}
