import { parseJson } from '../lib/parse-json.ts';
import { type Outbound, OutboundError, type OutboundResponse } from '../platform/outbound.ts';
import { readBearerChallenge } from './challenge.ts';
import type { DiscoveredServer } from './discovered-server.ts';
import {
  type Judged,
  judgeResourceMetadata,
  judgeServerMetadata,
  type MetadataFault,
  type ResourceMetadata,
  resourceMetadataUrls,
  type ServerMetadata,
  serverMetadataUrls,
} from './server-metadata.ts';

const REQUEST_MS = 5_000;
const DISCOVERY_MS = 15_000;
const DOCUMENT_BYTES_MAX = 64 * 1024;
/** Of those that a resource names; each costs up to three requests. */
const SERVERS_MAX = 3;
const SCOPES_MAX = 100;
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]{1,200}$/;

/** One request of a discovery, and what came of it. */
export type DiscoveryStep = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Null where there was no answer. */
  readonly status: number | null;
  readonly result: 'ok' | 'challenge' | 'no_challenge' | 'not_found' | 'unreachable' | MetadataFault;
};

/** Why no authorization server was found. */
export type DiscoveryFault = 'unreachable' | 'no_authorization' | MetadataFault;

export type FoundServer = Omit<DiscoveredServer, 'discoveredAt' | 'client'>;

export type Discovery = { readonly steps: readonly DiscoveryStep[] } & (
  | { readonly ok: true; readonly server: FoundServer }
  | { readonly ok: false; readonly fault: DiscoveryFault }
);

/** Endpoints that a provider file states, for a server without metadata. */
export type StatedEndpoints = {
  readonly authorizationUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly registrationUrl?: string | undefined;
};

/**
 * Finds the authorization server of an MCP server as the MCP authorization specification (2025-11-25) has it: by the
 * challenge to a request without a token, by the protected resource's metadata (RFC 9728), then by the server's own
 * (RFC 8414, OpenID Connect Discovery). A server without metadata is taken for one of the specification of 2025-03-26:
 * metadata at the origin, else the endpoints that the file states, else the usual paths. No secret is sent, no redirect
 * is followed, and it takes 15 s at most. Where anything failed for now, nothing older is fallen back to.
 */
export async function discoverServer(
  { outbound, allowHttp }: { readonly outbound: Outbound; readonly allowHttp: boolean },
  mcpUrl: string,
  stated: StatedEndpoints = {},
): Promise<Discovery> {
  const steps: DiscoveryStep[] = [];
  const signal = AbortSignal.timeout(DISCOVERY_MS);
  const reading = { allowHttp };
  const limits = { timeoutMs: REQUEST_MS, responseBytesMax: DOCUMENT_BYTES_MAX, signal };

  async function ask(request: {
    method: 'GET' | 'POST';
    url: string;
    headers: Record<string, string>;
    body?: string;
  }): Promise<OutboundResponse | undefined> {
    try {
      return await outbound.request({ ...request, ...limits });
    } catch (error) {
      if (error instanceof OutboundError) return undefined;
      throw error;
    }
  }

  /** A message that changes nothing: who may not send it learns where to authorize. */
  async function readChallenge() {
    const response = await ask({
      method: 'POST',
      url: mcpUrl,
      headers: { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    const challenge = readBearerChallenge(response?.headers['www-authenticate']);
    const status = response?.status ?? null;
    const result = status === null ? 'unreachable' : challenge === undefined ? 'no_challenge' : 'challenge';
    steps.push({ method: 'POST', url: mcpUrl, status, result });
    return { status, challenge };
  }

  async function readDocument<Value>(
    urls: readonly string[],
    judge: (document: unknown) => Judged<Value>,
  ): Promise<Value | DiscoveryFault | 'not_found'> {
    let worst: DiscoveryFault | 'not_found' = 'not_found';
    for (const url of urls) {
      const response = await ask({ method: 'GET', url, headers: { Accept: 'application/json' } });
      const judged = judgeDocument(response, judge);
      const result = judged.ok ? 'ok' : judged.fault;
      steps.push({ method: 'GET', url, status: response?.status ?? null, result });
      if (judged.ok) return judged.value;
      if (worst === 'not_found' || judged.fault === 'unreachable') worst = judged.fault;
    }
    return worst;
  }

  const readServer = (issuer: string) =>
    readDocument<ServerMetadata>(serverMetadataUrls(issuer), (document) =>
      judgeServerMetadata(document, issuer, reading),
    );
  const fail = (fault: DiscoveryFault): Discovery => ({ ok: false, fault, steps });
  const found = (
    server: ServerMetadata,
    resource: Pick<ResourceMetadata, 'resource' | 'scopes'>,
    hasMetadata: boolean,
  ): Discovery => {
    const { scopes: supported, authMethods, ...endpoints } = server;
    const scopes = scopesToAsk(challenge?.scope?.split(' ') ?? resource.scopes, supported);
    const described = { ...endpoints, authMethods: [...authMethods], scopes };
    return { ok: true, server: { mcpUrl, resource: resource.resource, hasMetadata, ...described }, steps };
  };

  const { status, challenge } = await readChallenge();
  if (status === null) return fail('unreachable');
  const named = challenge?.resourceMetadataUrl;
  const resourceUrls = [...(isWebAddress(named) ? [named] : []), ...resourceMetadataUrls(mcpUrl)];
  const resource = await readDocument<ResourceMetadata>([...new Set(resourceUrls)], (document) =>
    judgeResourceMetadata(document, mcpUrl, reading),
  );
  if (typeof resource === 'object') {
    let fault: DiscoveryFault | 'not_found' = 'not_found';
    for (const issuer of resource.servers.slice(0, SERVERS_MAX)) {
      const server = await readServer(issuer);
      if (typeof server === 'object') return found(server, resource, true);
      fault = server;
    }
    const [issuer = ''] = resource.servers;
    const own = fault === 'not_found' ? statedServer(issuer, stated) : undefined;
    if (own !== undefined) return found(own, resource, false);
    return fail(fault === 'not_found' ? 'no_authorization_server' : fault);
  }
  if (resource !== 'not_found' && resource !== 'not_metadata') return fail(resource);

  // A server of 2025-03-26: it is its own authorization server.
  const { origin } = new URL(mcpUrl);
  const ownResource = { resource: mcpUrl, scopes: [] };
  const server = await readServer(origin);
  if (typeof server === 'object') return found(server, ownResource, true);
  if (server !== 'not_found' && server !== 'not_metadata') return fail(server);
  const last = statedServer(origin, stated) ?? (status === 401 ? usualServer(origin) : undefined);
  return last === undefined ? fail('no_authorization') : found(last, ownResource, false);
}

function judgeDocument<Value>(
  response: OutboundResponse | undefined,
  judge: (document: unknown) => Judged<Value>,
):
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: MetadataFault | 'unreachable' | 'not_found' } {
  if (response === undefined || response.status >= 500 || response.status === 429) {
    return { ok: false, fault: 'unreachable' };
  }
  return response.status === 200
    ? judge(parseJson(response.body.toString('utf8')))
    : { ok: false, fault: 'not_found' };
}

function isWebAddress(url: string | undefined): url is string {
  return url !== undefined && /^https?:$/.test(URL.parse(url)?.protocol ?? '');
}

function statedServer(issuer: string, stated: StatedEndpoints): ServerMetadata | undefined {
  const { authorizationUrl, tokenUrl, registrationUrl = null } = stated;
  if (authorizationUrl === undefined || tokenUrl === undefined) return undefined;
  return serverWithoutMetadata(issuer, authorizationUrl, tokenUrl, registrationUrl);
}

/** The paths that the specification of 2025-03-26 has for servers without metadata. */
function usualServer(origin: string): ServerMetadata {
  return serverWithoutMetadata(origin, `${origin}/authorize`, `${origin}/token`, `${origin}/register`);
}

function serverWithoutMetadata(
  issuer: string,
  authorizationEndpoint: string,
  tokenEndpoint: string,
  registrationEndpoint: string | null,
): ServerMetadata {
  return {
    issuer,
    authorizationEndpoint,
    tokenEndpoint,
    registrationEndpoint,
    revocationEndpoint: null,
    scopes: [],
    authMethods: ['client_secret_post', 'none'],
    takesDocuments: false,
    sendsIssuer: false,
  };
}

/** The scopes to ask for where the operator chose none; `offline_access` wherever the server has it, to get a refresh token. */
function scopesToAsk(wanted: readonly string[], supported: readonly string[]): string[] {
  const offline = supported.includes('offline_access') ? ['offline_access'] : [];
  return [...new Set([...wanted, ...offline])].filter((scope) => SCOPE.test(scope)).slice(0, SCOPES_MAX);
}
