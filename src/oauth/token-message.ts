import { proofParameter } from '../catalog/facts/client-values.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { isSecretless } from '../catalog/schema/provider-fields.schema.ts';
import { placeCredential } from '../lib/credential-placement.ts';
import { fillParameters } from './authorization-request.ts';

/** The integration's own credentials at the provider. */
export type OAuthClient = {
  readonly clientId: string;
  /** Newest first. While a secret is being rotated the previous one is tried when the provider refuses the new one. */
  readonly clientSecrets: readonly string[];
  /** Hears what the provider made of each secret, by its place in `clientSecrets`. */
  noteVerdict?(secretIndex: number, verdict: 'worked' | 'refused'): void;
  /** Variables of the integration that are part of a credential, for the templates that name them. */
  readonly secretVariables?: Parameters;
};

/** Where a request goes and whose it is. `variables` are those of the integration and the connection together. */
export type Target = {
  readonly provider: Provider;
  readonly client: OAuthClient;
  readonly variables: Readonly<Record<string, string>>;
  /** The redirect URI as the provider knows it, for token requests that have to repeat it. */
  readonly redirectUrl?: string;
  readonly signal?: AbortSignal;
};

/** The token that a revocation names, and the access token that may have to authenticate it. */
export type RevocableToken = {
  readonly token: string;
  readonly accessToken: string | null;
};

export type Parameters = Readonly<Record<string, string>>;

export type Message = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
};

/** What a token request asks for. */
export type GrantRequest = {
  /** A refresh may be put in another way than the other requests (`refreshRequest`). */
  readonly use: 'issue' | 'refresh';
  /** Parameters by their registered names, which the provider may call by others or not want at all. */
  readonly registered: Parameters;
  /** The provider's own parameters: templates, sent under their names as they stand. */
  readonly own: Parameters;
};

/** Secrets to try in turn; a public client has none, which is one try. */
export function listSecrets({ provider, client }: Target): readonly (string | null)[] {
  const isPublic = isSecretless(provider.tokenEndpointAuth) && provider.clientAssertion === undefined;
  return isPublic ? [null] : client.clientSecrets;
}

/** The same for a revocation, which may take no secret where token requests do, and the other way round. */
export function listRevocationSecrets(target: Target): readonly (string | null)[] {
  const { revocation, accessTokenProof } = target.provider;
  const { clientAuth, extraParams, headers } = revocation;
  const templates = Object.values({ ...extraParams, ...headers });
  const isNamed = templates.some((template) => template.includes('{clientSecret}'));
  if (clientAuth === 'basic' || isNamed || accessTokenProof) return target.client.clientSecrets;
  return clientAuth === 'client' ? listSecrets(target) : [null];
}

/** What templates may name beside the variables. */
export function buildTemplateValues({ client, variables, redirectUrl }: Target): Record<string, string> {
  const { clientId, secretVariables } = client;
  return templateValues({
    integrationSecrets: secretVariables,
    connection: variables,
    gateway: { clientId, redirectUrl },
  });
}

/** The same for requests that name the client secret and an access token. */
function secretValuesOf(target: Target, accessToken: string | null, secret: string | null) {
  return templateValues({
    connection: buildTemplateValues(target),
    gateway: { clientSecret: secret ?? undefined },
    credentials: { accessToken: accessToken ?? undefined },
  });
}

/**
 * A token request: grant parameters with the client's authentication (RFC 6749 sections 2.3.1 and 3.2), put as the
 * provider wants it. `secret` is the client secret, or the assertion that stands for it. Pure.
 */
export function buildTokenMessage(
  url: string,
  target: Target,
  grant: GrantRequest,
  secret: string | null,
): Message {
  const shape = shapeOf(target.provider, grant.use);
  const authentication = clientAuthentication(target, shape, secret);
  const own = fillParameters(grant.own, buildTemplateValues(target));
  const parameters = {
    ...renameParameters(shape, { ...grant.registered, ...authentication.parameters }),
    ...own,
  };
  return put(url, target, shape, parameters, authentication.headers);
}

/**
 * A refresh by the access token itself: the parameters of the provider file and nothing else, so that a file says all
 * of what goes out. Pure.
 */
export function buildRenewalMessage(
  url: string,
  target: Target,
  accessToken: string,
  secret: string | null,
): Message {
  const values = secretValuesOf(target, accessToken, secret);
  const shape = shapeOf(target.provider, 'refresh');
  return put(url, target, shape, fillParameters(target.provider.refreshParams, values), {});
}

/** The second request of a provider whose token endpoint does not issue the token that is kept. Pure. */
export function buildExchangeMessage(
  url: string,
  target: Target,
  exchange: NonNullable<Provider['tokenExchange']>,
  accessToken: string,
  secret: string | null,
): Message {
  const values = secretValuesOf(target, accessToken, secret);
  const shape = { method: exchange.method, in: 'body', encoding: 'form', headers: {} } as const;
  return put(url, target, shape, fillParameters(exchange.params, values), {});
}

/** A revocation request (RFC 7009 section 2.1), in the provider's manner. Pure. */
export function buildRevocationMessage(
  url: string,
  target: Target,
  token: RevocableToken,
  secret: string | null,
): Message {
  const { provider } = target;
  const { revocation, tokenRequest } = provider;
  const authentication = revocationAuthentication(target, token, secret);
  const values = secretValuesOf(target, token.accessToken, secret);
  const parameters = {
    ...(revocation.tokenParameter !== null && { [revocation.tokenParameter]: token.token }),
    ...proofParameter(provider, values),
    ...fillParameters(revocation.extraParams, values),
    ...authentication.parameters,
  };
  return put(url, target, { ...revocation, headers: tokenRequest.headers }, parameters, {
    ...fillParameters(revocation.headers, values),
    ...authentication.headers,
  });
}

/**
 * How a revocation is authenticated: as the client at the token endpoint, by Basic, by the access token, or not at all.
 */
function revocationAuthentication(target: Target, token: RevocableToken, secret: string | null) {
  const { clientAuth } = target.provider.revocation;
  if (clientAuth === 'client') {
    const shape = shapeOf(target.provider, 'issue');
    const { headers, parameters } = clientAuthentication(target, shape, secret);
    return { headers, parameters: renameParameters(shape, parameters) };
  }
  if (clientAuth === 'basic' && secret !== null) return { headers: basicOf(target, secret), parameters: {} };
  if (clientAuth !== 'bearer' || token.accessToken === null) return { headers: {}, parameters: {} };
  const { accessToken } = token;
  const { basic } = target.provider;
  const placed = basic && placeCredential({ in: 'basic', ...basic }, { accessToken });
  const Authorization = placed?.in === 'header' ? placed.value : `Bearer ${accessToken}`;
  return { headers: { Authorization }, parameters: {} };
}

type Placing = {
  readonly method: Message['method'];
  readonly in: 'body' | 'query';
  readonly encoding: 'form' | 'json';
  readonly headers: Parameters;
};
type Shape = Placing & {
  readonly method: 'GET' | 'POST';
  readonly parameterNames: Parameters;
  readonly omit: readonly string[];
  readonly authentication: Provider['tokenEndpointAuth'];
};

/** How token requests are put, with what `refreshRequest` says otherwise for a refresh. */
function shapeOf(provider: Provider, use: GrantRequest['use']): Shape {
  const { tokenRequest, refreshRequest, tokenEndpointAuth } = provider;
  if (use === 'issue') return { ...tokenRequest, authentication: tokenEndpointAuth };
  return {
    method: refreshRequest.method ?? tokenRequest.method,
    in: refreshRequest.in ?? tokenRequest.in,
    encoding: refreshRequest.encoding ?? tokenRequest.encoding,
    headers: refreshRequest.headers ?? tokenRequest.headers,
    parameterNames: refreshRequest.parameterNames ?? tokenRequest.parameterNames,
    omit: refreshRequest.omit ?? tokenRequest.omit,
    authentication: refreshRequest.tokenEndpointAuth ?? tokenEndpointAuth,
  };
}

/** Registered parameters under the provider's names, less those that it refuses to see. */
function renameParameters({ parameterNames, omit }: Shape, registered: Parameters): Record<string, string> {
  const wanted = Object.entries(registered).filter(([name]) => !omit.includes(name));
  return Object.fromEntries(wanted.map(([name, value]) => [parameterNames[name] ?? name, value]));
}

function put(
  url: string,
  target: Target,
  { method, in: place, encoding, headers }: Placing,
  parameters: Parameters,
  authentication: Record<string, string>,
): Message {
  const given = { ...fillParameters(headers, buildTemplateValues(target)), ...authentication };
  // GitHub, for one, answers with a form unless JSON is asked for.
  const accept = { Accept: 'application/json' };
  const isBare = Object.keys(parameters).length === 0;
  if (method === 'GET' || place === 'query' || isBare) {
    return { method, url: withQuery(url, parameters), headers: { ...accept, ...given } };
  }
  const isJson = encoding === 'json';
  const type = { 'Content-Type': isJson ? 'application/json' : 'application/x-www-form-urlencoded' };
  const body = isJson ? JSON.stringify(parameters) : new URLSearchParams(parameters).toString();
  return { method, url, headers: { ...accept, ...type, ...given }, body };
}

function withQuery(url: string, parameters: Parameters): string {
  const query = new URLSearchParams(parameters).toString();
  return query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`;
}

/** The type of assertion that RFC 7523 section 2.2 registers. */
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

function clientAuthentication(target: Target, { authentication }: Shape, secret: string | null) {
  const client_id = target.client.clientId;
  if (secret !== null && target.provider.clientAssertion?.as === 'client_assertion') {
    const parameters = { client_id, client_assertion_type: JWT_BEARER, client_assertion: secret };
    return { headers: {}, parameters };
  }
  if (authentication === 'client_secret_basic' && secret !== null) {
    return { headers: basicOf(target, secret), parameters: {} };
  }
  const isSecretSent = secret !== null && !isSecretless(authentication);
  return { headers: {}, parameters: { client_id, ...(isSecretSent && { client_secret: secret }) } };
}

/** Both halves are form-encoded first, so that a colon in the id cannot move the border (RFC 6749 section 2.3.1). */
function basicOf({ client }: Target, secret: string): Record<string, string> {
  const pair = `${formEncoded(client.clientId)}:${formEncoded(secret)}`;
  return { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function formEncoded(value: string): string {
  return new URLSearchParams([['', value]]).toString().slice(1);
}
