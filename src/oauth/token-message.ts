import type { Provider } from '../catalog/provider.schema.ts';
import { filledParameters } from './authorization-request.ts';

/** The integration's own credentials at the provider. */
export type OAuthClient = {
  readonly clientId: string;
  /** Newest first. While a secret is being rotated the previous one is tried when the provider refuses the new one. */
  readonly clientSecrets: readonly string[];
};

/** Where a request goes and whose it is. `variables` are those of the integration and the connection together. */
export type Target = {
  readonly provider: Provider;
  readonly client: OAuthClient;
  readonly variables: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** The token that a revocation names, and the access token that may have to authenticate it. */
export type RevocableToken = {
  readonly token: string;
  readonly accessToken: string | null;
};

export type Parameters = Readonly<Record<string, string>>;

export type Message = {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
};

/** Secrets to try in turn; a public client has none, which is one try. */
export function secretsOf({ provider, client }: Target): readonly (string | null)[] {
  return provider.tokenEndpointAuth === 'none' ? [null] : client.clientSecrets;
}

/** A token request: grant parameters with the client's authentication (RFC 6749 sections 2.3.1 and 3.2). Pure. */
export function tokenMessage(url: string, target: Target, grant: Parameters, secret: string | null): Message {
  const { provider } = target;
  const authentication = clientAuthentication(target, secret);
  return {
    url,
    headers: {
      ...headersFor(provider),
      ...filledParameters(provider.tokenRequest.headers, target.variables),
      ...authentication.headers,
    },
    body: encode(provider, { ...grant, ...authentication.parameters }),
  };
}

/** A revocation request (RFC 7009 section 2.1), in the provider's manner. Pure. */
export function revocationMessage(
  url: string,
  target: Target,
  token: RevocableToken,
  secret: string | null,
): Message {
  const { provider, variables } = target;
  const { revocation } = provider;
  const authentication =
    revocation.clientAuth === 'client'
      ? clientAuthentication(target, secret)
      : { headers: bearerOf(revocation.clientAuth, token), parameters: {} };
  const parameters = {
    [revocation.tokenParameter]: token.token,
    ...filledParameters(revocation.extraParams, variables),
    ...authentication.parameters,
  };
  const isQuery = revocation.in === 'query';
  const query = new URLSearchParams(parameters).toString();
  return {
    url: isQuery ? `${url}${url.includes('?') ? '&' : '?'}${query}` : url,
    headers: {
      ...headersFor(provider),
      ...filledParameters(provider.tokenRequest.headers, variables),
      ...authentication.headers,
    },
    body: isQuery ? '' : encode(provider, parameters),
  };
}

function bearerOf(clientAuth: 'bearer' | 'none', { accessToken }: RevocableToken): Record<string, string> {
  return clientAuth === 'bearer' && accessToken !== null ? { Authorization: `Bearer ${accessToken}` } : {};
}

function headersFor(provider: Provider): Record<string, string> {
  const isJson = provider.tokenRequest.encoding === 'json';
  return {
    // GitHub, for one, answers with a form unless JSON is asked for.
    Accept: 'application/json',
    'Content-Type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
  };
}

function encode(provider: Provider, parameters: Parameters): string {
  return provider.tokenRequest.encoding === 'json'
    ? JSON.stringify(parameters)
    : new URLSearchParams(parameters).toString();
}

function clientAuthentication({ provider, client }: Target, secret: string | null) {
  if (provider.tokenEndpointAuth === 'client_secret_basic' && secret !== null) {
    // Both halves are form-encoded first, so that a colon in the id cannot move the border (RFC 6749 section 2.3.1).
    const pair = `${formEncoded(client.clientId)}:${formEncoded(secret)}`;
    return { headers: { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, parameters: {} };
  }
  const parameters = {
    [provider.clientIdParameter]: client.clientId,
    ...(secret !== null && { client_secret: secret }),
  };
  return { headers: {}, parameters };
}

function formEncoded(value: string): string {
  return new URLSearchParams([['', value]]).toString().slice(1);
}
