import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../api/queries.ts';

/** In the numbers of calls, the key of those that were refused before their provider or integration was known. */
export const NOT_KNOWN = 'none';

const STALE_MS = 3_600_000;
const IDS_MAX = 100;

/** Gives a provider's name as people know it: "HubSpot" for `hubspot`; its id until the names have come. */
export function useProviderNames(ids: readonly string[]): (id: string) => string {
  const asked = [...new Set(ids)].sort().slice(0, IDS_MAX).join();
  const { data } = useQuery({
    ...apiQuery('/providers', { query: { ids: asked, limit: IDS_MAX } }),
    enabled: asked !== '',
    staleTime: STALE_MS,
  });
  return (id) => data?.providers.find((provider) => provider.id === id)?.name ?? id;
}
