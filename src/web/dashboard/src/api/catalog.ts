import { queryOptions } from '@tanstack/react-query';
import type { components } from '../../../../../clients/node/src/api.ts';
import { requestFile } from './client.ts';
import { apiQuery } from './queries.ts';

export type ProviderSummary = components['schemas']['ProviderSummary'];
export type Provider = components['schemas']['Provider'] & {
  /** A harmless call that tells the account, where the catalog knows one. */
  readonly accountCall?: { readonly method: string; readonly path: string } | null;
};

/** The provider as it is for one of its grants; as it is by itself for null and for one that there is not. */
export function withGrant(provider: Provider, grant: string | null): Provider {
  const found = provider.grants.find(({ id }) => id === grant);
  return found === undefined ? provider : { ...provider, ...found, id: provider.id };
}

/** The grant as an integration stores it: null for the provider's usual one, which comes first. */
export function grantToStore(provider: Provider, grant: string | undefined): string | null {
  const index = provider.grants.findIndex(({ id }) => id === grant);
  return index < 1 ? null : (grant ?? null);
}

const KEPT_MS = 5 * 60_000;

/** Where the gateway serves its catalog as a file, outside of the API. */
const CATALOG_FILE = '/catalog.json';

type CatalogFile = {
  /** Ids of those that applications ask for most, the first first. */
  readonly popular: readonly string[];
  /** Of the popular ones, as SVG documents. */
  readonly logos: Readonly<Record<string, string>>;
  readonly providers: readonly ProviderSummary[];
};

export type Catalog = Pick<CatalogFile, 'popular' | 'logos'> & {
  readonly byId: ReadonlyMap<string, ProviderSummary>;
};

/** Every provider of the catalog in brief, of a file that browsers keep. */
export const catalogQuery = queryOptions({
  queryKey: [CATALOG_FILE],
  queryFn: async ({ signal }): Promise<Catalog> => {
    const { popular, logos, providers } = await requestFile<CatalogFile>(CATALOG_FILE, signal);
    return { popular, logos, byId: new Map(providers.map((provider) => [provider.id, provider])) };
  },
  staleTime: KEPT_MS,
});

/** The providers that the project describes itself, or all projects of the operator do; in brief. */
export function ownProvidersQuery(projectId: string | undefined) {
  const query = projectId === undefined ? {} : { projectId };
  return { ...apiQuery('/catalog', { query: { ...query, only: 'own' } }), staleTime: KEPT_MS };
}

/** One provider in full. */
export function providerQuery(provider: string, projectId: string) {
  return {
    ...apiQuery('/providers/{provider}', { path: { provider }, query: { projectId } }),
    staleTime: KEPT_MS,
  };
}
