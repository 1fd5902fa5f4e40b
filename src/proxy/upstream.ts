import { fillTemplate } from '../lib/template.ts';
import type { ApiBase, Credential, CredentialPlacement } from './contract.ts';
import type { ProxyTarget } from './target.ts';

/**
 * The request target sent to the provider: base path, then the caller's path and query byte for byte. Only a
 * credential that the provider wants in the path or the query changes anything, and then by insertion alone.
 * Undefined when the credential lacks a value that the placement names.
 */
export function upstreamTarget(
  target: Pick<ProxyTarget, 'rawPath' | 'rawQuery'>,
  base: Pick<ApiBase, 'basePath'>,
  placement: CredentialPlacement,
  credential: Credential,
): string | undefined {
  if (placement.in === 'header' || placement.in === 'basic') {
    return join(base.basePath, target.rawPath) + target.rawQuery;
  }
  const filled = fillTemplate(placement.template, credential.values, encodeURIComponent);
  if (filled === undefined) return undefined;
  if (placement.in === 'path') return join(filled, target.rawPath) + target.rawQuery;
  return (
    join(base.basePath, target.rawPath) +
    withParameter(target.rawQuery, encodeURIComponent(placement.name), filled)
  );
}

/** An empty path is `/` on the wire (RFC 9112 section 3.2.1), but only where the base path is empty as well. */
function join(basePath: string, rawPath: string): string {
  return basePath + rawPath || '/';
}

/** Ours goes last, so that the caller's query keeps its bytes and its order. */
function withParameter(rawQuery: string, name: string, value: string): string {
  if (rawQuery === '') return `?${name}=${value}`;
  const separator = rawQuery === '?' || rawQuery.endsWith('&') ? '' : '&';
  return `${rawQuery}${separator}${name}=${value}`;
}

/** `Host` of requests to this base: the port only where it is not the scheme's own (RFC 9110 section 7.2). */
export function hostField(base: ApiBase): string {
  const host = base.hostname.includes(':') ? `[${base.hostname}]` : base.hostname;
  const isDefaultPort = base.port === (base.protocol === 'https:' ? 443 : 80);
  return isDefaultPort ? host : `${host}:${base.port}`;
}
