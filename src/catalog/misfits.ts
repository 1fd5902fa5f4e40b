import { placeholdersOf } from '../lib/template.ts';
import { urlsOf } from './file-urls.ts';
import type { Provider } from './provider.schema.ts';
import { type ResolvedUrl, resolveUrl } from './resolve-url.ts';

/**
 * What keeps these values (with the `clientId`, once it is known) from filling the provider's addresses that name no
 * others: values may each be good and still not fit together. Every variable is blamed once.
 */
export function misfitsOf(
  provider: Provider,
  values: Readonly<Record<string, string>>,
): Extract<ResolvedUrl, { ok: false }>[] {
  const isKnown = (name: string) =>
    Object.hasOwn(values, name) ||
    provider.variables.some((variable) => variable.name === name && variable.default !== undefined);
  const found = urlsOf(provider)
    .filter(([, template]) => placeholdersOf(template).every(isKnown))
    .map(([, template]) => resolveUrl(template, provider, values))
    .filter((resolved) => !resolved.ok);
  return [...new Map(found.map((misfit) => [misfit.variable, misfit])).values()];
}
