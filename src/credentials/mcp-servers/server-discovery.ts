import { LRUCache } from 'lru-cache';
import { resolveUrl } from '../../catalog/facts/resolve-url.ts';
import type { Integration } from '../../integrations/integration.ts';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import { discoverServer, type FoundServer } from '../../oauth/discover.ts';
import type { DiscoveredServer } from '../../oauth/discovered-server.ts';
import type { Outbound } from '../../platform/outbound.ts';
import type { IntegrationTarget } from '../client/integration-client.ts';
import type { ServerFault } from './refusals.ts';

/** How old a discovery may be when a user is sent to the server, and when a token is refreshed. */
const FRESH_MS = { authorize: 10 * 60_000, refresh: 24 * 60 * 60_000 } as const;
/** How long an old one serves while the servers do not answer. */
const USABLE_MS = 30 * 24 * 60 * 60_000;
/** After a failed discovery for a refresh, the next refreshes go on with what is known. */
const RETRY_MS = 10 * 60_000;
const INTEGRATIONS_MAX = 10_000;

export type CurrentServer =
  | { readonly ok: true; readonly server: DiscoveredServer; readonly isNew: boolean }
  | { readonly ok: false; readonly fault: ServerFault };

/** Finds the authorization server of an MCP server: as it was discovered before, or by asking. */
export function createServerDiscovery({
  outbound,
  allowHttp,
  now,
  log,
}: {
  outbound: Outbound;
  /** Lets servers be reached over http. */
  allowHttp: boolean;
  now(): number;
  log: { warn(fields: object, message: string): void };
}) {
  const failedAtMs = new LRUCache<string, number>(entriesUpTo(INTEGRATIONS_MAX));

  /** What is known of the server while it is fresh, else what the servers say now. */
  async function findServer(target: IntegrationTarget, use: keyof typeof FRESH_MS): Promise<CurrentServer> {
    const { integration } = target;
    const addresses = resolveAddresses(target);
    if (addresses === undefined) return { ok: false, fault: 'address_unknown' };
    const stored = integration.authorizationServer;
    const known = stored?.mcpUrl === addresses.mcpUrl ? stored : null;
    const ageMs = known === null ? Number.POSITIVE_INFINITY : now() - Date.parse(known.discoveredAt);
    const failedAgoMs = now() - (failedAtMs.get(integration.id) ?? 0);
    const isGoodEnough = ageMs < FRESH_MS[use] || (use === 'refresh' && failedAgoMs < RETRY_MS);
    if (known !== null && isGoodEnough) return { ok: true, server: known, isNew: false };
    const found = await discoverServer({ outbound, allowHttp }, addresses.mcpUrl, addresses.stated);
    if (found.ok) {
      failedAtMs.delete(integration.id);
      return judgeFound(integration, found.server);
    }
    const { fault } = found;
    failedAtMs.set(integration.id, now());
    log.warn(
      { integrationId: integration.id, fault },
      'the authorization server of an MCP server was not found',
    );
    return known !== null && ageMs < USABLE_MS
      ? { ok: true, server: known, isNew: false }
      : { ok: false, fault };
  }

  /** A client belongs to one authorization server: an operator's own is never shown to another. */
  function judgeFound(integration: Integration, server: FoundServer): CurrentServer {
    const before = integration.authorizationServer;
    const isSame = before?.issuer === server.issuer;
    if (before?.client?.by === 'operator' && !isSame) {
      return { ok: false, fault: 'authorization_server_changed' };
    }
    const discoveredAt = new Date(now()).toISOString();
    const client = isSame ? before.client : null;
    return { ok: true, server: { ...server, discoveredAt, client }, isNew: true };
  }

  return findServer;
}

/** The MCP server's address, and the endpoints that the provider's file states; undefined where it cannot be filled. */
function resolveAddresses({ provider, integration }: IntegrationTarget) {
  const { mcp, authorizationUrl, tokenUrl } = provider;
  const resolve = (template: string | undefined): string | undefined => {
    if (template === undefined) return undefined;
    const resolved = resolveUrl(template, provider, integration.variables);
    return resolved.ok ? resolved.url : undefined;
  };
  const mcpUrl = resolve(mcp?.url);
  if (mcpUrl === undefined) return undefined;
  const stated = {
    authorizationUrl: resolve(authorizationUrl),
    tokenUrl: resolve(tokenUrl),
    registrationUrl: resolve(mcp?.registrationUrl),
  };
  return { mcpUrl, stated };
}
