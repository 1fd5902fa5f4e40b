import type { Provider } from '../catalog/provider.schema.ts';
import { resolveUrl } from '../catalog/resolve-url.ts';
import { HttpError } from '../http/errors.ts';
import { fillTemplate } from '../lib/template.ts';
import { refreshMarginMs } from '../oauth/access-tokens.ts';
import type { ApiBase, Credential, CredentialPlacement, ResolvedConnection } from './contract.ts';
import type { UserConnection } from './user-connections.store.ts';

/** A connection with what the hot path needs, prepared once. `credential` changes with every refresh. */
export type WarmConnection = {
  readonly resolved: ResolvedConnection;
  readonly status: UserConnection['status'];
  readonly hasRefreshToken: boolean;
  readonly spread: number;
  credential: Credential;
  expiresAtMs: number;
  refreshFromMs: number;
};

/**
 * A stored connection, prepared. `spread` in [0, 1) sets apart when tokens issued together are refreshed. Throws
 * `integration_misconfigured` where the API's address lacks a variable.
 */
export function warmed(
  provider: Provider,
  projectId: string,
  integrationVariables: Record<string, string>,
  connection: UserConnection,
  spread: number,
): WarmConnection {
  const variables = { ...integrationVariables, ...connection.variables };
  const values = { ...variables, ...connection.credentials.values };
  const placement = placementOf(provider);
  return {
    resolved: {
      projectId,
      connectionId: connection.connectionId,
      integrationId: connection.integrationId,
      providerId: provider.id,
      apiBase: apiBaseOf(provider, variables),
      apiHeaders: apiHeadersOf(provider, values),
      placement,
    },
    status: connection.status,
    hasRefreshToken:
      connection.credentials.refreshToken !== null || provider.auth === 'oauth2-client-credentials',
    spread,
    credential: credentialOf(placement, connection.version, values),
    ...lifeOf(connection.expiresAt, connection.lifetimeSeconds, spread),
  };
}

/** When the token expires and from when on it is to be refreshed, in milliseconds since the epoch. */
export function lifeOf(expiresAt: Date | null, lifetimeSeconds: number | null, spread: number) {
  if (expiresAt === null)
    return { expiresAtMs: Number.POSITIVE_INFINITY, refreshFromMs: Number.POSITIVE_INFINITY };
  const expiresAtMs = expiresAt.getTime();
  return { expiresAtMs, refreshFromMs: expiresAtMs - refreshMarginMs(lifetimeSeconds, spread) };
}

function placementOf(provider: Provider): CredentialPlacement {
  if (provider.auth === 'basic') {
    return { in: 'basic', ...(provider.basic ?? { username: '{username}', password: '{password}' }) };
  }
  if (provider.auth === 'api-key' && provider.apiKey !== undefined) return provider.apiKey;
  return { in: 'header', ...provider.accessTokenHeader };
}

/** The credential with its header value filled in, where it goes into one. */
export function credentialOf(
  placement: CredentialPlacement,
  version: number,
  values: Readonly<Record<string, string>>,
): Credential {
  if (placement.in !== 'header') return { version, values };
  const headerValue = fillTemplate(placement.template, values);
  return headerValue === undefined ? { version, values } : { version, values, headerValue };
}

function apiHeadersOf(provider: Provider, values: Record<string, string>): [string, string][] {
  return Object.entries(provider.apiHeaders).flatMap(([name, template]) => {
    const value = fillTemplate(template, values);
    return value === undefined ? [] : [[name, value] as [string, string]];
  });
}

function apiBaseOf(provider: Provider, variables: Record<string, string>): ApiBase {
  const resolved = resolveUrl(provider.apiBaseUrl, provider, variables);
  if (!resolved.ok) {
    throw new HttpError('integration_misconfigured', {
      detail: `The API address lacks “${resolved.variable}”.`,
    });
  }
  const url = new URL(resolved.url);
  const isHttps = url.protocol === 'https:';
  return {
    origin: url.origin,
    protocol: isHttps ? 'https:' : 'http:',
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isHttps ? 443 : 80) : Number(url.port),
    basePath: url.pathname.replace(/\/+$/, ''),
  };
}
