import type { PlacedCredential } from '../lib/credential-placement.ts';
import { callCredential } from './call-credential.ts';
import type { ApiBase, Credential, ResolvedConnection } from './contract.ts';
import type { FieldList } from './field-list.ts';
import { outgoingFields } from './outgoing-fields.ts';
import type { RequestFields } from './request-fields.ts';
import type { ProxyTarget } from './target.ts';

/** What goes out to the provider for one call: the whole request target and the header section. */
export type ProviderRequest = { readonly pathname: string; readonly fields: FieldList };

type CallParts = {
  readonly method: string;
  readonly target: Pick<ProxyTarget, 'rawPath' | 'rawQuery'>;
  /** The caller's header section. */
  readonly fields: RequestFields;
  readonly connection: Pick<ResolvedConnection, 'apiHeaders' | 'apiQuery' | 'placement'>;
  readonly apiBase: ApiBase;
  readonly credential: Credential;
  /** The user JWT, which must not travel on. */
  readonly token: string;
  /** The header field that takes the bare credential; see `callCredential`. */
  readonly carrier?: string | undefined;
  /** Value of `Gateway-Loop`; none is sent without it. */
  readonly loopMark?: string | undefined;
  /** True where the answer's body will be read by the gateway, which understands no content coding. */
  readonly isIdentityWanted?: boolean;
};

/**
 * Puts a request to the provider together. Undefined where the credential lacks a value that its placement names, or
 * cannot be sent.
 */
export function providerRequest(parts: CallParts): ProviderRequest | undefined {
  const { connection, apiBase, method, token } = parts;
  const placed = callCredential(connection.placement, parts.credential, parts.carrier);
  if (placed === undefined) return undefined;
  const fields = outgoingFields(parts.fields, {
    host: hostField(apiBase),
    credential: placed.in === 'header' ? placed : undefined,
    apiHeaders: connection.apiHeaders,
    token,
    method,
    loopMark: parts.loopMark,
    isIdentityWanted: parts.isIdentityWanted === true,
  });
  return { pathname: upstreamTarget(parts.target, apiBase, placed, connection.apiQuery), fields };
}

/**
 * The request target sent to the provider: base path, then the caller's path and query byte for byte. Only what the
 * provider wants in the path or the query (a credential, parameters of every call) changes anything, and then by
 * insertion alone.
 */
export function upstreamTarget(
  target: Pick<ProxyTarget, 'rawPath' | 'rawQuery'>,
  base: Pick<ApiBase, 'basePath'>,
  placed: PlacedCredential,
  apiQuery: ResolvedConnection['apiQuery'] = [],
): string {
  const rawQuery = apiQuery.length === 0 ? target.rawQuery : withApiQuery(target.rawQuery, apiQuery);
  if (placed.in === 'path') return join(base.basePath + placed.basePath, target.rawPath) + rawQuery;
  const path = join(base.basePath, target.rawPath);
  if (placed.in !== 'query') return path + rawQuery;
  const parameter = `${encodeURIComponent(placed.name)}=${encodeURIComponent(placed.value)}`;
  return path + withParameter(rawQuery, parameter);
}

function withApiQuery(rawQuery: string, apiQuery: ResolvedConnection['apiQuery']): string {
  const sent = new URLSearchParams(rawQuery);
  return apiQuery
    .filter(([name]) => !sent.has(name))
    .reduce((query, [, parameter]) => withParameter(query, parameter), rawQuery);
}

/** An empty path is `/` on the wire (RFC 9112 section 3.2.1), but only where the base path is empty as well. */
function join(basePath: string, rawPath: string): string {
  return basePath + rawPath || '/';
}

/** Ours goes last, so that the caller's query keeps its bytes and its order. */
function withParameter(rawQuery: string, parameter: string): string {
  if (rawQuery === '') return `?${parameter}`;
  const separator = rawQuery === '?' || rawQuery.endsWith('&') ? '' : '&';
  return `${rawQuery}${separator}${parameter}`;
}

/** `Host` of requests to this base: the port only where it is not the scheme's own (RFC 9110 section 7.2). */
export function hostField(base: ApiBase): string {
  const host = base.hostname.includes(':') ? `[${base.hostname}]` : base.hostname;
  const isDefaultPort = base.port === (base.protocol === 'https:' ? 443 : 80);
  return isDefaultPort ? host : `${host}:${base.port}`;
}
