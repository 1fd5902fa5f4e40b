import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { catalogQuery, type ProviderSummary } from '../api/catalog.ts';
import { loadScript } from '../api/load-script.ts';

/** The search of the catalog's page, which forgives typing errors; it finds nothing until its script is there. */
export function useProviderSearch(): (words: string) => readonly ProviderSummary[] {
  const catalog = useQuery(catalogQuery).data;
  const script = useQuery({
    queryKey: ['catalog-search'],
    queryFn: () => loadScript(() => import('../pages/integrations/catalog-search.ts')),
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  return useMemo(() => {
    if (catalog === undefined || script === undefined) return () => [];
    const open = [...catalog.byId.values()].filter(({ status }) => status !== 'ended');
    return script.createCatalogSearch(open, ({ category }) => category, { needsAll: true });
  }, [catalog, script]);
}
