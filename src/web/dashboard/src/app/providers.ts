import { useQuery } from '@tanstack/react-query';
import { catalogQuery, ownProvidersQuery, type ProviderSummary } from '../api/catalog.ts';
import { useOptionalProjectId } from './project.ts';

/** In the numbers of calls, the key of those that were refused before their provider or integration was known. */
export const NOT_KNOWN = 'none';

/** What the ids of projects' own providers begin with. */
const OWN_PREFIX = 'custom:';

/** Finds providers in brief, of the catalog and of the project; undefined until they are loaded, or where there is none. */
export function useFindProvider(ids: readonly string[]): (id: string) => ProviderSummary | undefined {
  const projectId = useOptionalProjectId();
  const catalog = useQuery(catalogQuery).data;
  // Asked for by the few projects that have any.
  const hasOwn = ids.some((id) => id.startsWith(OWN_PREFIX));
  const own = useQuery({ ...ownProvidersQuery(projectId), enabled: hasOwn }).data;
  return (id) => catalog?.byId.get(id) ?? own?.providers.find((provider) => provider.id === id);
}

/** Gives a provider's name as people know it: "HubSpot" for `hubspot`; its id until the names have come. */
export function useProviderNames(ids: readonly string[]): (id: string) => string {
  const find = useFindProvider(ids);
  return (id) => find(id)?.name ?? id;
}
