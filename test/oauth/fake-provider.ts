import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { Provider, ProviderVariable } from '../../src/catalog/provider.schema.ts';
import { resolveUrl } from '../../src/catalog/resolve-url.ts';
import { fillTemplate } from '../../src/lib/template.ts';
import { createOutbound, type Outbound } from '../../src/platform/outbound.ts';
import { closeServer, listen, readBody } from '../support/authorization-server.ts';

export const CLIENT = { clientId: 'client id', clientSecret: 'client:secret+' };
export const ACCOUNT = 'the-account';
export const REDIRECT_URI = 'https://gateway.example/oauth/callback';

type Call = {
  readonly method: string;
  /** The address that the gateway believes to call. */
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly parameters: Readonly<Record<string, string>>;
};

type Reply = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown };

export type FakeProvider = {
  /** Reaches the fake server under every address of the provider file. */
  readonly outbound: Outbound;
  /** What was wrong with requests so far; empty when every one was as the provider file says. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
};

/** A value that fits a variable: what the file gives as an example, or a plain word. */
export function exampleOf(variable: ProviderVariable): string {
  return variable.example ?? variable.default ?? variable.options?.[0]?.value ?? 'example';
}

/** A provider that behaves as its file says: made from the file, so a new file needs no new test. */
export async function startFakeProvider(provider: Provider): Promise<FakeProvider> {
  const complaints: string[] = [];
  const answer = conductOf(provider, (complaint) => complaints.push(complaint));
  const server = createServer((request, response) => {
    callOf(request)
      .then((call) => answer(call))
      .catch((error: unknown): Reply => ({ status: 599, body: { fault: String(error) } }))
      .then(({ status, headers, body }) => {
        response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
        response.end(body === undefined ? '' : JSON.stringify(body));
      });
  });
  const port = await listen(server);
  const real = createOutbound({ allowPrivateNetworks: true });
  return {
    complaints,
    close: () => closeServer(server),
    outbound: {
      request(request) {
        const { protocol, host, pathname, search } = new URL(request.url);
        if (protocol !== 'https:') throw new Error('not https');
        return real.request({ ...request, url: `http://127.0.0.1:${port}/${host}${pathname}${search}` });
      },
    },
  };
}

async function callOf(request: IncomingMessage): Promise<Call> {
  const url = new URL(`https:/${request.url}`);
  const body = await readBody(request);
  const isJson = request.headers['content-type'] === 'application/json';
  const inBody: Record<string, string> = isJson
    ? JSON.parse(body)
    : Object.fromEntries(new URLSearchParams(body));
  const parameters = { ...Object.fromEntries(url.searchParams), ...inBody };
  return { method: request.method ?? '', url, headers: request.headers, parameters };
}

type Complain = (complaint: string) => void;
type Grant = { challenge: string | undefined; accessToken: string; refreshToken: string; isRevoked: boolean };

function conductOf(provider: Provider, complain: Complain): (call: Call) => Reply {
  const grant: Grant = { challenge: undefined, accessToken: '', refreshToken: '', isRevoked: false };
  const endpoints: [string | undefined, (call: Call) => Reply][] = [
    [provider.authorizationUrl, (call) => authorize(provider, grant, call, complain)],
    [provider.tokenUrl, (call) => issue(provider, grant, call, complain)],
    [provider.refreshUrl, (call) => issue(provider, grant, call, complain)],
    [provider.revocationUrl, (call) => revoke(provider, grant, call, complain)],
    [provider.account?.request?.url, (call) => showAccount(provider, grant, call, complain)],
  ];
  return (call) => {
    const found = endpoints.find(
      ([template]) => template !== undefined && isAt(provider, template, call.url),
    );
    if (found !== undefined) return found[1](call);
    complain(`a call to ${call.url.href}`);
    return { status: 404 };
  };
}

function isAt(provider: Provider, template: string, url: URL): boolean {
  const values = Object.fromEntries(
    provider.variables.map((variable) => [variable.name, exampleOf(variable)]),
  );
  const resolved = resolveUrl(template, provider, values);
  if (!resolved.ok) throw new Error(`${template}: ${resolved.message}`);
  const { host, pathname } = new URL(resolved.url);
  return host === url.host && pathname === url.pathname;
}

function authorize(provider: Provider, grant: Grant, call: Call, complain: Complain): Reply {
  const { parameters } = call;
  if (call.method !== 'GET') complain(`authorization by ${call.method}`);
  const expected = { ...provider.authorizationParams, response_type: 'code', redirect_uri: REDIRECT_URI };
  for (const [name, value] of Object.entries({
    ...expected,
    [provider.clientIdParameter]: CLIENT.clientId,
  })) {
    if (parameters[name] !== filled(provider, value))
      complain(`authorization with ${name}=${parameters[name]}`);
  }
  grant.challenge = parameters.code_challenge;
  if ((grant.challenge !== undefined) !== provider.pkce) complain(`PKCE: ${grant.challenge}`);
  if (parameters[provider.scopeParameter] === '') complain('an empty scope');
  const location = new URL(REDIRECT_URI);
  location.searchParams.set('code', 'the-code');
  location.searchParams.set('state', parameters.state ?? '');
  for (const variable of provider.variables.filter(({ from }) => from === 'callback')) {
    location.searchParams.set(variable.path, exampleOf(variable));
  }
  for (const field of accountFields(provider, 'callback')) location.searchParams.set(field, ACCOUNT);
  return { status: 302, headers: { Location: location.href } };
}

function issue(provider: Provider, grant: Grant, call: Call, complain: Complain): Reply {
  complainAboutMessage(provider, call, complain);
  complainAboutClient(provider, call, complain);
  const { parameters } = call;
  if (parameters.refresh_token !== undefined) {
    if (grant.isRevoked || parameters.refresh_token !== grant.refreshToken) return deadGrant(provider);
  } else {
    if (parameters.code !== 'the-code' || parameters.redirect_uri !== REDIRECT_URI)
      complain('another code or redirect URI');
    const hash = createHash('sha256')
      .update(parameters.code_verifier ?? '')
      .digest('base64url');
    if (provider.pkce ? hash !== grant.challenge : parameters.code_verifier !== undefined)
      complain('another verifier');
  }
  const generation = Number(grant.accessToken.split('-')[1] ?? 0) + 1;
  grant.accessToken = `access-${generation}`;
  grant.refreshToken = `refresh-${generation}`;
  return { status: 200, body: tokenAnswer(provider, grant) };
}

function tokenAnswer(provider: Provider, grant: Grant): unknown {
  const { tokenResponse } = provider;
  const answer: Record<string, unknown> = { token_type: tokenResponse.tokenTypes[0] };
  if (tokenResponse.okMember) put(answer, tokenResponse.okMember.path, tokenResponse.okMember.value);
  put(answer, firstOf(tokenResponse.accessToken), grant.accessToken);
  put(answer, firstOf(tokenResponse.refreshToken), grant.refreshToken);
  put(answer, firstOf(tokenResponse.expiresIn), 1234);
  put(
    answer,
    firstOf(tokenResponse.scope),
    ['one', 'two'].join(tokenResponse.scopeSeparator ?? provider.scopeSeparator),
  );
  for (const variable of provider.variables.filter(({ from }) => from === 'token-response')) {
    put(answer, variable.path, exampleOf(variable));
  }
  for (const field of accountFields(provider, 'token-response')) put(answer, field, ACCOUNT);
  const claims: Record<string, unknown> = {};
  for (const field of accountFields(provider, 'id-token')) put(claims, field, ACCOUNT);
  answer.id_token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;
  return answer;
}

function deadGrant(provider: Provider): Reply {
  const { okMember, errorMeanings, errorCode } = provider.tokenResponse;
  const own = Object.entries(errorMeanings).find(([, meaning]) => meaning === 'invalid_grant')?.[0];
  const answer: Record<string, unknown> = okMember ? { [okMember.path]: false } : {};
  put(answer, errorCode, own ?? 'invalid_grant');
  return { status: own === undefined ? 400 : 200, body: answer };
}

function revoke(provider: Provider, grant: Grant, call: Call, complain: Complain): Reply {
  const { revocation, tokenResponse } = provider;
  const expected = revocation.token === 'refresh_token' ? grant.refreshToken : grant.accessToken;
  if (call.method !== 'POST') complain(`revocation by ${call.method}`);
  if (call.parameters[revocation.tokenParameter] !== expected) complain('revocation of another token');
  if (call.url.searchParams.has(revocation.tokenParameter) !== (revocation.in === 'query'))
    complain('a misplaced token');
  if (revocation.clientAuth === 'client') complainAboutClient(provider, call, complain);
  else if (JSON.stringify(call.parameters).includes(CLIENT.clientSecret))
    complain('revocation with the client secret');
  grant.isRevoked = true;
  return {
    status: 200,
    body: tokenResponse.okMember ? { [tokenResponse.okMember.path]: tokenResponse.okMember.value } : {},
  };
}

function showAccount(provider: Provider, grant: Grant, call: Call, complain: Complain): Reply {
  const credentials: Record<string, string> = { accessToken: grant.accessToken, apiKey: 'the-key' };
  const place =
    provider.apiKey?.in === 'header'
      ? provider.apiKey
      : provider.auth === 'api-key'
        ? undefined
        : provider.accessTokenHeader;
  const expected = place?.template.replace(/\{(\w+)\}/g, (_whole, name: string) => credentials[name] ?? '');
  if (place !== undefined && call.headers[place.name.toLowerCase()] !== expected) return { status: 401 };
  if (call.method !== 'GET') complain(`account by ${call.method}`);
  const answer: Record<string, unknown> = {};
  for (const field of accountFields(provider, 'request')) put(answer, field, ACCOUNT);
  for (const variable of provider.variables.filter(({ from }) => from === 'account')) {
    put(answer, variable.path, exampleOf(variable));
  }
  return { status: 200, body: answer };
}

function complainAboutMessage(provider: Provider, call: Call, complain: Complain): void {
  const type =
    provider.tokenRequest.encoding === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  if (call.method !== 'POST') complain(`token request by ${call.method}`);
  if (call.headers['content-type'] !== type) complain(`token request as ${call.headers['content-type']}`);
  if (call.url.search !== '') complain('a token request with a query');
  for (const [name, value] of Object.entries(provider.tokenRequest.headers)) {
    if (call.headers[name.toLowerCase()] !== value) complain(`token request without ${name}`);
  }
}

function complainAboutClient(provider: Provider, call: Call, complain: Complain): void {
  const { clientId, clientSecret } = CLIENT;
  const isBasic = provider.tokenEndpointAuth === 'client_secret_basic';
  const pair = Buffer.from('client+id:client%3Asecret%2B').toString('base64');
  if (call.headers.authorization !== (isBasic ? `Basic ${pair}` : undefined))
    complain('another client authentication');
  const inBody = [call.parameters.client_id, call.parameters.client_secret];
  const isPublic = provider.tokenEndpointAuth === 'none';
  const expected = isBasic ? [undefined, undefined] : [clientId, isPublic ? undefined : clientSecret];
  if (inBody.some((value, index) => value !== expected[index])) complain('another client in the body');
}

/** Paths of the account's id and name that stand in one place. */
function accountFields(provider: Provider, from: string): string[] {
  const fields = [provider.account?.id, provider.account?.name];
  return fields.flatMap((field) => (field?.from === from ? [firstOf(field.path)] : []));
}

function filled(provider: Provider, template: string): string {
  const values = provider.variables.map((variable) => [variable.name, exampleOf(variable)]);
  return fillTemplate(template, Object.fromEntries(values)) ?? template;
}

function firstOf(paths: string | readonly string[]): string {
  return [paths].flat()[0] ?? '';
}

/** Sets a dotted path, making objects, or lists for numbers, on the way. */
function put(target: Record<string, unknown>, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  const held = target[first];
  const inner: Record<string, unknown> = typeof held === 'object' && held !== null ? { ...held } : {};
  put(inner, rest.join('.'), value);
  target[first] = /^\d+$/.test(rest[0] ?? '') ? Object.values(inner) : inner;
}
