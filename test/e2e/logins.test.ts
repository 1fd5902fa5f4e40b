import { createHttpBrowser } from '../examples/http-browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import {
  createRsaPair,
  type LoginProvider,
  readForm,
  type SeenRequest,
  startLoginProvider,
} from '../support/login-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';

let fake: LoginProvider;
let database: TestDatabase;
let gateway: Gateway;
let project: Project;
let catalog: { path: string; remove(): Promise<void> };

const rsa = createRsaPair();
const EMAIL = 'robot@acme.example';
const keyFile = (private_key = rsa.pem) =>
  JSON.stringify({ client_email: EMAIL, private_key_id: 'key-1', private_key }, null, 2);

const filesOf = (url: string) => ({
  robots: `id: robots
name: Robots
auth: jwt-bearer
tokenUrl: ${url}/token
apiBaseUrl: ${url}/api
variables:
  serviceAccount:
    title: Key file
    secret: true
    input: json
    members: [client_email, private_key_id, private_key]
  subject: { title: Subject, optional: true }
jwt:
  header: { kid: '{serviceAccount.private_key_id}' }
  claims:
    iss: '{serviceAccount.client_email}'
    sub: '{subject}'
    aud: ${url}/token
    jti: '{random}'
  lifetimeSeconds: 3600
  key: '{serviceAccount.private_key}'
`,
  doors: `id: doors
name: Doors
auth: token-login
apiBaseUrl: ${url}/api
accessTokenHeader: { name: X-Session, template: '{accessToken}' }
variables:
  user: { title: User name }
  password: { title: Password, secret: true }
login:
  steps:
    - url: ${url}/login
      encoding: json
      body: { user: '{user}', password: '{password}' }
tokenResponse: { accessToken: session.id, expiresIn: session.seconds }
logout: { method: DELETE, url: ${url}/session, headers: { X-Session: '{accessToken}' } }
account:
  id: { from: token-response, path: session.user }
`,
  apps: `id: apps
name: Apps
auth: github-app
authorizationUrl: ${url}/apps/{slug}/install
tokenUrl: ${url}/user-token
apiBaseUrl: ${url}/api
pkce: false
variables:
  slug: { from: integration }
  privateKey: { from: integration, secret: true, input: private-key }
  installation_id: { from: callback, pattern: '[0-9]{1,20}' }
jwt:
  claims: { iss: '{clientId}' }
  lifetimeSeconds: 540
  issuedSecondsAgo: 60
login:
  steps:
    - { method: GET, url: '${url}/app/{installation_id}', headers: { Authorization: 'Bearer {jwt}' } }
    - { url: '${url}/app/{installation_id}/tokens', headers: { Authorization: 'Bearer {jwt}' } }
  refusedStatuses: [401]
  goneStatuses: [404]
installation:
  variable: installation_id
  list:
    url: ${url}/installations
    headers: { Authorization: 'Bearer {accessToken}' }
    itemsPath: installations
    id: id
  pending: { parameter: setup_action, value: request }
tokenResponse: { accessToken: [token, access_token], expiresAt: expires_at }
account:
  id: { from: variable, path: installation_id }
  name: { from: token-response, path: step1.account.login }
`,
});

let password = 'open sesame';
const assertions: string[] = [];

beforeAll(async () => {
  fake = await startLoginProvider();
  fake.handlers.set('POST /token', (request) => {
    const { assertion = '' } = readForm(request);
    assertions.push(assertion);
    const claims = fake.judgeAssertion(assertion, {
      key: rsa.publicKey,
      alg: 'RS256',
      kid: 'key-1',
      audience: `${fake.url}/token`,
      lifetimeSecondsMax: 3600,
      isForOneUse: true,
    });
    if (typeof claims === 'string') {
      return { status: 400, body: { error: 'invalid_grant', error_description: `Invalid JWT: ${claims}` } };
    }
    return {
      body: { access_token: fake.openSession(claims.sub ?? EMAIL), expires_in: fake.lifetimeSeconds },
    };
  });
  fake.handlers.set('POST /login', ({ body }) => {
    const given = JSON.parse(body);
    if (given.password !== password) return { status: 401, body: { message: 'Wrong user name or password' } };
    const id = fake.openSession(given.user);
    return { body: { session: { id, seconds: fake.lifetimeSeconds, user: given.user } } };
  });
  fake.handlers.set('DELETE /session', ({ headers }) => {
    fake.sessions.delete(String(headers['x-session']));
    return { status: 204, body: '' };
  });
  catalog = await createCatalogDir(filesOf(fake.url));
  database = await createTestDatabase();
  gateway = await startGateway({
    catalogDir: catalog.path,
    databaseUrl: database.url,
    env: { ENCRYPTION_KEYS: createEncryptionKey() },
  });
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN] });
});

beforeEach(() => {
  password = 'open sesame';
  fake.lifetimeSeconds = 3600;
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
  await catalog?.remove();
  await fake?.close();
});

const asKey = (method: string, path: string, body?: object) =>
  callApi(gateway.url, method, path, { bearer: project.apiKey, ...(body && { body }) });

const integrate = async (serviceProvider: string, more: object = {}): Promise<string> => {
  const options = { bearer: project.apiKey, body: { serviceProvider, ...more } };
  return (await callApiOk(gateway.url, 'POST', '/v1/integrations', options)).id;
};

/** A connect page of a user's, as far as its form. */
async function openForm(integrationId: string, userId: string) {
  const session = await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: project.userToken(userId),
    headers: { origin: APP_ORIGIN },
    body: { integrationId },
  });
  const browser = createHttpBrowser({ origins: [gateway.url] });
  const page = await browser.open(session.url);
  return {
    page,
    submit: (fields: Record<string, string>) => browser.submit(session.url, fields),
    async complete(closing: Awaited<ReturnType<typeof browser.open>>) {
      const { completionCode } = readOutcome(closing).message;
      return callApiOk(gateway.url, 'POST', `/v1/connect-sessions/${session.id}/complete`, {
        bearer: project.userToken(userId),
        body: { completionCode },
      });
    },
  };
}

const callAs = (userId: string, provider: string, headers: Record<string, string> = {}) =>
  callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/${provider}/me`, {
    bearer: project.userToken(userId),
    headers,
  });

const importAs = (integrationId: string, userId: string, variables: Record<string, string>) =>
  asKey('POST', '/v1/connections', { integrationId, userId, credentials: { variables } });

describe('connecting with a key file', () => {
  it('takes the file as it was pasted, proves it, and calls with the token', async () => {
    const form = await openForm(await integrate('robots'), 'ann');
    expect(form.page.body).toMatch(/<textarea id="serviceAccount"[^>]* required/);
    expect(form.page.body).toMatch(/<input id="subject" name="subject" type="text" value=""\s+spellcheck/);

    const notAFile = await form.submit({ serviceAccount: '{"installed": {}}', subject: '' });
    expect([notAFile.status, notAFile.body.includes('Key file')]).toEqual([422, true]);
    const wrong = await form.submit({ serviceAccount: keyFile(createRsaPair().pem), subject: '' });
    expect(wrong.status).toBe(422);
    expect(wrong.body).toContain('does not accept these credentials');
    expect(wrong.body).not.toContain('PRIVATE KEY');

    const connection = await form.complete(
      await form.submit({ serviceAccount: keyFile(), subject: 'ann@acme.example' }),
    );
    expect(connection).toMatchObject({ status: 'active', expiresAt: expect.any(String) });
    expect(JSON.stringify(connection)).not.toContain('PRIVATE KEY');
    expect((await callAs('ann', 'robots')).body).toMatchObject({ user: 'ann@acme.example' });
  });

  it('asks nobody for what the operator has set', async () => {
    const form = await openForm(
      await integrate('robots', { variables: { serviceAccount: keyFile() } }),
      'bea',
    );
    expect(form.page.body).not.toContain('serviceAccount');
    await form.complete(await form.submit({ subject: '' }));
    const integrations = await asKey('GET', '/v1/integrations');
    expect(JSON.stringify(integrations.body)).not.toContain('PRIVATE KEY');
    expect((await callAs('bea', 'robots')).body).toMatchObject({ user: EMAIL });
  });

  it('signs a new assertion for each token, all replicas and calls together once', async () => {
    fake.lifetimeSeconds = 1;
    const integrationId = await integrate('robots');
    await importAs(integrationId, 'cyd', { serviceAccount: keyFile(), subject: 'cyd@acme.example' });
    const before = assertions.length;
    const isExpired = () =>
      [...fake.sessions.values()].every(
        ({ user, endsAtMs }) => user !== 'cyd@acme.example' || endsAtMs < Date.now(),
      );
    await until(isExpired);
    fake.lifetimeSeconds = 3600;
    const calls = await Promise.all(Array.from({ length: 5 }, () => callAs('cyd', 'robots')));
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(assertions.length - before).toBe(1);
    expect(new Set(assertions).size).toBe(assertions.length);
  });
});

describe('importing what the gateway logs in with', () => {
  it('refuses a wrong password and stores nothing, and an access token that it would not use', async () => {
    const integrationId = await integrate('doors');
    const wrong = await importAs(integrationId, 'dan', { user: 'dan', password: 'close sesame' });
    expect(wrong).toMatchObject({ status: 422, body: { code: 'credentials_invalid' } });
    expect(wrong.body.detail).toContain('Wrong user name or password');
    expect(JSON.stringify(wrong.body)).not.toContain('close sesame');
    const lacking = await importAs(integrationId, 'dan', { password: 'open sesame' });
    expect(lacking).toMatchObject({ status: 422, body: { code: 'credentials_invalid' } });
    const token = await asKey('POST', '/v1/connections', {
      integrationId,
      userId: 'dan',
      credentials: { accessToken: 'session-1', variables: { user: 'dan', password: 'open sesame' } },
    });
    expect(token.body.errors).toEqual([expect.objectContaining({ path: 'body.credentials.accessToken' })]);
    const list = await asKey('GET', `/v1/projects/${project.id}/connections?userId=dan`);
    expect(list.body.connections).toEqual([]);
  });

  it('refuses what it cannot prove because the provider is away', async () => {
    const integrationId = await integrate('doors');
    const healthy = fake.handlers.get('POST /login');
    fake.handlers.set('POST /login', () => ({ status: 503, body: {} }));
    const away = await importAs(integrationId, 'eve', { user: 'eve', password });
    if (healthy) fake.handlers.set('POST /login', healthy);
    expect(away).toMatchObject({ status: 502, body: { code: 'upstream_unreachable' } });
  });
});

describe('a session', () => {
  it('that the provider ended is opened again within the call, and logged out when it is disconnected', async () => {
    const integrationId = await integrate('doors');
    const { body } = await importAs(integrationId, 'fay', { user: 'fay', password });
    expect(body).toMatchObject({ accountId: 'fay', status: 'active' });
    const at = { 'gateway-integration': integrationId };
    expect((await callAs('fay', 'doors', at)).body.user).toBe('fay');
    for (const [token, { user }] of fake.sessions) if (user === 'fay') fake.sessions.delete(token);
    expect(await callAs('fay', 'doors', at)).toMatchObject({ status: 200, body: { user: 'fay' } });
    const health = await asKey('POST', `/v1/connections/${body.id}/test`);
    expect(health.body).toMatchObject({ ok: true });

    await asKey('DELETE', `/v1/connections/${body.id}`);
    const isOpen = () => [...fake.sessions.values()].filter(({ user }) => user === 'fay').length;
    // Sessions that the test itself replaced stay at this provider: the last one is logged out.
    const before = isOpen();
    await until(() => isOpen() === before - 1);
  });

  it('of a password that was changed asks its user to authorize again, and the new one mends it', async () => {
    const integrationId = await integrate('doors');
    const imported = await importAs(integrationId, 'gil', { user: 'gil', password });
    password = 'changed';
    fake.sessions.clear();
    const at = { 'gateway-integration': integrationId };
    expect(await callAs('gil', 'doors', at)).toMatchObject({
      status: 424,
      body: { code: 'reauthorization_required' },
    });
    const { body } = await asKey('GET', `/v1/connections/${imported.body.id}`);
    expect(body).toMatchObject({ status: 'reauthorization_required' });
    expect(body.statusReason).toContain('Wrong user name or password');
    const session = await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: project.userToken('gil'),
      headers: { origin: APP_ORIGIN },
      body: { integrationId, connectionId: imported.body.id },
    });
    const browser = createHttpBrowser({ origins: [gateway.url] });
    await browser.open(session.url);
    const closing = await browser.submit(session.url, { user: 'gil', password: 'changed' });
    await callApiOk(gateway.url, 'POST', `/v1/connect-sessions/${session.id}/complete`, {
      bearer: project.userToken('gil'),
      body: { completionCode: readOutcome(closing).message.completionCode },
    });
    expect((await callAs('gil', 'doors', at)).status).toBe(200);
  });
});

describe('an application that its users install', () => {
  const installed = new Map([
    ['41', 'ann-org'],
    ['42', 'bea-org'],
  ]);
  let integrationId: string;

  beforeAll(async () => {
    const judge = ({ headers }: SeenRequest) =>
      fake.judgeAssertion(String(headers.authorization).replace('Bearer ', ''), {
        key: rsa.publicKey,
        alg: 'RS256',
        audience: '',
        lifetimeSecondsMax: 600,
      });
    for (const [id, login] of [...installed, ['43', '']]) {
      const guarded = (body: object) => (request: SeenRequest) => {
        if (typeof judge(request) === 'string')
          return { status: 401, body: { message: String(judge(request)) } };
        return installed.has(id ?? '') ? { body } : { status: 404, body: { message: 'Not Found' } };
      };
      fake.handlers.set(`GET /app/${id}`, guarded({ id: Number(id), account: { login } }));
      fake.handlers.set(`POST /app/${id}/tokens`, (request) => {
        const expires_at = new Date(Date.now() + 3_600_000).toISOString();
        return guarded({ token: fake.openSession(String(login)), expires_at })(request);
      });
    }
    fake.handlers.set('POST /user-token', (request) => ({
      body: { access_token: `user-${readForm(request).code}`, token_type: 'bearer' },
    }));
    // Two pages; Ann sees her own installation only.
    fake.handlers.set('GET /installations', ({ path, headers }) => {
      if (headers.authorization !== 'Bearer user-ann') return { status: 401, body: {} };
      const page = Number(new URL(path, fake.url).searchParams.get('page'));
      return { body: { installations: page === 1 ? [{ id: 7 }] : page === 2 ? [{ id: 41 }] : [] } };
    });
    const client = { clientId: 'app-client', clientSecret: 'app-secret' };
    integrationId = await integrate('apps', { ...client, variables: { slug: 'acme', privateKey: rsa.pem } });
  });

  /** Comes back from the provider's page with what it, or an attacker, put into the address. */
  async function comeBack(userId: string, parameters: Record<string, string>) {
    const session = await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: project.userToken(userId),
      headers: { origin: APP_ORIGIN },
      body: { integrationId },
    });
    const browser = createHttpBrowser({ origins: [gateway.url] });
    const page = await browser.open(session.url);
    const request = new URL(page.url);
    const callback = new URL(`${gateway.url}/oauth/callback`);
    callback.searchParams.set('state', request.searchParams.get('state') ?? '');
    for (const [name, value] of Object.entries(parameters)) callback.searchParams.set(name, value);
    return { session, request, closing: await browser.open(callback.href) };
  }

  it('sends the browser to the page where it is installed, and keeps the installation’s own token', async () => {
    const { session, request, closing } = await comeBack('ann', {
      code: 'ann',
      installation_id: '41',
      setup_action: 'install',
    });
    expect(request.pathname).toBe('/apps/acme/install');
    expect([...request.searchParams.keys()]).toEqual(['state']);
    const connection = await callApiOk(gateway.url, 'POST', `/v1/connect-sessions/${session.id}/complete`, {
      bearer: project.userToken('ann'),
      body: { completionCode: readOutcome(closing).message.completionCode },
    });
    expect(connection).toMatchObject({ status: 'active', accountId: '41', accountName: 'ann-org' });
    const called = await callAs('ann', 'apps');
    expect(called.body).toMatchObject({ user: 'ann-org', token: expect.stringMatching(/^session-/) });
  });

  it('connects nobody to an installation of other people', async () => {
    const { closing } = await comeBack('mal', {
      code: 'ann',
      installation_id: '42',
      setup_action: 'install',
    });
    expect(readOutcome(closing).message).toMatchObject({ status: 'error', error: 'invalid_callback' });
    const { body } = await asKey('GET', `/v1/projects/${project.id}/connections?userId=mal`);
    expect(body.connections).toEqual([]);
  });

  it('says that another person has to approve where the user only asked for it', async () => {
    const { closing } = await comeBack('nia', { code: 'ann', setup_action: 'request' });
    expect(readOutcome(closing).message).toMatchObject({ error: 'access_denied' });
  });

  it('is imported by its id, which the provider has to know', async () => {
    const imported = await importAs(integrationId, 'oda', { installation_id: '42' });
    expect(imported).toMatchObject({ status: 201, body: { accountId: '42', accountName: 'bea-org' } });
    expect(await importAs(integrationId, 'oda', { installation_id: '43' })).toMatchObject({ status: 422 });
    expect(await importAs(integrationId, 'oda', {})).toMatchObject({ status: 422 });
  });

  it('that is removed ends its connection at once', async () => {
    const imported = await importAs(integrationId, 'pia', { installation_id: '42' });
    installed.delete('42');
    for (const [token, { user }] of fake.sessions) if (user === 'bea-org') fake.sessions.delete(token);
    expect(await callAs('pia', 'apps')).toMatchObject({ status: 424 });
    const { body } = await asKey('GET', `/v1/connections/${imported.body.id}`);
    expect(body.status).toBe('reauthorization_required');
  });
});
