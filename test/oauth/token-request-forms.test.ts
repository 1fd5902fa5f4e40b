import { generateKeyPairSync } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { acmeProviderAt } from '../support/acme-provider.ts';
import { startEvilServer } from '../support/authorization-server.ts';
import { revoke } from './revoke.ts';

const endpoint = createTokenEndpoint({
  outbound: createOutbound({ allowPrivateNetworks: true }),
  timeoutMs: 30_000,
});
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const server = await startEvilServer();
afterAll(server.close);

/** Answers each path with what stands here for it. */
function answers(byPath: Record<string, { status?: number; body?: unknown }>): void {
  server.answer(({ url }) => {
    const { status = 200, body } = byPath[url.split('?')[0] ?? ''] ?? { status: 404 };
    return { status, body: body === undefined ? '' : JSON.stringify(body) };
  });
}

function target(extra: object, secret = 'secret', variables: Record<string, string> = {}) {
  return {
    provider: acmeProviderAt(server.origin, extra),
    client: { clientId: 'my id', clientSecrets: [secret] },
    variables,
  };
}

const code = { code: 'c1', redirectUri: 'https://gw.example/cb', codeVerifier: null };
const seen = () => server.seen.at(-1) ?? { method: '', url: '', headers: {}, body: '' };
const queryOf = ({ url }: { url: string }) => Object.fromEntries(new URL(url, server.origin).searchParams);
const formOf = ({ body }: { body: string }) => Object.fromEntries(new URLSearchParams(body));

describe('a token request put in the provider’s own way', () => {
  beforeEach(() => answers({ '/token': { body: { access_token: 'at' } } }));

  it('is a GET with the parameters in the query, and has no body', async () => {
    await endpoint.exchangeCode({ ...target({ tokenRequest: { method: 'GET' } }), ...code });
    expect(seen()).toMatchObject({ method: 'GET', body: '' });
    expect(queryOf(seen())).toMatchObject({ code: 'c1', client_secret: 'secret' });
    expect(seen().headers['content-type']).toBeUndefined();
  });

  it('is a POST with the parameters in the query, after those that the address has', async () => {
    const extra = { tokenUrl: `${server.origin}/token?v=2`, tokenRequest: { in: 'query' } };
    await endpoint.exchangeCode({ ...target(extra), ...code });
    expect(seen()).toMatchObject({ method: 'POST', body: '' });
    expect(queryOf(seen())).toMatchObject({ v: '2', code: 'c1' });
  });

  it('calls parameters by the provider’s names and leaves out what it refuses to see', async () => {
    const parameterNames = { client_id: 'appid', client_secret: 'secret', code: 'auth_code' };
    const tokenRequest = { parameterNames, omit: ['redirect_uri', 'grant_type'] };
    await endpoint.exchangeCode({ ...target({ tokenRequest }), ...code });
    expect(formOf(seen())).toEqual({ appid: 'my id', secret: 'secret', auth_code: 'c1' });
  });

  it('fills the client id and secret variables into parameters and headers', async () => {
    const extra = {
      tokenParams: { appid: '{clientId}' },
      tokenRequest: { headers: { 'X-Token': '{developerToken}' } },
      variables: { developerToken: { from: 'integration', secret: true } },
    };
    const { client, ...rest } = target(extra);
    const withSecrets = { ...client, secretVariables: { developerToken: 'dev' } };
    await endpoint.exchangeCode({ ...rest, client: withSecrets, ...code });
    expect(formOf(seen()).appid).toBe('my id');
    expect(seen().headers['x-token']).toBe('dev');
  });

  it('is put differently for a refresh, where the file says so', async () => {
    const extra = {
      tokenRequest: { encoding: 'json' },
      refreshRequest: { encoding: 'form', tokenEndpointAuth: 'client_secret_basic', omit: ['grant_type'] },
    };
    await endpoint.refresh({ ...target(extra), refreshToken: 'r1' });
    expect(formOf(seen())).toEqual({ refresh_token: 'r1' });
    expect(seen().headers.authorization).toMatch(/^Basic /);
    await endpoint.exchangeCode({ ...target(extra), ...code });
    expect(JSON.parse(seen().body)).toMatchObject({ grant_type: 'authorization_code', client_id: 'my id' });
  });
});

describe('a client that signs', () => {
  beforeEach(() => answers({ '/token': { body: { access_token: 'at' } } }));

  const apple = {
    clientAssertion: {
      as: 'client_secret',
      alg: 'ES256',
      issuer: '{teamId}',
      audience: 'https://apple.example',
      keyId: '{keyId}',
    },
    variables: { teamId: { from: 'integration' }, keyId: { from: 'integration' } },
  };
  const variables = { teamId: 'team', keyId: 'key-1' };

  it.each([
    ['as it is', PEM],
    ['with its line breaks spelled out', PEM.trim().replaceAll('\n', '\\n')],
    ['with its line breaks lost', PEM.trim().replaceAll('\n', ' ')],
  ])('sends a JWT as its secret, made with the key %s', async (_how, pem) => {
    await endpoint.exchangeCode({ ...target(apple, pem, variables), ...code });
    const { client_secret: token = '', ...form } = formOf(seen());
    expect(form).toMatchObject({ client_id: 'my id', code: 'c1' });
    const { header, payload } = jwt.verify(token, publicKey, { complete: true, algorithms: ['ES256'] });
    expect(header).toMatchObject({ alg: 'ES256', kid: 'key-1' });
    expect(payload).toMatchObject({ iss: 'team', sub: 'my id', aud: 'https://apple.example' });
    expect(payload).toHaveProperty('exp');
  });

  it('sends it as an assertion of RFC 7523, meant for the token endpoint', async () => {
    const extra = { tokenEndpointAuth: 'none', clientAssertion: { alg: 'ES256' } };
    await endpoint.refresh({ ...target(extra, PEM), refreshToken: 'r1' });
    const { client_assertion: token = '', ...form } = formOf(seen());
    expect(form).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'r1',
      client_id: 'my id',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    expect(jwt.verify(token, publicKey, { algorithms: ['ES256'] })).toMatchObject({
      iss: 'my id',
      sub: 'my id',
      aud: `${server.origin}/token`,
    });
  });

  it.each([
    ['a secret that is no key', apple, 'secret', variables],
    ['a key of another kind', { clientAssertion: { alg: 'RS256' } }, PEM, {}],
    ['a claim without a value', apple, PEM, { teamId: 'team' }],
  ])('is the client’s fault, and nothing is sent, with %s', async (_what, extra, secret, known) => {
    const before = server.seen.length;
    expect(await endpoint.exchangeCode({ ...target(extra, secret, known), ...code })).toMatchObject({
      ok: false,
      kind: 'client',
      errorCode: 'client_key_unusable',
    });
    expect(server.seen).toHaveLength(before);
  });
});

describe('a second request for the token that is kept', () => {
  const extra = () => ({
    tokenExchange: {
      url: `${server.origin}/long`,
      params: { key: '{clientId}', proof: '{clientSecret}', token: '{accessToken}' },
      accessToken: 'session.token',
      expiresIn: 'session.life',
      afterRefresh: true,
    },
  });
  const issued = { body: { access_token: 'short', refresh_token: 'r1', expires_in: 60, scope: 'a b' } };
  const exchanged = { body: { session: { token: 'long', life: '7200' }, restUrl: 'https://x.example' } };

  it('brings the token and its lifetime, and leaves refresh token and scopes as they were', async () => {
    answers({ '/token': issued, '/long': exchanged });
    const outcome = await endpoint.exchangeCode({ ...target(extra()), ...code });
    expect(queryOf(seen())).toEqual({ key: 'my id', proof: 'secret', token: 'short' });
    expect(outcome).toMatchObject({
      ok: true,
      tokens: { accessToken: 'long', refreshToken: 'r1', expiresInSeconds: 7200, scopes: ['a', 'b'] },
    });
    expect(outcome.ok && outcome.tokens.raw).toMatchObject({ restUrl: 'https://x.example', scope: 'a b' });
  });

  it('fails the exchange of the code where it fails', async () => {
    answers({ '/token': issued, '/long': { status: 400, body: { error: 'invalid_request' } } });
    expect(await endpoint.exchangeCode({ ...target(extra()), ...code })).toMatchObject({
      ok: false,
      errorCode: 'invalid_request',
    });
  });

  it('that fails for a while after a refresh does not cost the refresh token that came with it', async () => {
    answers({ '/token': issued, '/long': { status: 503 } });
    expect(await endpoint.refresh({ ...target(extra()), refreshToken: 'r0' })).toMatchObject({
      ok: true,
      tokens: { refreshToken: 'r1', expiresInSeconds: 1 },
    });
  });

  it('is not made after a refresh where the file does not say so', async () => {
    answers({ '/token': issued });
    const { tokenExchange } = extra();
    const once = target({ tokenExchange: { ...tokenExchange, afterRefresh: false } });
    expect(await endpoint.refresh({ ...once, refreshToken: 'r0' })).toMatchObject({
      tokens: { accessToken: 'short' },
    });
  });
});

it('a token that renews itself is sent with the file’s parameters and nothing else', async () => {
  answers({ '/renew': { body: { access_token: 'new', expires_in: 60 } } });
  const extra = {
    refreshUrl: `${server.origin}/renew`,
    refreshWith: 'access_token',
    refreshParams: { grant_type: 'ig_refresh_token', access_token: '{accessToken}' },
    refreshRequest: { method: 'GET' },
  };
  expect(await endpoint.renew({ ...target(extra), accessToken: 'old' })).toMatchObject({
    tokens: { accessToken: 'new', refreshToken: null },
  });
  expect(queryOf(seen())).toEqual({ grant_type: 'ig_refresh_token', access_token: 'old' });
});

describe('a revocation put in the provider’s own way', () => {
  const github = () => ({
    revocationUrl: `${server.origin}/applications/{clientId}/grant`,
    revocation: {
      token: 'access_token',
      method: 'DELETE',
      clientAuth: 'basic',
      encoding: 'json',
      tokenParameter: 'access_token',
    },
  });
  const tokens = { accessToken: 'at', refreshToken: 'rt' };

  it('is a DELETE with Basic and JSON at an address with the client id', async () => {
    answers({ '/applications/my%20id/grant': { status: 204 } });
    expect(await revoke(endpoint, { ...target(github()), ...tokens })).toEqual({ ok: true });
    expect(seen()).toMatchObject({ method: 'DELETE', body: '{"access_token":"at"}' });
    expect(seen().headers.authorization).toBe(`Basic ${Buffer.from('my+id:secret').toString('base64')}`);
  });

  it('is done where what was to be deleted is not there', async () => {
    answers({});
    expect(await revoke(endpoint, { ...target(github()), ...tokens })).toEqual({ ok: true });
  });

  it('is a GET with everything in the query', async () => {
    answers({ '/revoke': {} });
    const extra = {
      revocationUrl: `${server.origin}/revoke`,
      revocation: { method: 'GET', clientAuth: 'none', extraParams: { app: '{clientId}' } },
    };
    await revoke(endpoint, { ...target(extra), ...tokens });
    expect(seen()).toMatchObject({ method: 'GET', body: '' });
    expect(queryOf(seen())).toEqual({ token: 'rt', app: 'my id' });
  });

  it('may carry the client secret in a scheme of the provider’s own, the one before it too while it is being changed', async () => {
    const sent: unknown[] = [];
    server.answer(({ headers }) => {
      sent.push(headers.authorization);
      return { status: sent.length > 1 ? 200 : 401, body: '{"error":"invalid_client"}' };
    });
    const extra = {
      revocationUrl: `${server.origin}/revoke`,
      revocation: {
        clientAuth: 'none',
        encoding: 'json',
        extraParams: { secret: '{clientSecret}', id: '{clientId}' },
        headers: { Authorization: 'Client {clientSecret}' },
      },
    };
    const { client, ...rest } = target(extra);
    const rotating = { ...client, clientSecrets: ['new', 'old'] };
    await revoke(endpoint, { ...rest, client: rotating, ...tokens });
    expect(sent).toEqual(['Client new', 'Client old']);
    expect(JSON.parse(seen().body)).toEqual({ token: 'rt', secret: 'old', id: 'my id' });
  });

  it('may name the token in a header alone, and then has no body', async () => {
    answers({ '/current': { status: 200 } });
    const extra = {
      revocationUrl: `${server.origin}/current`,
      revocation: {
        token: 'access_token',
        method: 'DELETE',
        clientAuth: 'none',
        tokenParameter: null,
        headers: { 'X-Token': '{accessToken}' },
      },
    };
    expect(await revoke(endpoint, { ...target(extra), ...tokens })).toEqual({ ok: true });
    expect(seen()).toMatchObject({ method: 'DELETE', url: '/current', body: '' });
    expect(seen().headers).toMatchObject({ 'x-token': 'at' });
    expect(seen().headers['content-type']).toBeUndefined();
  });
});

describe('a token request that repeats the redirect URI', () => {
  const extra = {
    tokenParams: { return_to: '{redirectUrl}' },
    refreshParams: { redirect_uri: '{redirectUrl}' },
  };
  beforeEach(() => answers({ '/token': { body: { access_token: 'at' } } }));

  it('has it in a refresh', async () => {
    const refresh = { ...target(extra), redirectUrl: 'https://gw.example/cb', refreshToken: 'rt' };
    await endpoint.refresh(refresh);
    expect(formOf(seen())).toMatchObject({ redirect_uri: 'https://gw.example/cb', refresh_token: 'rt' });
  });

  it('has that of the authorization where a code is exchanged', async () => {
    await endpoint.exchangeCode({ ...target(extra), ...code });
    expect(formOf(seen())).toMatchObject({ return_to: code.redirectUri, redirect_uri: code.redirectUri });
  });
});
