import { resolveUrl } from '../../catalog/facts/resolve-url.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { AccessFacts } from '../../mandates/call.ts';
import type { ApiBase } from '../../proxy/contract.ts';

/** What calls of one connection do beyond what their methods say; undefined where nothing is known. */
export function readAccessFacts(
  provider: Provider,
  apiBase: ApiBase,
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
  { origin, basePath }: ApiBase,
  values: Readonly<Record<string, string>>,
): readonly string[] | undefined {
  if (provider.mcp === undefined) return undefined;
  const resolved = resolveUrl(provider.mcp.url, provider, values);
  const url = resolved.ok && URL.canParse(resolved.url) ? new URL(resolved.url) : undefined;
  if (url === undefined || url.origin !== origin || !url.pathname.startsWith(basePath)) return undefined;
  return [url.pathname.slice(basePath.length) || '/'];
}
