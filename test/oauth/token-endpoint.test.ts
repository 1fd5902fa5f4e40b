import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { acmeProviderAt } from '../support/acme-provider.ts';
import { startEvilServer } from '../support/authorization-server.ts';
import { revoke } from './revoke.ts';

const endpoint = createTokenEndpoint({
  outbound: createOutbound({ allowPrivateNetworks: true }),
  timeoutMs: 30_000,
});
const JSON_TYPE = { 'Content-Type': 'application/json' };
const ISSUED = {
  headers: JSON_TYPE,
  body: JSON.stringify({ access_token: 'at', refresh_token: 'rt', expires_in: 60 }),
};
const REFUSED = (error: string) => ({ status: 400, headers: JSON_TYPE, body: JSON.stringify({ error }) });

const server = await startEvilServer();
afterAll(server.close);

function target(
  extra: object = {},
  clientSecrets: string[] = ['se:cr et+'],
  variables: Record<string, string> = {},
) {
  return {
    provider: acmeProviderAt(server.origin, extra),
    client: { clientId: 'my id', clientSecrets },
    variables,
  };
}

const code = { code: 'the code', redirectUri: 'https://gw.example/oauth/callback', codeVerifier: 'verifier' };
const last = () => server.seen.at(-1) ?? { method: '', url: '', headers: {}, body: '' };
const lastForm = () => Object.fromEntries(new URLSearchParams(last().body));

describe('a token request', () => {
  beforeEach(() => server.answer(ISSUED));

  it('exchanges a code in a form, with the client in the body', async () => {
    const outcome = await endpoint.exchangeCode({ ...target(), ...code });
    expect(outcome).toMatchObject({
      ok: true,
      tokens: { accessToken: 'at', refreshToken: 'rt', expiresInSeconds: 60 },
    });
    expect(last()).toMatchObject({ method: 'POST', url: '/token' });
    expect(last().headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(last().headers.authorization).toBeUndefined();
    expect(lastForm()).toEqual({
      grant_type: 'authorization_code',
      code: 'the code',
      redirect_uri: 'https://gw.example/oauth/callback',
      code_verifier: 'verifier',
      client_id: 'my id',
      client_secret: 'se:cr et+',
    });
  });

  it('form-encodes both halves of Basic and keeps them out of the body', async () => {
    await endpoint.exchangeCode({
      ...target({ tokenEndpointAuth: 'client_secret_basic' }),
      ...code,
      codeVerifier: null,
    });
    const basic = Buffer.from(
      (last().headers.authorization ?? '').replace('Basic ', ''),
      'base64',
    ).toString();
    expect(basic).toBe('my+id:se%3Acr+et%2B');
    expect(Object.keys(lastForm())).toEqual(['grant_type', 'code', 'redirect_uri']);
  });

  it('sends no secret for a public client, and needs none', async () => {
    expect(
      await endpoint.exchangeCode({ ...target({ tokenEndpointAuth: 'none' }, []), ...code }),
    ).toMatchObject({ ok: true });
    expect(lastForm()).toMatchObject({ client_id: 'my id', code_verifier: 'verifier' });
    expect(lastForm()).not.toHaveProperty('client_secret');
  });

  it('is JSON, with headers of its own, where the catalog says so', async () => {
    const tokenRequest = { encoding: 'json', headers: { 'X-Version': '7' } };
    await endpoint.exchangeCode({ ...target({ tokenRequest }), ...code });
    expect(last().headers).toMatchObject({ 'content-type': 'application/json', 'x-version': '7' });
    expect(JSON.parse(last().body)).toMatchObject({
      grant_type: 'authorization_code',
      client_secret: 'se:cr et+',
    });
  });

  it('adds the catalog’s parameters, variables filled in, which may replace grant_type', async () => {
    const extra = {
      tokenParams: { context: 'stores/{shop}' },
      refreshParams: { grant_type: 'own_refresh' },
      variables: { shop: 'x' },
    };
    await endpoint.exchangeCode({ ...target(extra, ['s'], { shop: 'blue' }), ...code });
    expect(lastForm()).toMatchObject({ context: 'stores/blue' });
    await endpoint.refresh({ ...target(extra), refreshToken: 'old' });
    expect(lastForm()).toMatchObject({ grant_type: 'own_refresh', refresh_token: 'old' });
  });

  it('refreshes at the refresh endpoint where there is one', async () => {
    await endpoint.refresh({ ...target({ refreshUrl: `${server.origin}/refresh` }), refreshToken: 'old' });
    expect(last().url).toBe('/refresh');
    await endpoint.refresh({ ...target(), refreshToken: 'old' });
    expect(last().url).toBe('/token');
    expect(lastForm()).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'old' });
  });

  it('keeps the access token where the provider’s answer prolongs it, and says nothing of one', async () => {
    const prolonging = {
      tokenResponse: { prolonged: { path: 'result', value: '0000' }, errorCode: 'result' },
      accessTokenLifetimeSeconds: 2_592_000,
    };
    const refresh = () =>
      endpoint.refresh({ ...target(prolonging), refreshToken: 'rt', accessToken: 'in-use' });
    server.answer({ headers: JSON_TYPE, body: '{"result":"0000","message":"OK"}' });
    const kept = { accessToken: 'in-use', refreshToken: null, expiresInSeconds: 2_592_000 };
    expect(await refresh()).toMatchObject({ ok: true, tokens: kept });
    server.answer({ headers: JSON_TYPE, body: '{"result":"5002","message":"Unauthorized client ID"}' });
    expect(await refresh()).toMatchObject({ ok: false, errorCode: '5002' });
    server.answer(ISSUED);
    expect(await refresh()).toMatchObject({ ok: true, tokens: { accessToken: 'at' } });
    server.answer({ headers: JSON_TYPE, body: '{"result":"0000"}' });
    expect(await endpoint.refresh({ ...target(), refreshToken: 'rt', accessToken: 'in-use' })).toMatchObject({
      errorCode: 'missing_access_token',
    });
  });

  it('asks for client credentials with scopes, if there are any', async () => {
    await endpoint.clientCredentials({ ...target({ scopeSeparator: ',' }), scopes: ['a', 'b'] });
    expect(lastForm()).toMatchObject({ grant_type: 'client_credentials', scope: 'a,b' });
    await endpoint.clientCredentials({ ...target(), scopes: [] });
    expect(lastForm()).not.toHaveProperty('scope');
  });

  it('goes where the variables lead, and nowhere when one is missing or not allowed', async () => {
    const extra = {
      tokenUrl: '{server}/token',
      variables: { server: { from: 'callback', pattern: 'http:\\/\\/127\\.0\\.0\\.1:[0-9]+' } },
    };
    const at = (variables: Record<string, string>) =>
      endpoint.exchangeCode({ ...target(extra, ['s'], variables), ...code });
    expect(await at({ server: server.origin })).toMatchObject({ ok: true });
    const before = server.seen.length;
    expect(await at({})).toMatchObject({ ok: false, kind: 'rejected', errorCode: 'token_endpoint_unknown' });
    expect(await at({ server: 'http://localhost:1' })).toMatchObject({ ok: false, kind: 'rejected' });
    expect(server.seen.length).toBe(before);
  });
});

describe('two client secrets', () => {
  const accepting =
    (secret: string, refusal: object) =>
    ({ body }: { body: string }) =>
      new URLSearchParams(body).get('client_secret') === secret ? ISSUED : refusal;
  const tried = (from: number) =>
    server.seen.slice(from).map(({ body }) => new URLSearchParams(body).get('client_secret'));

  it('the previous one is tried after the newest is refused', async () => {
    const from = server.seen.length;
    server.answer(accepting('previous', REFUSED('invalid_client')));
    expect(await endpoint.refresh({ ...target({}, ['new', 'previous']), refreshToken: 'r' })).toMatchObject({
      ok: true,
    });
    expect(tried(from)).toEqual(['new', 'previous']);
  });

  it('the previous one stays unused where the newest works, or where the grant is dead', async () => {
    let from = server.seen.length;
    server.answer(accepting('new', REFUSED('invalid_client')));
    await endpoint.refresh({ ...target({}, ['new', 'previous']), refreshToken: 'r' });
    expect(tried(from)).toEqual(['new']);
    from = server.seen.length;
    server.answer(REFUSED('invalid_grant'));
    expect(await endpoint.refresh({ ...target({}, ['new', 'previous']), refreshToken: 'r' })).toMatchObject({
      kind: 'invalid_grant',
    });
    expect(tried(from)).toEqual(['new']);
  });

  it('both refused is the client’s fault, and so is having none', async () => {
    server.answer(REFUSED('invalid_client'));
    expect(await endpoint.refresh({ ...target({}, ['a', 'b']), refreshToken: 'r' })).toMatchObject({
      kind: 'client',
      errorCode: 'invalid_client',
    });
    expect(await endpoint.refresh({ ...target({}, []), refreshToken: 'r' })).toMatchObject({
      kind: 'client',
      errorCode: 'client_secret_missing',
    });
  });
});

describe('a failure', () => {
  const refresh = () => endpoint.refresh({ ...target(), refreshToken: 'r' });

  it('says how long to wait, in seconds or as a date, five minutes at the most', async () => {
    server.answer({ status: 429, headers: { 'Retry-After': '30' } });
    expect(await refresh()).toMatchObject({ kind: 'transient', errorCode: 'http_429', retryAfterMs: 30_000 });
    server.answer({ status: 503, headers: { 'Retry-After': new Date(Date.now() + 60_000).toUTCString() } });
    const later = await refresh();
    expect(later.ok || (later.retryAfterMs ?? 0)).toBeGreaterThan(50_000);
    for (const value of ['soon', '-1', '0', new Date(0).toUTCString()]) {
      server.answer({ status: 503, headers: { 'Retry-After': value } });
      expect(await refresh()).not.toHaveProperty('retryAfterMs');
    }
    server.answer({ status: 503, headers: { 'Retry-After': '999999999' } });
    expect(await refresh()).toMatchObject({ retryAfterMs: 300_000 });
  });

  it('is unanswered where the connection breaks after the request', async () => {
    server.answer((_request, socket) => {
      socket.destroy();
      return undefined;
    });
    expect(await refresh()).toMatchObject({
      kind: 'transient',
      errorCode: 'connection_network',
      delivery: 'unanswered',
    });
  });

  it('is unanswered where no answer comes in time', async () => {
    const hasty = createTokenEndpoint({
      outbound: createOutbound({ allowPrivateNetworks: true }),
      // Long enough for the connection to be made, without which nothing can have been processed.
      timeoutMs: 1_000,
    });
    server.answer(() => undefined);
    const outcome = await hasty.refresh({ ...target(), refreshToken: 'r' });
    expect(outcome).toMatchObject({
      kind: 'transient',
      errorCode: 'connection_timeout',
      delivery: 'unanswered',
    });
  });

  it('has lost its tokens where an answer with tokens is larger than 64 KiB', async () => {
    server.answer({
      headers: JSON_TYPE,
      body: JSON.stringify({ access_token: 'at', padding: 'x'.repeat(70_000) }),
    });
    expect(await refresh()).toMatchObject({ ok: false, kind: 'lost', errorCode: 'response_cut' });
  });

  it('does not follow a redirect with the secret', async () => {
    const from = server.seen.length;
    server.answer({ status: 307, headers: { Location: `${server.origin}/elsewhere` } });
    expect(await refresh()).toMatchObject({ ok: false, kind: 'transient', errorCode: 'http_307' });
    expect(server.seen.slice(from).map(({ url }) => url)).toEqual(['/token']);
  });

  it('is final where the address is a private one', async () => {
    const guarded = createTokenEndpoint({ outbound: createOutbound({ allowPrivateNetworks: false }) });
    const provider = acmeProviderAt(server.origin, { tokenUrl: 'https://127.0.0.1/token' });
    const outcome = await guarded.refresh({ ...target(), provider, refreshToken: 'r' });
    expect(outcome).toMatchObject({ ok: false, kind: 'rejected', errorCode: 'connection_refused_address' });
  });

  it('carries the provider’s words, without the token and the secret', async () => {
    server.answer({
      status: 400,
      headers: JSON_TYPE,
      body: '{"error":"bad <r-secret>","error_description":"r-secret of se:cr et+ is\\u0000 not\\n known"}',
    });
    const outcome = await endpoint.refresh({ ...target(), refreshToken: 'r-secret' });
    expect(outcome).toMatchObject({ words: '[removed] of [removed] is not known' });
  });
});

describe('a revocation', () => {
  const tokens = { accessToken: 'at', refreshToken: 'rt' };
  const send = (
    extra: object = {},
    given: { accessToken: string | null; refreshToken: string | null } = tokens,
  ) => revoke(endpoint, { ...target({ revocationUrl: `${server.origin}/revoke`, ...extra }), ...given });
  beforeEach(() => server.answer({ status: 200 }));

  it('names the refresh token and the client (RFC 7009)', async () => {
    expect(await send()).toEqual({ ok: true });
    expect(last()).toMatchObject({ method: 'POST', url: '/revoke' });
    expect(lastForm()).toEqual({ token: 'rt', client_id: 'my id', client_secret: 'se:cr et+' });
  });

  it('names the access token where there is no other, or where the catalog wants it', async () => {
    await send({}, { accessToken: 'at', refreshToken: null });
    expect(lastForm()).toMatchObject({ token: 'at' });
    await send({ revocation: { token: 'access_token', clientAuth: 'none', tokenParameter: 'key' } });
    expect(lastForm()).toEqual({ key: 'at' });
  });

  it('goes into the query, or carries the token as bearer, where the catalog says so', async () => {
    await send({ revocation: { in: 'query', clientAuth: 'none' } });
    expect(last()).toMatchObject({ url: '/revoke?token=rt', body: '' });
    await send({ revocation: { clientAuth: 'bearer', extraParams: { hint: 'x' } } });
    expect(last().headers.authorization).toBe('Bearer at');
    expect(lastForm()).toEqual({ token: 'rt', hint: 'x' });
  });

  it.each([
    ['nothing', { status: 200 }],
    ['no content', { status: 204 }],
    ['a page', { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<p>ok' }],
    ['JSON of its own', { status: 200, headers: JSON_TYPE, body: '{"status":"success"}' }],
    ['that the token is dead already', REFUSED('invalid_token')],
  ])('is done where the answer is %s', async (_name, answer) => {
    server.answer(answer);
    expect(await send()).toEqual({ ok: true });
  });

  it.each([
    ['a refusal', REFUSED('unsupported_token_type'), 'rejected'],
    ['a client that is refused', REFUSED('invalid_client'), 'client'],
    ['a failure', { status: 503 }, 'transient'],
  ])('is not done where the answer is %s', async (_name, answer, kind) => {
    server.answer(answer);
    expect(await send()).toMatchObject({ ok: false, kind });
  });

  it('carries the access token as API calls do, where that is a half of Basic', async () => {
    await send({
      basic: { username: '{accessToken}', password: '' },
      revocation: { token: 'access_token', clientAuth: 'bearer', tokenParameter: null },
    });
    expect(last().headers.authorization).toBe(
      `Basic ${Buffer.from(`${tokens.accessToken}:`).toString('base64')}`,
    );
  });

  it('is not done by an error under 200', async () => {
    server.answer({ headers: JSON_TYPE, body: '{"ok":false,"error":"fatal_error"}' });
    const extra = { tokenResponse: { okMember: { path: 'ok', value: true } } };
    expect(await send(extra)).toMatchObject({ ok: false, errorCode: 'fatal_error' });
  });

  it('is unsupported without an endpoint or without a token', async () => {
    const from = server.seen.length;
    expect(await revoke(endpoint, { ...target(), ...tokens })).toBe('unsupported');
    expect(await send({}, { accessToken: null, refreshToken: null })).toBe('unsupported');
    expect(server.seen.length).toBe(from);
  });
});
