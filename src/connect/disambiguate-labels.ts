import type { Provider } from '../catalog/schema/provider.schema.ts';

type Listed = {
  readonly integration: {
    readonly id: string;
    /** Of the operator's choice; null: its provider's. */
    readonly name: string | null;
    readonly variables: Readonly<Record<string, string>>;
  };
  readonly provider: Provider;
};

/**
 * By integration, what distinguishes it from others of the same provider and name: the operator's variables in which they differ (a
 * region, a subdomain), and where those do not, the end of its id. Nothing for the only one of its provider and name.
 */
export function disambiguateLabels(listed: readonly Listed[]): ReadonlyMap<string, string> {
  const keyOf = ({ provider, integration }: Listed) => `${provider.id} ${integration.name ?? ''}`;
  const several = [...Map.groupBy(listed, keyOf).values()].filter((group) => group.length > 1);
  return new Map(several.flatMap(distinguishGroup));
}

function distinguishGroup(group: readonly Listed[]): [id: string, distinction: string][] {
  const texts = group.map((one) => listDifferingValues(one, group).join(', '));
  return group.map(({ integration: { id } }, index) => {
    const text = texts[index] ?? '';
    const isTelling = text !== '' && texts.indexOf(text) === texts.lastIndexOf(text);
    return [id, isTelling ? text : [text, id.slice(-8)].filter(Boolean).join(', ')];
  });
}

function listDifferingValues({ integration, provider }: Listed, group: readonly Listed[]): string[] {
  return provider.variables
    .filter(({ secret }) => !secret)
    .flatMap(({ name, options }) => {
      const values = new Set(group.map((other) => other.integration.variables[name]));
      const value = integration.variables[name];
      if (values.size < 2 || value === undefined) return [];
      return [options?.find((option) => option.value === value)?.title ?? value];
    });
}
