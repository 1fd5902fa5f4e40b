import { generateKeyPairSync } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { prepareRevocation } from '../../src/oauth/prepare-revocation.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { TEST_CERTIFICATE } from '../support/certificate.ts';
import { createRsaPair, readForm, startLoginProvider } from '../support/login-provider.ts';

const fake = await startLoginProvider();
afterAll(() => fake.close());
const endpoint = createTokenEndpoint({ outbound: createOutbound({ allowPrivateNetworks: true }) });
const rsa = createRsaPair();
const EMAIL = 'robot@acme.example';
const KEY_FILE = JSON.stringify({
  type: 'service_account',
  client_email: EMAIL,
  private_key_id: 'key-1',
  private_key: rsa.pem,
});

const JWT_FILE = {
  id: 'robots',
  name: 'Robots',
  auth: 'jwt-bearer',
  tokenUrl: `${fake.url}/token`,
  apiBaseUrl: `${fake.url}/api`,
  defaultScopes: ['https://robots.example/read'],
  variables: {
    serviceAccount: {
      secret: true,
      input: 'json',
      members: ['client_email', 'private_key_id', 'private_key'],
    },
    subject: { optional: true },
  },
  jwt: {
    header: { kid: '{serviceAccount.private_key_id}' },
    claims: {
      iss: '{serviceAccount.client_email}',
      sub: '{subject}',
      aud: `${fake.url}/token`,
      scope: '{scopes}',
      jti: '{random}',
    },
    lifetimeSeconds: 3600,
    key: '{serviceAccount.private_key}',
  },
};

const PASSWORD_FILE = {
  id: 'doors',
  name: 'Doors',
  auth: 'token-login',
  apiBaseUrl: `${fake.url}/api`,
  variables: { user: {}, password: { secret: true } },
  login: {
    steps: [{ url: `${fake.url}/login`, encoding: 'json', body: { user: '{user}', password: '{password}' } }],
  },
  tokenResponse: { accessToken: 'session.id', expiresAt: 'session.until' },
};

function load(file: object): Provider {
  const loaded = providerFromFile(file, { allowPrivateNetworks: true });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.provider;
}

const client = { clientId: '', clientSecrets: [] };

function logIn(file: object, variables: Record<string, string>, more: object = {}) {
  return endpoint.logIn({ provider: load(file), client, variables, scopes: [], ...more });
}

beforeEach(() => {
  fake.requests.length = 0;
  fake.handlers.clear();
  fake.handlers.set('POST /token', (request) => {
    const { assertion = '', grant_type } = readForm(request);
    const judged = fake.judgeAssertion(assertion, {
      key: rsa.publicKey,
      alg: 'RS256',
      kid: 'key-1',
      audience: `${fake.url}/token`,
      lifetimeSecondsMax: 3600,
      isForOneUse: true,
    });
    const isGrant = grant_type === 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    if (typeof judged === 'string' || !isGrant || judged.iss !== EMAIL) {
      return { status: 400, body: { error: 'invalid_grant', error_description: String(judged) } };
    }
    const access_token = fake.openSession(judged.sub ?? EMAIL);
    return { body: { access_token, expires_in: 3600, token_type: 'Bearer', granted: judged.scope } };
  });
  fake.handlers.set('POST /login', ({ body }) => {
    const { user, password } = JSON.parse(body);
    if (password !== 'open sesame')
      return { status: 401, body: { message: `Wrong password ${password} here` } };
    return { body: { session: { id: fake.openSession(user), until: Date.now() + 600_000 } } };
  });
});

describe('a log-in with a signed JWT', () => {
  it('presents a fresh assertion that the provider verifies, with scopes and without what is left empty', async () => {
    const first = await logIn(JWT_FILE, { serviceAccount: KEY_FILE });
    const second = await logIn(JWT_FILE, { serviceAccount: KEY_FILE });
    expect([first.ok, second.ok]).toEqual([true, true]);
    expect(first).toMatchObject({
      tokens: { expiresInSeconds: 3600, raw: { granted: 'https://robots.example/read' } },
    });
    const { assertion = '' } = readForm(fake.requests[0] ?? { method: '', path: '', headers: {}, body: '' });
    expect(jwt.decode(assertion)).not.toHaveProperty('sub');
  });

  it('speaks for a subject where one is given', async () => {
    const outcome = await logIn(JWT_FILE, { serviceAccount: KEY_FILE, subject: 'ann@acme.example' });
    const token = outcome.ok ? outcome.tokens.accessToken : '';
    expect(fake.sessions.get(token)?.user).toBe('ann@acme.example');
  });

  it('is refused with a key that the provider does not know, in words that repeat no secret', async () => {
    const file = { ...JSON.parse(KEY_FILE), private_key: createRsaPair().pem };
    const outcome = await logIn(JWT_FILE, { serviceAccount: JSON.stringify(file) });
    expect(outcome).toMatchObject({ ok: false, kind: 'invalid_grant', errorCode: 'invalid_grant' });
    expect(JSON.stringify(outcome)).not.toContain('PRIVATE');
  });

  it.each([
    ['no key at all', 'nonsense'],
    [
      'a key of another kind',
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
    ],
    [
      'a curve where RSA is wanted',
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    ],
    ['an RSA key of 1024 bits', createRsaPair(1024).pem],
  ])('sends nothing with %s', async (_what, key) => {
    const file = JSON.stringify({ ...JSON.parse(KEY_FILE), private_key: key });
    expect(await logIn(JWT_FILE, { serviceAccount: file })).toMatchObject({
      ok: false,
      kind: 'invalid_grant',
      errorCode: 'key_unusable',
    });
    expect(fake.requests).toEqual([]);
  });

  it('takes a key that its passphrase opens', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const encrypted = privateKey
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'swordfish' })
      .toString();
    const file = {
      ...JWT_FILE,
      variables: {
        privateKey: { secret: true, input: 'private-key' },
        passphrase: { secret: true, optional: true },
      },
      jwt: { claims: { iss: EMAIL, jti: '{random}' }, passphrase: '{passphrase}' },
    };
    await logIn(file, { privateKey: encrypted, passphrase: 'swordfish' });
    expect(fake.requests).toHaveLength(1);
    await logIn(file, { privateKey: encrypted, passphrase: 'herring' });
    expect(fake.requests).toHaveLength(1);
  });

  it('blames the operator for a key that the operator gave', async () => {
    const { privateKey: _none, ...rest } = { privateKey: '', ...JWT_FILE };
    const file = {
      ...rest,
      variables: { privateKey: { from: 'integration', secret: true, input: 'private-key' } },
      jwt: { claims: { iss: EMAIL } },
    };
    const outcome = await logIn(file, { privateKey: 'nonsense' });
    expect(outcome).toMatchObject({ kind: 'client', errorCode: 'client_key_unusable' });
  });

  it('names the certificate of a key by its digest', async () => {
    let header: unknown;
    fake.handlers.set('POST /token', (request) => {
      header = jwt.decode(readForm(request).assertion ?? '', { complete: true })?.header;
      return { body: { access_token: fake.openSession('x') } };
    });

    const file = {
      ...JWT_FILE,
      variables: {
        privateKey: { secret: true, input: 'private-key' },
        certificate: { input: 'certificate' },
      },
      jwt: { alg: 'PS256', header: { 'x5t#S256': '{certificate.sha256}' }, claims: { iss: 'x' } },
    };
    const outcome = await logIn(file, { privateKey: rsa.pem, certificate: TEST_CERTIFICATE });
    expect(outcome.ok).toBe(true);
    expect(header).toEqual({ alg: 'PS256', typ: 'JWT', 'x5t#S256': expect.stringMatching(/^[\w-]{43}$/) });
  });
});

describe('a log-in with a password', () => {
  it('brings the session with its end', async () => {
    const outcome = await logIn(PASSWORD_FILE, { user: 'ann', password: 'open sesame' });
    expect(outcome).toMatchObject({
      ok: true,
      tokens: { expiresInSeconds: expect.any(Number), refreshToken: null },
    });
    const token = outcome.ok ? outcome.tokens.accessToken : '';
    expect(fake.sessions.get(token)?.user).toBe('ann');
  });

  it('is refused for a wrong one, which the provider’s words do not give away', async () => {
    const outcome = await logIn(PASSWORD_FILE, { user: 'ann', password: 'close sesame' });
    expect(outcome).toMatchObject({ ok: false, kind: 'invalid_grant', errorCode: 'http_401', status: 401 });
    expect(JSON.stringify(outcome)).not.toContain('close sesame');
  });

  it.each([
    [500, 'transient'],
    [429, 'transient'],
    [302, 'transient'],
    [400, 'rejected'],
    [403, 'invalid_grant'],
    [410, 'rejected'],
  ])('that is answered with %d is %s', async (status, kind) => {
    fake.handlers.set('POST /login', () => ({ status, body: {} }));
    const outcome = await logIn(PASSWORD_FILE, { user: 'ann', password: 'open sesame' });
    expect(outcome).toMatchObject({ ok: false, kind, status });
  });

  it('goes from step to step, to the address that the first answer names', async () => {
    fake.handlers.set('GET /where', ({ headers }) => ({
      body: { place: fake.url, echo: headers.authorization, list: [{ ticket: 't-1' }] },
    }));
    fake.handlers.set('POST /deep/login', ({ body, headers }) => ({
      body: {
        sid: fake.openSession('x'),
        seen: [readForm({ body, headers, method: '', path: '' }), headers['x-ticket']],
      },
    }));
    const file = {
      ...PASSWORD_FILE,
      variables: { ...PASSWORD_FILE.variables, place: { from: 'token-response', path: 'step1.place' } },
      login: {
        steps: [
          {
            method: 'GET',
            url: `${fake.url}/where`,
            headers: { Authorization: 'Basic {base64(user:password)}' },
          },
          {
            url: '{place}/deep/login',
            headers: { 'X-Ticket': '{step1.list.0.ticket}' },
            body: { day: '{now:date}', again: '{step1.echo}' },
          },
        ],
      },
      tokenResponse: { accessToken: 'sid' },
    };
    const outcome = await logIn(file, { user: 'ann', password: 'pass:word' });
    const echo = `Basic ${Buffer.from('ann:pass:word').toString('base64')}`;
    expect(outcome).toMatchObject({
      ok: true,
      tokens: { raw: { seen: [{ day: new Date().toISOString().slice(0, 10), again: echo }, 't-1'] } },
    });
  });

  it.each([
    ['a header', { accessToken: 'headers.x-token' }, {}, { headers: { 'x-token': 'abc' }, body: {} }],
    [
      'a cookie',
      { accessToken: 'cookies.SID' },
      {},
      { headers: { 'set-cookie': ['A=1; Path=/', 'SID=abc; HttpOnly'] }, body: {} },
    ],
    ['the whole answer', {}, { answer: 'text' }, { body: 'abc' }],
    ['the whole answer, as JSON', {}, { answer: 'text' }, { body: '"abc"' }],
  ])('finds the token in %s', async (_where, tokenResponse, login, answer) => {
    fake.handlers.set('POST /login', () => answer);
    const file = { ...PASSWORD_FILE, tokenResponse, login: { ...PASSWORD_FILE.login, ...login } };
    const outcome = await logIn(file, { user: 'ann', password: 'x' });
    expect(outcome).toMatchObject({ ok: true, tokens: { accessToken: 'abc' } });
  });

  it('keeps the token in the form in which calls carry it', async () => {
    const login = { ...PASSWORD_FILE.login, credential: '{base64(user:accessToken)}' };
    fake.handlers.set('POST /login', () => ({ body: { session: { id: 'abc' } } }));
    const outcome = await logIn({ ...PASSWORD_FILE, login }, { user: 'ann', password: 'x' });
    const accessToken = Buffer.from('ann:abc').toString('base64');
    expect(outcome).toMatchObject({ ok: true, tokens: { accessToken } });
  });

  it('renews by the refresh token, and logs in where that is refused', async () => {
    const file = {
      ...PASSWORD_FILE,
      login: {
        ...PASSWORD_FILE.login,
        refresh: { url: `${fake.url}/renew`, headers: { Authorization: 'Bearer {refreshToken}' } },
      },
      tokenResponse: { accessToken: 'session.id', refreshToken: 'session.next' },
    };
    fake.handlers.set('POST /renew', ({ headers }) =>
      headers.authorization === 'Bearer good'
        ? { body: { session: { id: 'renewed', next: 'better' } } }
        : { status: 401, body: {} },
    );
    const given = { user: 'ann', password: 'open sesame' };
    const renewed = await logIn(file, given, { refreshToken: 'good' });
    expect(renewed).toMatchObject({ ok: true, tokens: { accessToken: 'renewed', refreshToken: 'better' } });
    const again = await logIn(file, given, { refreshToken: 'spent' });
    expect(again).toMatchObject({ ok: true, tokens: { accessToken: expect.stringMatching(/^session-/) } });
    expect(fake.requests.map(({ path }) => path)).toEqual(['/renew', '/renew', '/login']);
  });

  it('sends nothing where a value cannot stand in a header', async () => {
    const login = { steps: [{ url: `${fake.url}/login`, headers: { 'X-User': '{user}' } }] };
    const outcome = await logIn({ ...PASSWORD_FILE, login }, { user: 'ann\u{1f600}', password: 'x' });
    expect(outcome).toMatchObject({ ok: false, errorCode: 'credentials_unusable' });
    expect(fake.requests).toEqual([]);
  });
});

describe('a client that proves itself by a certificate', () => {
  it('signs an assertion that names the certificate, as its algorithm and its operator’s values say', async () => {
    let assertion = '';
    fake.handlers.set('POST /token', (request) => {
      const { client_assertion = '', client_secret } = readForm(request);
      expect(client_secret).toBeUndefined();
      assertion = client_assertion;
      return { body: { access_token: 'abc', token_type: 'Bearer' } };
    });
    const provider = load({
      id: 'certified',
      name: 'Certified',
      auth: 'oauth2-client-credentials',
      tokenUrl: `${fake.url}/token`,
      apiBaseUrl: `${fake.url}/api`,
      variables: { certificate: { from: 'integration', input: 'certificate' } },
      clientAssertion: { alg: 'PS384', header: { 'x5t#S256': '{certificate.sha256}' } },
    });
    const variables = { certificate: TEST_CERTIFICATE };
    const certified = { clientId: 'the-client', clientSecrets: [rsa.pem] };
    const outcome = await endpoint.clientCredentials({ provider, client: certified, variables, scopes: [] });
    expect(outcome.ok).toBe(true);
    const expected = { key: rsa.publicKey, alg: 'PS384', audience: `${fake.url}/token` } as const;
    expect(
      fake.judgeAssertion(assertion, { ...expected, lifetimeSecondsMax: 300, isForOneUse: true }),
    ).toMatchObject({
      iss: 'the-client',
      sub: 'the-client',
    });
    expect(jwt.decode(assertion, { complete: true })?.header).toMatchObject({
      'x5t#S256': expect.stringMatching(/^[\w-]{43}$/),
    });
  });
});

describe('a log-out', () => {
  const file = {
    ...PASSWORD_FILE,
    logout: { method: 'DELETE', url: `${fake.url}/session`, headers: { 'X-Session': '{accessToken}' } },
  };
  const prepare = () => {
    const target = { provider: load(file), client, variables: { user: 'ann', password: 'x' } };
    const request = prepareRevocation({ ...target, accessToken: 'abc', refreshToken: null });
    if (request === undefined) throw new Error('no log-out');
    return request;
  };

  it('ends the session, and carries no password', async () => {
    fake.handlers.set('DELETE /session', () => ({ status: 204, body: '' }));
    const request = prepare();
    expect(JSON.stringify(request)).not.toContain('password');
    expect(await endpoint.revoke(request)).toEqual({ ok: true });
    expect(fake.requests[0]?.headers['x-session']).toBe('abc');
  });

  it('counts as done where the session is over already', async () => {
    fake.handlers.set('DELETE /session', () => ({ status: 401, body: {} }));
    expect(await endpoint.revoke(prepare())).toEqual({ ok: true });
  });
});

describe('a provider file with a log-in', () => {
  const faultsOf = (file: object) => {
    const loaded = providerFromFile(file, { allowPrivateNetworks: true });
    return loaded.ok ? [] : loaded.faults.map(({ path, reason }) => `${path.join('.')}: ${reason}`);
  };
  const { jwt: _jwt, ...withoutJwt } = JWT_FILE;
  const { login: _login, ...withoutLogin } = PASSWORD_FILE;
  const variables = (more: object) => ({
    ...PASSWORD_FILE,
    variables: { ...PASSWORD_FILE.variables, ...more },
  });
  const step = (more: object) => ({
    ...PASSWORD_FILE,
    login: { steps: [{ url: `${fake.url}/login`, ...more }] },
  });

  it.each([
    ['no JWT where one is presented', withoutJwt, /^jwt: is needed/],
    ['no log-in where there is nothing else', withoutLogin, /^login: is needed/],
    [
      'a log-in beside another kind of authentication',
      { ...PASSWORD_FILE, auth: 'oauth2', authorizationUrl: fake.url, tokenUrl: fake.url },
      /^login: belongs/,
    ],
    ['a misspelt name', step({ body: { user: '{usr}' } }), /names \{usr\}.*did you mean \{user\}/],
    ['an answer that has not come yet', step({ body: { x: '{step1.y}' } }), /names \{step1\.y\}/],
    [
      'the session token before there is one',
      step({ body: { x: '{accessToken}' } }),
      /names \{accessToken\}/,
    ],
    ['a key that is no secret', variables({ key: { input: 'private-key' } }), /key and needs secret/],
    ['a JSON file without members', variables({ key: { input: 'json', secret: true } }), /needs the members/],
    ['members of no file', variables({ key: { members: ['a'] } }), /belong to input: json/],
    [
      'a value in an address that may be left empty',
      { ...variables({ site: { optional: true } }), apiBaseUrl: `${fake.url}/{site}` },
      /cannot be optional/,
    ],
    [
      'a host that end users choose and that gets the operator’s secret',
      {
        ...variables({ host: {}, key: { from: 'integration', secret: true } }),
        login: { steps: [{ url: 'https://{host}/login', body: { key: '{key}', user: '{user}' } }] },
      },
      /receives secrets of the integration/,
    ],
    ['a name of the gateway’s', variables({ jwt: {} }), /gateway itself fills in/],
  ])('is refused for %s', (_what, file, fault) => {
    expect(faultsOf(file)).toEqual([expect.stringMatching(fault)]);
  });

  it('may send a user’s own password to the host that this user names', () => {
    const own = {
      ...variables({ host: {} }),
      login: { steps: [{ url: 'https://{host}/login', body: { user: '{user}', password: '{password}' } }] },
    };
    expect(faultsOf(own)).toEqual([]);
  });
});
