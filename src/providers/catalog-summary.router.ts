import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Principal } from '../http/principal.ts';
import { selectProjects } from './catalog.router.ts';
import { providerQuery } from './catalog.schema.ts';
import { providerSummaryList, writeSummary } from './catalog-summary.ts';
import type { CustomProvider } from './custom-providers.ts';

const summaryQuery = providerQuery.extend({
  only: z
    .enum(['own'])
    .optional()
    .meta({ description: 'The projects’ own providers alone, without the catalog.' }),
});

/** `GET /catalog`: every provider in brief and in one reply, for a page that searches while an operator types. */
export function createCatalogSummaryEndpoint(deps: {
  readBuiltIn(): Promise<string>;
  listCustom(projectIds: readonly string[]): Promise<CustomProvider[]>;
  projectsOf(principal: Principal): Promise<string[]>;
  publicUrl: string;
}): Endpoint {
  return endpoint({
    operationId: 'summarizeProviders',
    method: 'get',
    path: '/catalog',
    summary: 'List all providers in brief',
    description:
      'Every provider in one reply, by name, with no more than choosing one takes; own ones come last.',
    tag: 'Catalog',
    principals: ['operator', 'api_key', 'end_user'],
    leastRole: 'anyone',
    keyScope: 'none',
    query: summaryQuery,
    success: { status: 200, schema: providerSummaryList, description: 'The providers' },
    async handler({ principal, query }) {
      const own = await deps.listCustom(await selectProjects(deps, principal, query.projectId));
      const builtIn = query.only === 'own' ? '' : await deps.readBuiltIn();
      const texts = [
        builtIn,
        ...own.map(({ provider, row }) => writeSummary(provider, row.projectId, deps.publicUrl)),
      ];
      return { bodyText: `{"providers":[${texts.filter((text) => text !== '').join()}]}` };
    },
  });
}
