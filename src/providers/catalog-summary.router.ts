import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Catalog } from '../catalog/loading/catalog.ts';
import { logoPath } from '../catalog/loading/logos.ts';
import { AUTH_KINDS, CATEGORIES, type Provider } from '../catalog/schema/provider.schema.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Principal } from '../http/principal.ts';
import { serializeDeclaredBody } from '../http/reply.ts';
import { selectProjects } from './catalog.router.ts';
import { providerQuery, standing } from './catalog.schema.ts';
import type { CustomProvider } from './custom-providers.ts';

/** Entries that are written without a pause: some milliseconds. */
const SLICE = 100;

const providerSummary = z
  .object({
    id: z.string(),
    projectId: z.uuid().nullable().meta({ description: 'As in the provider itself.' }),
    name: z.string(),
    category: z.enum(CATEGORIES),
    logoUrl: z.string(),
    auth: z.enum(AUTH_KINDS),
    ...standing,
    integrationVariables: z
      .array(z.string())
      .meta({ description: 'Titles of what the operator has to fill in.' }),
    userVariables: z.array(z.string()).meta({ description: 'Titles of what each user is asked for.' }),
    webhooks: z.boolean(),
    mcp: z.boolean().meta({ description: 'Whether it is an MCP server.' }),
  })
  .meta({ id: 'ProviderSummary' });

const providerSummaryList = z
  .object({ providers: z.array(providerSummary) })
  .meta({ id: 'ProviderSummaryList' });

type ProviderSummary = z.infer<typeof providerSummary>;

/** `GET /catalog`: every provider in brief and in one reply, for a page that searches while an operator types. */
export function createCatalogSummaryEndpoint(deps: {
  catalog: Catalog;
  listCustom(projectIds: readonly string[]): Promise<CustomProvider[]>;
  projectsOf(principal: Principal): Promise<string[]>;
  publicUrl: string;
}): Endpoint {
  const byName = new Intl.Collator('en');
  let builtInText: Promise<string> | undefined;

  /** All entries as JSON, written once and with pauses for other requests. */
  async function writeBuiltIn(): Promise<string> {
    const providers = (await deps.catalog.all()).toSorted((left, right) =>
      byName.compare(left.name, right.name),
    );
    const texts: string[] = [];
    for (const provider of providers) {
      texts.push(textOf(summaryOf(provider, null, deps.publicUrl)));
      if (texts.length % SLICE === 0) await setImmediate();
    }
    return texts.join();
  }

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
    query: providerQuery,
    success: { status: 200, schema: providerSummaryList, description: 'The providers' },
    async handler({ principal, query }) {
      const own = await deps.listCustom(await selectProjects(deps, principal, query.projectId));
      builtInText ??= writeBuiltIn();
      const ownTexts = own.map(({ provider, row }) =>
        textOf(summaryOf(provider, row.projectId, deps.publicUrl)),
      );
      return { bodyText: `{"providers":[${[await builtInText, ...ownTexts].join()}]}` };
    },
  });
}

function textOf(summary: ProviderSummary): string {
  return serializeDeclaredBody(providerSummary, summary, 'summarizeProviders') ?? '';
}

function summaryOf(provider: Provider, projectId: string | null, publicUrl: string): ProviderSummary {
  const titlesOf = (from: 'integration' | 'user') =>
    provider.variables.filter((variable) => variable.from === from).map(({ title, name }) => title ?? name);
  return {
    id: provider.id,
    projectId,
    name: provider.name,
    category: provider.category,
    logoUrl: provider.logoUrl ?? `${publicUrl}${logoPath(provider.id)}`,
    auth: provider.auth,
    status: provider.status,
    statusDate: provider.statusDate ?? null,
    statusNote: provider.statusNote ?? null,
    evidence: provider.evidence ?? null,
    checked: provider.checked ?? null,
    integrationVariables: titlesOf('integration'),
    userVariables: titlesOf('user'),
    webhooks: provider.webhooks.supported,
    mcp: provider.mcp !== undefined,
  };
}
