import { listPlaceholders } from '../../lib/template.ts';
import type { Provider } from '../schema/provider.schema.ts';
import { listFileUrls } from './file-urls.ts';
import { createValueValidator, type ResolvedUrl, resolveUrl } from './resolve-url.ts';

/**
 * Variables whose values are each valid but do not fit together, or with the `clientId`, in one of the provider's
 * addresses, each once with the reason. Addresses with an unknown variable are skipped.
 */
export function incompatibleVariables(
  provider: Provider,
  values: Readonly<Record<string, string>>,
): Extract<ResolvedUrl, { ok: false }>[] {
  const judge = createValueValidator(provider, values);
  const isKnown = (name: string) =>
    Object.hasOwn(values, name) ||
    provider.variables.some((variable) => variable.name === name && variable.default !== undefined);
  const refused = listFileUrls(provider)
    .filter(([, template]) => listPlaceholders(template).every(isKnown))
    .map(([, template]) => resolveUrl(template, provider, values, judge))
    .filter((resolved) => !resolved.ok);
  return [...new Map(refused.map((one) => [one.variable, one])).values()];
}
