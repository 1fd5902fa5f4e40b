import { HttpError } from '../http/errors.ts';
import { findClosestName } from '../lib/closest-name.ts';
import type { ApiBase, ResolvedConnection } from './contract.ts';
import type { ProxiedApi } from './rewrite-links.ts';
import { HOST_MARK, type ProxyTarget } from './target.ts';

/**
 * Where a call goes: the API base, or the further host that its path names. Throws `host_unknown`, and
 * `integration_misconfigured` where the host's address lacks a variable.
 */
export function apiBaseFor(
  { provider, host }: Pick<ProxyTarget, 'provider' | 'host'>,
  { apiBase, apiHosts }: Pick<ResolvedConnection, 'apiBase' | 'apiHosts'>,
): ApiBase {
  if (host === undefined) return apiBase;
  const found = apiHosts?.find(host);
  if (found?.ok) return found.base;
  if (found?.reason === 'incomplete') {
    const detail = `The address of the host \`${host}\` lacks “${found.variable}”.`;
    throw new HttpError('integration_misconfigured', { detail });
  }
  throw unknownHostError(provider, host, apiHosts?.names ?? []);
}

/** The refusal of a host that the provider does not have, with those that it has. */
function unknownHostError(provider: string, host: string, known: readonly string[]): HttpError {
  const meant = findClosestName(host, known);
  const sentences = [
    known.length === 0
      ? `\`${provider}\` has its API base alone and no further hosts.`
      : `Hosts of \`${provider}\`: ${known.join(', ')}.`,
    ...(meant === undefined ? [] : [`Did you mean \`${provider}~${meant}\`?`]),
  ];
  return new HttpError('host_unknown', { detail: sentences.join(' '), extra: { hosts: known } });
}

/** Address of a host through the proxy. */
export function hostUrl(providerUrl: string, host: string | undefined): string {
  return host === undefined ? providerUrl : `${providerUrl}${HOST_MARK}${host}`;
}

/** The provider's addresses beside the one that was called, and where the proxy has them. */
export function otherApis(
  { apiBase, apiHosts, placement }: Pick<ResolvedConnection, 'apiBase' | 'apiHosts' | 'placement'>,
  called: string | undefined,
  providerUrl: string,
): ProxiedApi[] | undefined {
  // Addresses that hold the key would have to be compared with it.
  if (apiHosts === undefined || placement.in === 'path') return undefined;
  return [undefined, ...apiHosts.names].flatMap((host): ProxiedApi[] => {
    if (host === called) return [];
    const found = host === undefined ? { ok: true as const, base: apiBase } : apiHosts.find(host);
    if (!found.ok) return [];
    return [{ apiUrl: found.base.origin + found.base.basePath, proxyUrl: hostUrl(providerUrl, host) }];
  });
}
