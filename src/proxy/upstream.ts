import { fillTemplate } from '../lib/template.ts';
import type { ApiBase, Credential, CredentialPlacement, ResolvedConnection } from './contract.ts';
import type { ProxyTarget } from './target.ts';

/**
 * The request target sent to the provider: base path, then the caller's path and query byte for byte. Only what the
 * provider wants in the path or the query (a credential, parameters of every call) changes anything, and then by
 * insertion alone.
 * Undefined when the credential lacks a value that the placement names.
 */
export function upstreamTarget(
  target: Pick<ProxyTarget, 'rawPath' | 'rawQuery'>,
  base: Pick<ApiBase, 'basePath'>,
  placement: CredentialPlacement,
  credential: Credential,
  apiQuery: ResolvedConnection['apiQuery'] = [],
): string | undefined {
  const rawQuery = apiQuery.length === 0 ? target.rawQuery : withApiQuery(target.rawQuery, apiQuery);
  if (placement.in === 'header' || placement.in === 'basic') {
    return join(base.basePath, target.rawPath) + rawQuery;
  }
  const filled = fillTemplate(placement.template, credential.values, encodeURIComponent);
  if (filled === undefined) return undefined;
  if (placement.in === 'path') return join(filled, target.rawPath) + rawQuery;
  const parameter = `${encodeURIComponent(placement.name)}=${filled}`;
  return join(base.basePath, target.rawPath) + withParameter(rawQuery, parameter);
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
