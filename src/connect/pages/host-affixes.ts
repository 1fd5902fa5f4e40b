import type { Provider, ProviderVariable } from '../../catalog/schema/provider.schema.ts';

type Affixes = { readonly prefix: string; readonly suffix: string };

const NONE: Affixes = { prefix: '', suffix: '' };

/**
 * What stands around a variable in the host of the provider's addresses: `.zendesk.com` behind the subdomain. Nothing
 * where the host has further variables, or where addresses differ in it.
 */
export function findAffixes(provider: Provider, { name, position }: ProviderVariable): Affixes {
  if (position !== 'host-label') return NONE;
  const { authorizationUrl, tokenUrl, apiBaseUrl } = provider;
  const found = [authorizationUrl, apiBaseUrl, tokenUrl]
    .map((template) => /^https?:\/\/([^/?#:]+)/.exec(template ?? '')?.[1])
    .filter((host) => host?.includes(`{${name}}`))
    .map((host = '') => {
      const [prefix = '', suffix = ''] = host.split(`{${name}}`, 2);
      return { prefix, suffix };
    });
  const [first] = found;
  if (first === undefined || /[{}]/.test(first.prefix + first.suffix)) return NONE;
  const isSame = found.every(({ prefix, suffix }) => prefix === first.prefix && suffix === first.suffix);
  return isSame ? first : NONE;
}

/** The value that a user means: the typed one, or the part of a pasted address that it stands in. */
export function extractValue(provider: Provider, variable: ProviderVariable, typed: string): string {
  const address = typed.trim().replace(/^https?:\/\//i, '');
  const prefix = variable.pastedPrefixes?.find((start) => address.toLowerCase().startsWith(start));
  if (prefix === undefined) return stripAffixes(findAffixes(provider, variable), typed);
  return address.slice(prefix.length).split(/[/?#]/, 1)[0] ?? '';
}

/** The value where the end user pasted the whole address: `https://acme.zendesk.com/agent` means `acme`. */
function stripAffixes({ prefix, suffix }: Affixes, text: string): string {
  if (suffix === '') return text;
  const [host = ''] = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .split('/', 1);
  const lower = host.toLowerCase();
  if (!lower.endsWith(suffix.toLowerCase()) || !lower.startsWith(prefix.toLowerCase())) return text;
  return host.slice(prefix.length, -suffix.length);
}
