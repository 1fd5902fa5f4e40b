import MiniSearch from 'minisearch';
import type { ProviderSummary } from '../../api/catalog.ts';
import { listAliases } from './catalog-aliases.ts';

/** Shorter words are taken as they stand: with one letter wrong they would fit too much. */
const FUZZY_LENGTH_MIN = 4;
/** Of the length of a word; two letters that changed places count as two. */
const FUZZY = 0.3;

/**
 * Finds providers by any name, alias or category, also by the beginning of a word or one with typing errors. `needsAll`:
 * only those that every word fits.
 */
export function createCatalogSearch(
  providers: readonly ProviderSummary[],
  categoryName: (provider: ProviderSummary) => string,
  { needsAll = false }: { readonly needsAll?: boolean } = {},
): (words: string) => readonly ProviderSummary[] {
  const byId = new Map(providers.map((provider) => [buildKey(provider), provider]));
  // Made when something is searched for: it takes as long as showing the page.
  let made: MiniSearch | undefined;
  return (words) => {
    made ??= createIndex(providers, categoryName);
    const found = made.search(words);
    // One word that fits nothing must not hide what the others find.
    const results = needsAll || found.length > 0 ? found : made.search(words, { combineWith: 'OR' });
    return results.flatMap(({ id }) => byId.get(String(id)) ?? []);
  };
}

function createIndex(
  providers: readonly ProviderSummary[],
  categoryName: (provider: ProviderSummary) => string,
): MiniSearch {
  const index = new MiniSearch({
    fields: ['name', 'id', 'aliases', 'category'],
    searchOptions: {
      boost: { name: 4, id: 3, aliases: 2, category: 0.5 },
      prefix: true,
      fuzzy: (term) => term.length >= FUZZY_LENGTH_MIN && FUZZY,
      weights: { fuzzy: 0.2, prefix: 0.6 },
      combineWith: 'AND',
    },
    idField: 'key',
  });
  index.addAll(
    providers.map((provider) => ({
      key: buildKey(provider),
      name: provider.name,
      id: provider.id,
      aliases: [listAliases(provider.id), provider.mcp ? 'mcp' : ''].join(' '),
      category: `${provider.category} ${categoryName(provider)}`,
    })),
  );
  return index;
}

export function buildKey({ id, projectId }: ProviderSummary): string {
  return `${projectId ?? ''} ${id}`;
}
