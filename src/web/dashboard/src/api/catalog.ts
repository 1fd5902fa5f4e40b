import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { components } from '../../../../../clients/node/src/api.ts';
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

/** Every provider in brief; with `projectId` that project's own ones too. Kept for five minutes. */
export function catalogQuery(projectId: string | undefined) {
  const query = projectId === undefined ? {} : { projectId };
  return { ...apiQuery('/catalog', { query }), staleTime: KEPT_MS };
}

/** The providers by id, for names and logos anywhere; undefined until they are loaded. */
export function useCatalog(projectId: string | undefined): ReadonlyMap<string, ProviderSummary> | undefined {
  const { data } = useQuery(catalogQuery(projectId));
  return useMemo(() => data && new Map(data.providers.map((provider) => [provider.id, provider])), [data]);
}

/** One provider in full. */
export function providerQuery(provider: string, projectId: string) {
  return {
    ...apiQuery('/providers/{provider}', { path: { provider }, query: { projectId } }),
    staleTime: KEPT_MS,
  };
}
