import { resolveUrl } from '../../catalog/facts/resolve-url.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { AccessFacts } from '../../mandates/call.ts';
import type { ApiBase } from '../../proxy/contract.ts';
import { resolveApiBase } from './api-hosts.ts';

/** What calls of one connection do beyond what their methods say; undefined where nothing is known. */
export function readAccessFacts(
  provider: Provider,
  apiBase: ApiBase | undefined,
  values: Readonly<Record<string, string>>,
  readingTools: readonly string[] | undefined,
): AccessFacts | undefined {
  const { reads, writes, batch, graphql } = provider;
  const mcp = findMcpPaths(provider, apiBase, values);
  if (!(reads || writes || batch || graphql || mcp)) return undefined;
  return { reads, writes, batch, graphql, mcp, readingTools };
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
): AccessFacts | undefined {
  const resolved = resolveApiBase(provider.apiBaseUrl, provider, {});
  return readAccessFacts(provider, resolved.ok ? resolved.base : undefined, {}, readingTools);
}
