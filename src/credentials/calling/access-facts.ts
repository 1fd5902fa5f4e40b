import { type FindAccessFacts, readAccessFacts } from '../../catalog/facts/access-facts.ts';
import { resolveUrl } from '../../catalog/facts/resolve-url.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { splitHost } from '../../catalog/schema/provider-access.schema.ts';
import type { ProviderAccess } from '../../mandates/call.ts';
import type { ApiBase } from '../../proxy/contract.ts';
import { resolveApiBase } from './api-hosts.ts';

/** What calls of one connection do beyond what their methods say, by host; undefined where nothing is known. */
export function resolveAccessFacts(
  provider: Provider,
  apiBase: ApiBase | undefined,
  values: Readonly<Record<string, string>>,
  readingTools: readonly string[] | undefined,
): FindAccessFacts | undefined {
  const factsAt = readAccessFacts(provider);
  const mcp = findMcpPaths(provider, apiBase, values);
  if (mcp === undefined) return factsAt;
  const atApi = { ...factsAt?.(undefined), mcp, readingTools };
  return (host) => (host === undefined ? atApi : factsAt?.(host));
}

/** Where its MCP server takes messages, as calls write it behind the provider. */
function findMcpPaths(
  provider: Provider,
  apiBase: ApiBase | undefined,
  values: Readonly<Record<string, string>>,
): readonly string[] | undefined {
  if (provider.mcp === undefined || apiBase === undefined) return undefined;
  const { origin, basePath } = apiBase;
  const resolved = resolveUrl(provider.mcp.url, provider, values);
  const url = resolved.ok && URL.canParse(resolved.url) ? new URL(resolved.url) : undefined;
  if (url === undefined || url.origin !== origin || !url.pathname.startsWith(basePath)) return undefined;
  return [url.pathname.slice(basePath.length) || '/'];
}

/** The same of a provider alone, as far as it can be said without a connection. */
export function describeAccess(
  provider: Provider,
  readingTools: readonly string[] | undefined,
): ProviderAccess {
  const resolved = resolveApiBase(provider.apiBaseUrl, provider, {});
  const factsAt = resolveAccessFacts(provider, resolved.ok ? resolved.base : undefined, {}, readingTools);
  return { factsAt: (host) => factsAt?.(host), batch: provider.batch?.map((path) => splitHost(path).path) };
}
