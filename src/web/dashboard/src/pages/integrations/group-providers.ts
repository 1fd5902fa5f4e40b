import type { ProviderSummary } from '../../api/catalog.ts';

export type ProviderGroup = {
  readonly name: 'used' | 'popular' | 'all' | 'found';
  readonly providers: readonly ProviderSummary[];
};

/** More of them are no help to find one. */
const USED_MAX = 12;

/** Those that matter and then all by name: which the operator's projects use, the most used first, and the popular ones. */
export function groupProviders(
  providers: readonly ProviderSummary[],
  { popular, used }: { readonly popular: readonly string[]; readonly used: readonly string[] },
): readonly ProviderGroup[] {
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  const counts = new Map<string, number>();
  for (const id of used) counts.set(id, (counts.get(id) ?? 0) + 1);
  const mostUsed = [...counts].sort(([, left], [, right]) => right - left).slice(0, USED_MAX);
  const find = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? []);
  return [
    { name: 'used', providers: find(mostUsed.map(([id]) => id)) },
    { name: 'popular', providers: find(popular.filter((id) => !mostUsed.some(([its]) => its === id))) },
    { name: 'all', providers },
  ];
}
