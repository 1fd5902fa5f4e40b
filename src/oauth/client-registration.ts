import { z } from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import { writeTime } from '../lib/timestamps.ts';
import type { OutboundResponse } from '../platform/outbound.ts';
import type { DiscoveredClient, DiscoveredServer } from './discovered-server.ts';

/** What the gateway says of itself as a client of one integration. */
export type ClientDescription = {
  readonly redirectUrl: string;
  /** Whose application asks; shown to the user by the authorization server. */
  readonly name: string;
  readonly homepage: string;
};

type AuthMethod = DiscoveredClient['authMethod'];

/** Shared by registration requests and metadata documents (RFC 7591 section 2). */
function describeClient({ redirectUrl, name, homepage }: ClientDescription, authMethod: AuthMethod) {
  return {
    client_name: name,
    client_uri: homepage,
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: authMethod,
  };
}

/**
 * The client id metadata document (draft-ietf-oauth-client-id-metadata-document) of an integration. A public client: what
 * protects its codes is PKCE and its redirect URI.
 */
export function metadataDocument(clientId: string, description: ClientDescription): Record<string, unknown> {
  return { client_id: clientId, ...describeClient(description, 'none') };
}

/** A registration request (RFC 7591 section 3.1) that asks for a secret where the server takes one. Pure. */
export function registrationRequest(
  url: string,
  server: Pick<DiscoveredServer, 'authMethods' | 'scopes'>,
  description: ClientDescription,
) {
  const body = {
    ...describeClient(description, preferredAuthMethod(server.authMethods)),
    ...(server.scopes.length > 0 && { scope: server.scopes.join(' ') }),
  };
  return {
    method: 'POST',
    url,
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  } as const;
}

/** How a client with a secret authenticates, of the ways that the server takes; `none` where it takes none of ours. */
export function preferredAuthMethod(authMethods: readonly string[]): AuthMethod {
  const known = ['client_secret_basic', 'client_secret_post'] as const;
  return known.find((method) => authMethods.includes(method)) ?? 'none';
}

const registrationAnswer = z.looseObject({
  client_id: z.string().min(1).max(1_000),
  client_secret: z.string().min(1).max(4_096).optional(),
  client_secret_expires_at: z.number().nonnegative().optional().catch(undefined),
  token_endpoint_auth_method: z.string().optional(),
});

export type Registered = {
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly authMethod: AuthMethod;
  readonly expiresAt: string | null;
};

/** Reads the answer to a registration (RFC 7591 section 3.2.1); undefined where it registers nothing that can be used. */
export function readRegistration(
  { status, body }: Pick<OutboundResponse, 'status' | 'body'>,
  authMethods: readonly string[],
): Registered | undefined {
  if (status !== 201 && status !== 200) return undefined;
  const parsed = registrationAnswer.safeParse(parseJson(body.toString('utf8')));
  if (!parsed.success) return undefined;
  const { client_id, client_secret = null, client_secret_expires_at: expires = 0 } = parsed.data;
  const method = parsed.data.token_endpoint_auth_method;
  const isKnown = method === 'none' || method === 'client_secret_basic' || method === 'client_secret_post';
  if (method !== undefined && !isKnown) return undefined;
  const authMethod = client_secret === null ? 'none' : isKnown ? method : preferredAuthMethod(authMethods);
  return {
    clientId: client_id,
    clientSecret: authMethod === 'none' ? null : client_secret,
    authMethod,
    expiresAt: client_secret === null || expires === 0 ? null : dateOf(expires),
  };
}

/** Seconds since 1970; null for a time that cannot be written. */
function dateOf(seconds: number): string | null {
  return writeTime(seconds * 1_000);
}
