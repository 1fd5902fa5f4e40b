import { z } from 'zod';
import type { Provider } from '../catalog/schema/provider.schema.ts';

/** How the client of an integration came to be known at an authorization server. */
export const CLIENT_ORIGINS = ['operator', 'document', 'registration'] as const;

/**
 * What an integration keeps of the authorization server that its MCP server names. Nothing in it is secret. Stored as
 * JSON: a member is only ever added with a default.
 */
export const discoveredServer = z.object({
  /** The MCP server that named it. */
  mcpUrl: z.string(),
  resource: z.string(),
  issuer: z.string(),
  /** False where the server publishes no metadata and the endpoints are those of the provider file or the usual ones. */
  hasMetadata: z.boolean(),
  authorizationEndpoint: z.string(),
  tokenEndpoint: z.string(),
  registrationEndpoint: z.string().nullable(),
  revocationEndpoint: z.string().nullable(),
  authMethods: z.array(z.string()),
  takesDocuments: z.boolean(),
  sendsIssuer: z.boolean(),
  /** What is asked for where the operator chose no scopes. */
  scopes: z.array(z.string()),
  discoveredAt: z.iso.datetime(),
  client: z
    .object({
      by: z.enum(CLIENT_ORIGINS),
      authMethod: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
      registeredAt: z.iso.datetime(),
      /** When the server lets its secret expire (RFC 7591 section 3.2.1); null: never. */
      expiresAt: z.iso.datetime().nullable(),
      /** When the server no longer knew it. */
      refusedAt: z.iso.datetime().nullable(),
    })
    .nullable(),
});

export type DiscoveredServer = z.infer<typeof discoveredServer>;
export type DiscoveredClient = NonNullable<DiscoveredServer['client']>;

/** Name under which a grant keeps the issuer that it is of, among its sealed values. */
export const ISSUER_VALUE = 'authorizationServer';

type Discovering = {
  readonly scopes: string[];
  readonly optionalScopes: string[];
  readonly authorizationServer: DiscoveredServer | null;
};

/**
 * Provider and integration with what was discovered, so that everything behind takes the provider for one whose file
 * names its endpoints. `resource` is in every request (RFC 8707). Where the operator chose no scopes, those that the MCP
 * server names are asked for, none of them required. Without a discovery both are what they were. Pure.
 */
export function applyDiscovery<Target extends Discovering>(
  provider: Provider,
  integration: Target,
): { readonly provider: Provider; readonly integration: Target } {
  const { authorizationServer: server, scopes, optionalScopes } = integration;
  if (provider.mcp === undefined || server === null) return { provider, integration };
  const chosen = [...scopes, ...optionalScopes];
  const asked = chosen.length > 0 ? chosen : server.scopes;
  return {
    provider: withEndpoints(provider, server, asked),
    integration: chosen.length > 0 ? integration : { ...integration, optionalScopes: server.scopes },
  };
}

/** The provider with the endpoints of a server, for a client that asks for these scopes. Pure. */
export function withEndpoints(
  provider: Provider,
  server: Omit<DiscoveredServer, 'discoveredAt'>,
  asked: readonly string[],
): Provider {
  const resource = { resource: server.resource };
  // OpenID Connect Core 11: without consent a server may leave out the refresh token.
  const consent = asked.includes('offline_access') ? { prompt: 'consent' } : {};
  return {
    ...provider,
    authorizationUrl: server.authorizationEndpoint,
    tokenUrl: server.tokenEndpoint,
    refreshUrl: undefined,
    revocationUrl: server.revocationEndpoint ?? undefined,
    pkce: true,
    issuer: server.issuer,
    issuerAlwaysSent: server.sendsIssuer,
    tokenEndpointAuth: server.client?.authMethod ?? 'none',
    authorizationParams: { ...provider.authorizationParams, ...consent, ...resource },
    tokenParams: { ...provider.tokenParams, ...resource },
    refreshParams: { ...provider.refreshParams, ...resource },
  };
}

/**
 * False where a code or token is of another authorization server than the one that the provider has now: it must not be
 * sent there. `variables` are those of the grant, its sealed values included.
 */
export function isOfSameServer(
  { mcp, issuer }: Pick<Provider, 'mcp' | 'issuer'>,
  variables: Readonly<Record<string, string>>,
): boolean {
  const { [ISSUER_VALUE]: issuedBy } = variables;
  return mcp === undefined || issuedBy === undefined || issuedBy === issuer;
}
