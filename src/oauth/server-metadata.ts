import { z } from 'zod';

/**
 * Metadata documents of protected resources (RFC 9728) and authorization servers (RFC 8414, OpenID Connect Discovery),
 * as the MCP authorization specification (2025-11-25) has clients read them. All of it is another party's text: every
 * address is judged before it is used.
 */

const ADDRESS_LENGTH_MAX = 2_000;
const SCOPES_MAX = 200;

/** No brace, since addresses become templates; no fragment, since parameters are appended. */
const ADDRESS = /^https?:\/\/[^\s{}$[\]<>"\\#]+$/;

/** Reads an address of metadata; undefined for what no endpoint can be. http is for development. */
export function readAddress(value: unknown, allowHttp: boolean): string | undefined {
  if (typeof value !== 'string' || value.length > ADDRESS_LENGTH_MAX || !ADDRESS.test(value))
    return undefined;
  const url = URL.parse(value);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  return url.protocol === 'https:' || (allowHttp && url.protocol === 'http:') ? value : undefined;
}

const texts = z.array(z.string().min(1).max(500)).max(SCOPES_MAX);
const optionalTexts = texts.optional().catch(undefined);

const resourceDocument = z.looseObject({
  resource: z.string(),
  authorization_servers: z.array(z.string()).max(20).optional(),
  scopes_supported: optionalTexts,
});

const serverDocument = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string().optional(),
  revocation_endpoint: z.string().optional(),
  scopes_supported: optionalTexts,
  token_endpoint_auth_methods_supported: optionalTexts,
  code_challenge_methods_supported: optionalTexts,
  client_id_metadata_document_supported: z.boolean().optional().catch(undefined),
  authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
});

/** Why a metadata document is of no use. */
export type MetadataFault =
  | 'not_metadata'
  | 'other_resource'
  | 'no_authorization_server'
  | 'other_issuer'
  | 'address_refused'
  | 'no_pkce';

export type Judged<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: MetadataFault };

export type ResourceMetadata = {
  readonly resource: string;
  /** Identifiers of its authorization servers, at least one. */
  readonly servers: readonly string[];
  readonly scopes: readonly string[];
};

export type ServerMetadata = {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint: string | null;
  readonly revocationEndpoint: string | null;
  readonly scopes: readonly string[];
  readonly authMethods: readonly string[];
  readonly takesDocuments: boolean;
  /** It puts its issuer into every authorization response (RFC 9207 section 3). */
  readonly sendsIssuer: boolean;
};

type Reading = { readonly allowHttp: boolean };

/**
 * Judges a protected resource's metadata (RFC 9728 section 3.3). The resource must be the MCP server, or a path above it
 * on the same origin; a token for another resource would be of no use there, or too much.
 */
export function judgeResourceMetadata(
  document: unknown,
  mcpUrl: string,
  { allowHttp }: Reading,
): Judged<ResourceMetadata> {
  const parsed = resourceDocument.safeParse(document);
  if (!parsed.success) return refuse('not_metadata');
  const { resource, authorization_servers: named = [], scopes_supported: scopes = [] } = parsed.data;
  if (readAddress(resource, allowHttp) === undefined || !isAbove(resource, mcpUrl))
    return refuse('other_resource');
  const servers = named.filter((server) => readAddress(server, allowHttp) !== undefined);
  if (servers.length === 0) return refuse(named.length === 0 ? 'no_authorization_server' : 'address_refused');
  return { ok: true, value: { resource, servers, scopes } };
}

/** True where one address is the other, or a whole part of its path. */
function isAbove(upper: string, lower: string): boolean {
  const above = new URL(upper);
  const below = new URL(lower);
  const path = above.pathname.replace(/\/$/, '');
  return above.origin === below.origin && (below.pathname === path || below.pathname.startsWith(`${path}/`));
}

/**
 * Judges an authorization server's metadata (RFC 8414 section 3.3): the issuer must be the one that was asked for, and
 * PKCE with S256 must be announced, as MCP requires.
 */
export function judgeServerMetadata(
  document: unknown,
  issuer: string,
  { allowHttp }: Reading,
): Judged<ServerMetadata> {
  const parsed = serverDocument.safeParse(document);
  if (!parsed.success) return refuse('not_metadata');
  const { data } = parsed;
  // Servers write their own name with a slash at the end in one place and without it in the other.
  if (withoutSlash(data.issuer) !== withoutSlash(issuer)) return refuse('other_issuer');
  if (!data.code_challenge_methods_supported?.includes('S256')) return refuse('no_pkce');
  const read = (address: string | undefined) =>
    address === undefined ? null : readAddress(address, allowHttp);
  const authorizationEndpoint = readAddress(data.authorization_endpoint, allowHttp);
  const tokenEndpoint = readAddress(data.token_endpoint, allowHttp);
  const registrationEndpoint = read(data.registration_endpoint);
  const revocationEndpoint = read(data.revocation_endpoint);
  if (!authorizationEndpoint || !tokenEndpoint || registrationEndpoint === undefined)
    return refuse('address_refused');
  return {
    ok: true,
    value: {
      issuer: data.issuer,
      authorizationEndpoint,
      tokenEndpoint,
      registrationEndpoint,
      revocationEndpoint: revocationEndpoint ?? null,
      scopes: data.scopes_supported ?? [],
      // RFC 8414 section 2: the default where the member is left out.
      authMethods: data.token_endpoint_auth_methods_supported ?? ['client_secret_basic'],
      takesDocuments: data.client_id_metadata_document_supported === true,
      sendsIssuer: data.authorization_response_iss_parameter_supported === true,
    },
  };
}

function refuse(fault: MetadataFault): { readonly ok: false; readonly fault: MetadataFault } {
  return { ok: false, fault };
}

function withoutSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : address;
}

/** Where a protected resource's metadata may stand when its challenge does not say (RFC 9728 section 3.1), best first. */
export function resourceMetadataUrls(mcpUrl: string): string[] {
  const { origin, pathname } = new URL(mcpUrl);
  const path = pathname.replace(/\/$/, '');
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  return path === '' ? [wellKnown] : [`${wellKnown}${path}`, wellKnown];
}

/** Where an authorization server's metadata may stand, in the order that MCP prescribes. */
export function serverMetadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return path === '' ? urls : [...urls, `${origin}${path}/.well-known/openid-configuration`];
}
