import { createHmac } from 'node:crypto';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';

/** What a request must be at a provider that behaves as its file says, worked out from the file alone. */
export type Expected = {
  readonly method: string;
  readonly query: Texts;
  /** Undefined: no body at all. */
  readonly body: unknown;
  readonly type: string | undefined;
  readonly headers: Texts;
  readonly authorization: string | undefined;
};

export type Texts = Readonly<Record<string, string>>;

/** A template with its values; what has none stays as it is, so that it is noticed. */
export function fill(template: string, values: Texts): string {
  return template.replace(/\{([A-Za-z][\w.]*)\}/g, (whole, name: string) => values[name] ?? whole);
}

export function fillAll(templates: Texts, values: Texts): Texts {
  return Object.fromEntries(
    Object.entries(templates).map(([name, template]) => [name, fill(template, values)]),
  );
}

/** The client as the provider knows it. `proof` is its secret, or the assertion that it sent. */
export type Client = { readonly clientId: string; readonly proof: string };

type Manner = Pick<Provider['tokenRequest'], 'method' | 'in' | 'encoding' | 'headers'>;

function put(manner: Manner, parameters: Texts, values: Texts, authorization: string | undefined): Expected {
  const headers = fillAll(manner.headers, values);
  const isBare = Object.keys(parameters).length === 0;
  if (manner.method === 'GET' || manner.in === 'query' || isBare) {
    return {
      method: manner.method,
      query: parameters,
      body: undefined,
      type: undefined,
      headers,
      authorization,
    };
  }
  const type = manner.encoding === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  return { method: manner.method, query: {}, body: parameters, type, headers, authorization };
}

function basicOf({ clientId, proof }: Client): string {
  const encoded = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');
  return `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(proof)}`).toString('base64')}`;
}

function clientParameters(provider: Provider, auth: Provider['tokenEndpointAuth'], client: Client): Texts {
  if (provider.clientAssertion?.as === 'client_assertion') {
    return {
      client_id: client.clientId,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: client.proof,
    };
  }
  if (auth === 'client_secret_basic') return {};
  return {
    client_id: client.clientId,
    ...(auth === 'client_secret_post' && { client_secret: client.proof }),
  };
}

/** A request to the token endpoint with these registered parameters. */
export function expectedTokenRequest(
  provider: Provider,
  use: 'issue' | 'refresh',
  registered: Texts,
  values: Texts,
  client: Client,
): Expected {
  const { tokenEndpointAuth: otherAuth, ...other } = use === 'refresh' ? provider.refreshRequest : {};
  const manner = Object.assign({}, provider.tokenRequest, other);
  const auth = otherAuth ?? provider.tokenEndpointAuth;
  const all = { ...registered, ...clientParameters(provider, auth, client) };
  const named = Object.entries(all)
    .filter(([name]) => !manner.omit.includes(name))
    .map(([name, value]) => [manner.parameterNames[name] ?? name, value]);
  const own = fillAll(use === 'refresh' ? provider.refreshParams : provider.tokenParams, values);
  const isAsserted = provider.clientAssertion?.as === 'client_assertion';
  const authorization = auth === 'client_secret_basic' && !isAsserted ? basicOf(client) : undefined;
  return put(manner, { ...Object.fromEntries(named), ...own }, values, authorization);
}

/** A renewal by the access token: the file's parameters and nothing else. */
export function expectedRenewal(provider: Provider, values: Texts): Expected {
  const manner = Object.assign({}, provider.tokenRequest, provider.refreshRequest);
  return put(manner, fillAll(provider.refreshParams, values), values, undefined);
}

export function expectedExchange(exchange: NonNullable<Provider['tokenExchange']>, values: Texts): Expected {
  const manner = { method: exchange.method, in: 'body', encoding: 'form', headers: {} } as const;
  return put(manner, fillAll(exchange.params, values), values, undefined);
}

export function expectedRevocation(
  provider: Provider,
  tokens: { readonly accessToken: string; readonly refreshToken: string | undefined },
  values: Texts,
  client: Client,
): Expected {
  const { revocation, tokenRequest, tokenEndpointAuth } = provider;
  const { clientAuth } = revocation;
  const token = revocation.token === 'refresh_token' ? tokens.refreshToken : undefined;
  const isClient = clientAuth === 'client';
  const named = Object.entries(isClient ? clientParameters(provider, tokenEndpointAuth, client) : {})
    .filter(([name]) => !tokenRequest.omit.includes(name))
    .map(([name, value]) => [tokenRequest.parameterNames[name] ?? name, value]);
  const own = { ...values, accessToken: tokens.accessToken };
  const parameters = {
    ...(revocation.tokenParameter !== null && { [revocation.tokenParameter]: token ?? tokens.accessToken }),
    ...fillAll(revocation.extraParams, own),
    ...expectedProof(provider, own),
    ...Object.fromEntries(named),
  };
  const isAsserted = provider.clientAssertion?.as === 'client_assertion';
  const isBasic =
    clientAuth === 'basic' || (isClient && tokenEndpointAuth === 'client_secret_basic' && !isAsserted);
  const asToken = provider.basic === undefined ? `Bearer ${tokens.accessToken}` : pairOf(provider.basic, own);
  const bearer = clientAuth === 'bearer' ? asToken : undefined;
  const manner = { ...revocation, headers: { ...tokenRequest.headers, ...revocation.headers } };
  const expected = put({ ...manner, method: 'POST' }, parameters, own, isBasic ? basicOf(client) : bearer);
  if (revocation.method !== 'GET') return { ...expected, method: revocation.method };
  return { ...expected, method: 'GET', query: parameters, body: undefined, type: undefined };
}

/** The parameter that proves the client behind the access token. */
function expectedProof(
  { accessTokenProof }: Provider,
  { accessToken = '', clientSecret = '' }: Texts,
): Texts {
  if (accessTokenProof === undefined) return {};
  const proof = createHmac('sha256', clientSecret).update(accessToken).digest('hex');
  return { [accessTokenProof.parameter]: proof };
}

function pairOf({ username, password }: { username: string; password: string }, values: Texts): string {
  const pair = `${fill(username, values)}:${fill(password, values)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** Where the credential of an API call must stand. `values` hold the credential's parts beside the variables. */
export function expectedCredential(
  provider: Provider,
  values: Texts,
): { readonly headers: Texts; readonly query: Texts; readonly basePath: string | undefined } {
  const nothing = { headers: {}, query: {}, basePath: undefined };
  const query = { ...fillAll(provider.apiQuery, values), ...expectedProof(provider, values) };
  if (provider.basic !== undefined)
    return { ...nothing, query, headers: { authorization: pairOf(provider.basic, values) } };
  if (provider.auth === 'api-key' && provider.apiKey !== undefined) {
    const { in: place, name, template } = provider.apiKey;
    if (place === 'header')
      return { ...nothing, query, headers: { [name.toLowerCase()]: fill(template, values) } };
    if (place === 'query') return { ...nothing, query: { ...query, [name]: fill(template, values) } };
    return { ...nothing, query, basePath: fill(template, values) };
  }
  const isInQuery = Object.values(provider.apiQuery).some((template) => template.includes('{accessToken}'));
  const { name, template } = provider.accessTokenHeader;
  return { ...nothing, query, headers: isInQuery ? {} : { [name.toLowerCase()]: fill(template, values) } };
}
