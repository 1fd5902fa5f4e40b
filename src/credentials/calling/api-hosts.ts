import { resolveUrl } from '../../catalog/facts/resolve-url.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { stripTrailingSlashes } from '../../lib/trailing-slashes.ts';
import type { ApiBase, ApiHosts } from '../../proxy/contract.ts';

type Values = Readonly<Record<string, string>>;

/** Origin and base path of an address template; the name of the variable that it lacks where it cannot be filled. */
export function resolveApiBase(
  template: string,
  provider: Provider,
  values: Values,
): { readonly ok: true; readonly base: ApiBase } | { readonly ok: false; readonly variable: string } {
  const resolved = resolveUrl(template, provider, values);
  if (!resolved.ok) return resolved;
  const url = new URL(resolved.url);
  const isHttps = url.protocol === 'https:';
  return {
    ok: true,
    base: {
      origin: url.origin,
      protocol: isHttps ? 'https:' : 'http:',
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (isHttps ? 443 : 80) : Number(url.port),
      basePath: stripTrailingSlashes(url.pathname),
    },
  };
}

/** Hosts whose address is the same for all connections, by provider. */
const fixedBases = new WeakMap<Provider, Map<string, ApiBase>>();

/**
 * The further hosts of one connection; undefined where the provider has none. Addresses are filled when a call first
 * names them, so that a connection which uses none of them costs nothing.
 */
export function resolveApiHosts(provider: Provider, values: Values): ApiHosts | undefined {
  const names = Object.keys(provider.hosts);
  if (names.length === 0) return undefined;
  const ofConnection = new Map<string, ApiBase>();
  const ofProvider = fixedBases.get(provider) ?? new Map<string, ApiBase>();
  fixedBases.set(provider, ofProvider);

  function find(name: string): ReturnType<ApiHosts['find']> {
    const host = Object.hasOwn(provider.hosts, name) ? provider.hosts[name] : undefined;
    if (host === undefined) return { ok: false, reason: 'unknown' };
    const known = host.url.includes('{') ? ofConnection : ofProvider;
    const base = known.get(name);
    if (base !== undefined) return { ok: true, base };
    const resolved = resolveApiBase(host.url, provider, values);
    if (!resolved.ok) return { ok: false, reason: 'incomplete', variable: resolved.variable };
    known.set(name, resolved.base);
    return resolved;
  }

  return { names, find };
}
