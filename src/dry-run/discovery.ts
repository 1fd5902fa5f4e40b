import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { preferredAuthMethod, registrationRequest } from '../oauth/client-registration.ts';
import { type Discovery, discoverServer, type FoundServer } from '../oauth/discover.ts';
import { withEndpoints } from '../oauth/discovered-server.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { ProviderDiscovery, ProviderRequest } from '../providers/custom-providers.schema.ts';
import { showRequest } from './requests.ts';
import type { Samples } from './samples.ts';

/** What an MCP server answered, and the provider as it is with that. */
type DryDiscovery = {
  readonly provider: Provider;
  readonly discovery: ProviderDiscovery | null;
  readonly registration: ProviderRequest | null;
};

/**
 * Asks the MCP server of a described provider for its authorization server. Only public metadata is read, nothing is
 * registered. Any other provider comes back as it is.
 */
export async function dryRunDiscovery(
  deps: { readonly outbound: Outbound; readonly allowHttp: boolean; readonly publicUrl: string },
  provider: Provider,
  samples: Samples,
): Promise<DryDiscovery> {
  const nothing = { provider, discovery: null, registration: null };
  if (provider.mcp === undefined) return nothing;
  const address = resolveUrl(provider.mcp.url, provider, samples.variables);
  if (!address.ok) return nothing;
  const found = await discoverServer(deps, address.url, {
    authorizationUrl: provider.authorizationUrl,
    tokenUrl: provider.tokenUrl,
    registrationUrl: provider.mcp.registrationUrl,
  });
  if (!found.ok) return { ...nothing, discovery: wireDiscovery(found, null) };
  const { server } = found;
  const by = clientByOf(provider, server, deps.publicUrl);
  const authMethod = by === 'document' ? 'none' : preferredAuthMethod(server.authMethods);
  const at = new Date(0).toISOString();
  const client = {
    by: by ?? 'operator',
    authMethod,
    registeredAt: at,
    expiresAt: null,
    refusedAt: null,
  } as const;
  return {
    provider: {
      ...withEndpoints(provider, { ...server, client }, server.scopes),
      defaultScopes: server.scopes,
    },
    discovery: wireDiscovery(found, by),
    registration: by === 'registration' ? showRegistration(server, samples, deps.publicUrl) : null,
  };
}

/** Null where the gateway can have no client there, and the integration needs the operator's. */
function clientByOf(
  { mcp }: Provider,
  server: FoundServer,
  publicUrl: string,
): 'document' | 'registration' | null {
  if (mcp?.registration === 'operator') return null;
  const isReadable = publicUrl.startsWith('https:') || server.issuer.startsWith('http:');
  if (server.takesDocuments && isReadable) return 'document';
  return server.registrationEndpoint === null ? null : 'registration';
}

function showRegistration(
  server: FoundServer,
  { standIns }: Samples,
  publicUrl: string,
): ProviderRequest | null {
  const redirectUrl = `${publicUrl}/oauth/callback/${standIns.of('integration id')}`;
  const description = { redirectUrl, name: standIns.of('name of the project'), homepage: publicUrl };
  return showRequest(standIns, registrationRequest(server.registrationEndpoint ?? '', server, description));
}

function wireDiscovery(found: Discovery, clientBy: 'document' | 'registration' | null): ProviderDiscovery {
  const steps = found.steps.map((step) => ({ ...step }));
  if (!found.ok)
    return { steps, fault: found.fault, issuer: null, resource: null, scopes: [], clientBy: null };
  const { issuer, resource, scopes } = found.server;
  return { steps, fault: null, issuer, resource, scopes, clientBy: clientBy ?? 'operator' };
}
