import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Catalog } from '../catalog/loading/catalog.ts';
import { logoPath } from '../catalog/loading/logos.ts';
import { oncePerCatalog } from '../catalog/loading/replaceable-catalog.ts';
import { AUTH_KINDS, CATEGORIES, type Provider } from '../catalog/schema/provider.schema.ts';
import { serializeDeclaredBody } from '../http/reply.ts';
import { standing } from './catalog.schema.ts';

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
    integrationVariableNames: z
      .array(z.string())
      .meta({ description: 'The same by the names that `variables` of an integration takes.' }),
    userVariables: z.array(z.string()).meta({ description: 'Titles of what each user is asked for.' }),
    webhooks: z.boolean(),
    mcp: z.boolean().meta({ description: 'Whether it is an MCP server.' }),
  })
  .meta({ id: 'ProviderSummary' });

export const providerSummaryList = z
  .object({ providers: z.array(providerSummary) })
  .meta({ id: 'ProviderSummaryList' });

type ProviderSummary = z.infer<typeof providerSummary>;

/** Gives every provider of the catalog in brief, by name, as JSON between commas; written once for each catalog, with pauses for other requests. */
export function createBuiltInSummaries({
  catalog,
  publicUrl,
}: {
  readonly catalog: Pick<Catalog, 'all' | 'ids'>;
  readonly publicUrl: string;
}): () => Promise<string> {
  const byName = new Intl.Collator('en');
  return oncePerCatalog(catalog, async () => {
    const providers = (await catalog.all()).toSorted((left, right) => byName.compare(left.name, right.name));
    const texts: string[] = [];
    for (const provider of providers) {
      texts.push(writeSummary(provider, null, publicUrl));
      if (texts.length % SLICE === 0) await setImmediate();
    }
    return texts.join();
  });
}

/** A provider in brief, as JSON. */
export function writeSummary(provider: Provider, projectId: string | null, publicUrl: string): string {
  const summary = summaryOf(provider, projectId, publicUrl);
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
    integrationVariableNames: provider.variables
      .filter(({ from }) => from === 'integration')
      .map(({ name }) => name),
    userVariables: titlesOf('user'),
    webhooks: provider.webhooks.supported,
    mcp: provider.mcp !== undefined,
  };
}
