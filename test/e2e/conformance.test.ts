import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ApiCall,
  callApi,
  type Gateway,
  OPERATOR,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { until } from '../support/held-stage.ts';
import { closeServer, listen } from '../support/listen.ts';
import { findFreePort } from '../support/ports.ts';
import { runRefusedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { exchange } from '../support/upstream.ts';

/** An API that answers with what it was asked, at `/prove` with the status that the key names. */
async function startEcho(): Promise<{ url: string; server: Server }> {
  const server = createServer(({ url, headers }: IncomingMessage, response) => {
    const named = /^Key status-(\d+)$/.exec(String(headers['x-api-key']))?.[1];
    if (url === '/prove' && named !== undefined) {
      response.writeHead(Number(named), { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: `not with status-${named}` }));
      return;
    }
    if (url === '/client-token') {
      const [, status = '200'] = /^Basic app-(\d+):/.exec(decodeBasic(headers.authorization)) ?? [];
      const token = { access_token: 'issued', token_type: 'bearer', expires_in: 60, owner: 'acme' };
      response.writeHead(Number(status), { 'content-type': 'application/json' });
      response.end(JSON.stringify(status === '200' ? token : { error: 'invalid_client' }));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ url, headers }));
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, server };
}

function decodeBasic(authorization = ''): string {
  return `Basic ${Buffer.from(authorization.replace('Basic ', ''), 'base64').toString('utf8')}`;
}

/** Provider files of plain facts only: JSON and YAML, every place of a credential, variables that are mere texts. */
async function writeCatalog(directory: string, url: string): Promise<void> {
  const oauth = { auth: 'oauth2', authorizationUrl: `${url}/authorize`, tokenUrl: `${url}/token` };
  const keyIn = (place: string, name: string, template: string) => ({
    auth: 'api-key',
    apiKey: { in: place, name, template },
  });
  const files = [
    {
      id: 'plain',
      name: 'Plain',
      ...oauth,
      apiBaseUrl: `${url}/plain`,
      setupSteps: ['Enter {redirectUrl}.'],
    },
    {
      id: 'gone',
      name: 'Gone',
      ...oauth,
      apiBaseUrl: url,
      status: 'ended',
      statusDate: '2026-08-31',
      statusNote: 'Plain takes its place.',
      evidence: 'documentation',
    },
    { id: 'in-header', name: 'Header', apiBaseUrl: url, ...keyIn('header', 'X-Api-Key', 'Key {apiKey}') },
    { id: 'in-query', name: 'Query', apiBaseUrl: url, ...keyIn('query', 'api_key', '{apiKey}') },
    { id: 'in-path', name: 'Path', apiBaseUrl: `${url}/bot{apiKey}`, ...keyIn('path', 'bot', 'bot{apiKey}') },
    {
      id: 'proved',
      name: 'Proved',
      apiBaseUrl: url,
      probe: { url: `${url}/prove` },
      ...keyIn('header', 'X-Api-Key', 'Key {apiKey}'),
    },
    {
      id: 'by-client',
      name: 'By client',
      auth: 'oauth2-client-credentials',
      tokenUrl: `${url}/client-token`,
      tokenEndpointAuth: 'client_secret_basic',
      apiBaseUrl: url,
      account: { id: { from: 'token-response', path: 'owner' } },
    },
    {
      id: 'tenant',
      name: 'Tenant',
      ...oauth,
      apiBaseUrl: '{instance_url}',
      variables: { instance_url: 'The address of the instance.' },
    },
    {
      id: 'hosted',
      name: 'Hosted',
      ...oauth,
      apiBaseUrl: '{host_url}',
      variables: { host_url: { from: 'integration' } },
    },
  ];
  for (const file of files) await writeFile(join(directory, `${file.id}.json`), JSON.stringify(file));
  await writeFile(
    join(directory, 'basic.yaml'),
    `id: in-basic\nname: Basic\nauth: basic\napiBaseUrl: ${url}\n`,
  );
  // The id of a built-in provider: this file takes its place.
  const notion = { id: 'notion', name: 'Own Notion', ...oauth, apiBaseUrl: `${url}/own` };
  await writeFile(join(directory, 'own-notion.json'), JSON.stringify(notion));
}

let echo: Awaited<ReturnType<typeof startEcho>>;
let catalogDir: string;
let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  echo = await startEcho();
  catalogDir = await mkdtemp(join(tmpdir(), 'gateway-conformance-'));
  await writeCatalog(catalogDir, echo.url);
  gateway = await startGateway({ catalogDir });
  project = await provision(gateway);
});

afterAll(async () => {
  await gateway?.stop();
  await rm(catalogDir, { recursive: true, force: true });
  if (echo) await closeServer(echo.server);
});

const api = (method: string, path: string, body?: unknown, call: ApiCall = {}) =>
  callApi(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, body, ...call });

const client = { clientId: 'app', clientSecret: 'app-secret', scopes: ['read'] };

async function integrate(
  serviceProvider: string,
  extra: object = {},
): Promise<{ id: string; version: string }> {
  const made = await api('POST', '/integrations', { serviceProvider, ...extra });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return { id: made.body.id, version: made.headers.get('etag') ?? '' };
}

const importFor = (integrationId: string, credentials: object, extra: object = {}) =>
  api('POST', '/connections', { integrationId, userId: 'ada', credentials, ...extra });

const proxied = (provider: string, path: string) =>
  callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/${provider}/${path}`, {
    bearer: project.userToken('ada'),
  });

describe('imported credentials of a provider that is described by plain facts', () => {
  it.each([
    ['plain', client, { accessToken: 'token-1' }, { url: '/plain/x?a=1', authorization: 'Bearer token-1' }],
    ['in-header', {}, { apiKey: 'key-1' }, { url: '/x?a=1', 'x-api-key': 'Key key-1' }],
    ['in-query', {}, { apiKey: 'key&1' }, { url: '/x?a=1&api_key=key%261' }],
    ['in-path', {}, { apiKey: '12:ab' }, { url: '/bot12%3Aab/x?a=1' }],
    [
      'in-basic',
      {},
      { username: 'ada', password: 'pass:word' },
      { url: '/x?a=1', authorization: `Basic ${Buffer.from('ada:pass:word').toString('base64')}` },
    ],
    ['notion', client, { accessToken: 'token-2' }, { url: '/own/x?a=1', authorization: 'Bearer token-2' }],
  ])('go where %s wants them', async (provider, extra, credentials, expected) => {
    const { id } = await integrate(provider, extra);
    expect((await importFor(id, credentials)).status).toBe(201);
    const { status, body } = await proxied(provider, 'x?a=1');
    expect([status, { url: body.url, ...body.headers }]).toEqual([200, expect.objectContaining(expected)]);
  });

  it.each([
    ['nothing', {}, 422, 'credentials_invalid', 'body.credentials.accessToken'],
    [
      'a line break',
      { accessToken: 'a\r\nX-Injected: b' },
      400,
      'invalid_request',
      'body.credentials.accessToken',
    ],
    ['no address', { accessToken: 'a' }, 422, 'variable_invalid', 'body.credentials.variables.instance_url'],
    [
      'an address that is none',
      { accessToken: 'a', variables: { instance_url: 'https://x.example/#' } },
      422,
      'variable_invalid',
      'body.credentials.variables.instance_url',
    ],
    [
      'an unknown variable',
      { accessToken: 'a', variables: { other: 'x' } },
      422,
      'variable_invalid',
      'body.credentials.variables.other',
    ],
  ])('are refused with %s, naming the member', async (_what, credentials, status, code, path) => {
    const { id } = await integrate('tenant', client);
    const refused = await importFor(id, credentials);
    expect([refused.status, refused.body.code]).toEqual([status, code]);
    expect(refused.body.errors).toEqual([{ path, message: expect.any(String) }]);
  });

  it.each([
    ['status-401', 422, 'credentials_invalid', 'refused the credentials with status 401: not with [removed]'],
    ['status-404', 422, 'credentials_invalid', 'does not prove the credentials: status 404'],
    ['status-302', 422, 'credentials_invalid', 'does not prove the credentials: status 302'],
    [
      'status-503',
      502,
      'upstream_unreachable',
      'could not be asked whether it takes the credentials: status 503',
    ],
  ])('are no connection where the provider answers to %s', async (apiKey, status, code, detail) => {
    const { id } = await integrate('proved');
    const refused = await importFor(id, { apiKey });
    expect(refused).toMatchObject({ status, body: { code, detail: expect.stringContaining(detail) } });
    expect((await proxied('proved', 'x')).status).toBe(404);
  });

  it.each([
    ['app-401', 502, 'integration_misconfigured', 'refused what is set at the integration'],
    ['app-503', 502, 'upstream_unreachable', 'could not be asked whether it takes the credentials'],
  ])('are no connection where client %s gets no token', async (clientId, status, code, detail) => {
    const { id } = await integrate('by-client', { ...client, clientId });
    const refused = await importFor(id, { accessToken: 'of-another-system' }, { userId: 'client' });
    expect(refused).toMatchObject({ status, body: { code, detail: expect.stringContaining(detail) } });
    expect(JSON.stringify(refused.body)).not.toContain('app-secret');
  });

  it('are, for client credentials, those that the gateway obtains itself', async () => {
    const { id } = await integrate('by-client', client);
    const imported = await importFor(id, {});
    expect(imported).toMatchObject({ status: 201, body: { accountId: 'acme' } });
    const { body } = await proxied('by-client', 'x');
    expect(body.headers).toMatchObject({ authorization: 'Bearer issued' });
  });

  it('are a connection where the provider takes them, and its test asks again', async () => {
    const { id } = await integrate('proved');
    const imported = await importFor(id, { apiKey: 'good' }, { userId: 'proof' });
    expect(imported.status).toBe(201);
    const tested = await api('POST', `/connections/${imported.body.id}/test`);
    expect(tested.body).toMatchObject({ ok: true, findings: [{ code: 'connection_works' }] });
  });

  it('need no variable that the integration has', async () => {
    const { id } = await integrate('hosted', { ...client, variables: { host_url: `${echo.url}/one` } });
    expect((await importFor(id, { accessToken: 'a' }, { userId: 'ada' })).status).toBe(201);
    expect((await proxied('hosted', 'x')).body.url).toBe('/one/x');
  });

  it('show soon when they were last used', async () => {
    const { id } = await integrate('in-header');
    const imported = await importFor(id, { apiKey: 'k' }, { userId: 'grace' });
    expect(imported.body.lastUsedAt).toBeNull();
    const path = `/projects/${project.id}/proxy/in-header/x`;
    const bearer = project.userToken('grace');
    expect((await callApi(gateway.url, 'GET', path, { bearer })).status).toBe(200);
    let shown = imported.body;
    while (shown.lastUsedAt === null) shown = (await api('GET', `/connections/${shown.id}`)).body;
    expect(Date.parse(shown.lastUsedAt)).toBeGreaterThanOrEqual(Date.parse(shown.createdAt));
  });
});

describe('an integration', () => {
  it('stays as it is when nothing is changed', async () => {
    const { id, version } = await integrate('plain', client);
    const before = await api('GET', `/integrations/${id}`);
    const after = await api('PATCH', `/integrations/${id}`, {}, { bearer: project.personalAccessToken });
    expect([after.status, after.headers.get('etag'), after.text]).toEqual([200, version, before.text]);
  });

  it('is not deleted by a caller that has not seen its latest version', async () => {
    const { id, version } = await integrate('plain', client);
    const changed = await api('PATCH', `/integrations/${id}`, { scopes: ['write'] });
    const late = await api('DELETE', `/integrations/${id}`, undefined, { headers: { 'if-match': version } });
    expect([late.status, late.body.code]).toEqual([412, 'precondition_failed']);
    const headers = { 'if-match': changed.headers.get('etag') ?? '' };
    expect((await api('DELETE', `/integrations/${id}`, undefined, { headers })).status).toBe(204);
  });
});

it('does not delete a connection for a caller that has not seen its latest version', async () => {
  const { id } = await integrate('in-header');
  const made = await importFor(id, { apiKey: 'k' }, { userId: 'edith' });
  const path = `/connections/${made.body.id}`;
  await api('PATCH', path, { customMetadata: { seen: true } });
  const headers = { 'if-match': made.headers.get('etag') ?? '' };
  expect((await api('DELETE', path, undefined, { headers })).body.code).toBe('precondition_failed');
  expect((await api('DELETE', path)).status).toBe(204);
});

it('shows a provider file of the operator with the addresses of this gateway', async () => {
  const { body } = await api('GET', '/providers/plain');
  expect([body.redirectUrl, body.setupSteps]).toEqual([
    `${gateway.url}/oauth/callback`,
    [`Enter ${gateway.url}/oauth/callback.`],
  ]);
  expect((await api('GET', '/providers/notion')).body.name).toBe('Own Notion');
});

it('makes no integration of a provider that has ended, and says what takes its place', async () => {
  const refused = await api('POST', '/integrations', { serviceProvider: 'gone', ...client });
  expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
    422,
    'provider_ended',
    'Gone has ended (2026-08-31). Plain takes its place.',
  ]);
  const shown = (await api('GET', '/providers/gone')).body;
  expect([shown.status, shown.statusDate, shown.evidence]).toEqual(['ended', '2026-08-31', 'documentation']);
  const listed = (await api('GET', '/providers?status=ended&limit=100')).body.providers;
  expect(listed.map(({ id }: { id: string }) => id)).toContain('gone');
  expect(listed.every(({ status }: { status: string }) => status === 'ended')).toBe(true);
});

describe('whatever is made', () => {
  const asOperator = { bearer: () => project.personalAccessToken };
  const asKey = { bearer: () => project.apiKey };

  it.each([
    ['API key', '/projects/{id}/api-keys', { name: 'k' }, asOperator],
    ['signing key', '/projects/{id}/signing-keys', { managed: true }, asOperator],
    [
      'personal access token',
      '/personal-access-tokens',
      { name: 't', password: OPERATOR.password },
      asOperator,
    ],
    ['user token', '/user-tokens', { userId: 'ada' }, asKey],
    ['project', '/projects', { name: 'P' }, asOperator],
  ])('has a Location: %s', async (_what, path, body, { bearer }) => {
    const made = await api('POST', path.replace('{id}', project.id), body, { bearer: bearer() });
    const collection = `${gateway.url}/v1${path.replace('{id}', project.id)}`;
    const expected = made.body.id === undefined ? collection : `${collection}/${made.body.id}`;
    expect([made.status, made.headers.get('location')]).toEqual([201, expected]);
  });

  it('has a Location: rotated API key', async () => {
    const call = { bearer: project.personalAccessToken };
    const keys = `/projects/${project.id}/api-keys`;
    const old = await api('POST', keys, { name: 'old' }, call);
    const made = await api('POST', `${keys}/${old.body.id}/rotate`, {}, call);
    expect(made.headers.get('location')).toBe(`${gateway.url}/v1${keys}/${made.body.id}`);
  });

  it('has a Location: connect session', async () => {
    await integrate('plain', client);
    const made = await api('POST', '/connect-sessions', { userId: 'ada' });
    expect(made.headers.get('location')).toBe(`${gateway.url}/v1/connect-sessions/${made.body.id}`);
  });
});

it.each(['/v1/providers', '/livez', '/connect/x', '/docs', '/nowhere'])(
  'refuses %s where the host is missing or twice there',
  async (path) => {
    const ask = (fields: string) =>
      exchange(gateway.port, `GET ${path} HTTP/1.1\r\n${fields}Connection: close\r\n\r\n`);
    const answers = await Promise.all([ask(''), ask('Host: a\r\nHost: a\r\n')]);
    for (const { status, body } of answers) {
      expect([status, JSON.parse(body).code]).toEqual([400, 'invalid_request']);
    }
    expect((await exchange(gateway.port, 'GET /livez HTTP/1.0\r\n\r\n')).status).toBe(200);
  },
);

it('lets a revoked access token do nothing more', async () => {
  const bearer = project.personalAccessToken;
  const { body } = await api(
    'POST',
    '/personal-access-tokens',
    { name: 'short-lived', password: OPERATOR.password },
    { bearer },
  );
  expect((await api('GET', '/projects', undefined, { bearer: body.token })).status).toBe(200);
  await api('DELETE', `/personal-access-tokens/${body.id}`, undefined, { bearer });
  expect((await api('GET', '/projects', undefined, { bearer: body.token })).body.code).toBe('token_invalid');
});

it('keeps its metrics to a port of their own where one is set, and says which of several processes they are from', async () => {
  const port = await findFreePort();
  const own = await spawnGateway({ env: { METRICS_PORT: String(port), WEB_CONCURRENCY: '2' } });
  const at = (url: string, path: string) => callApi(url, 'GET', path);
  // It is opened after the other one, whose answer says that the gateway is ready.
  await until(async () => (await at(`http://127.0.0.1:${port}`, '/metrics')).status, 200);
  const [metrics, elsewhere, unknown] = await Promise.all([
    at(`http://127.0.0.1:${port}`, '/metrics'),
    at(own.url, '/metrics'),
    at(`http://127.0.0.1:${port}`, '/v1/projects'),
  ]);
  await own.stop();
  expect([metrics.status, metrics.text]).toEqual([200, expect.stringContaining('# TYPE')]);
  const samples = metrics.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const sample of samples) expect(sample).toMatch(/\{(?:.+,)?worker="[12]"[,}]/);
  expect((await callApi(gateway.url, 'GET', '/metrics')).text).not.toContain('worker=');
  expect([elsewhere.body.code, unknown.body.code]).toEqual(['not_found', 'not_found']);
});

describe('a start that cannot succeed', () => {
  it('names file, field and reason of a faulty provider file, before anything else is done', async () => {
    const faulty = await mkdtemp(join(tmpdir(), 'gateway-faulty-'));
    await writeFile(
      join(faulty, 'acme.yaml'),
      'id: acme\nname: Acme\nauth: oauth3\napiBaseUrl: https://a.example\n',
    );
    const { end, logs } = await runRefusedGateway({ catalogDir: faulty });
    await rm(faulty, { recursive: true, force: true });
    expect(end.code).toBe(1);
    expect(logs).toMatch(/acme\.yaml:3: auth: must be one of oauth2/);
    expect(logs).not.toContain('Set up the gateway');
    expect(logs).not.toContain('Migrated');
  });

  it.each(['PORT', 'METRICS_PORT'])('names %s when the port is in use', async (variable) => {
    const taken = new URL(echo.url).port;
    const { end, logs } = await runRefusedGateway({ env: { [variable]: taken } });
    expect(end.code).toBe(1);
    expect(logs).toContain(`${variable}: ${taken} is in use at 127.0.0.1`);
    expect(logs).not.toContain('Set up the gateway');
  });

  it('names DATA_DIR when no data can be kept there', async () => {
    const dataDir = join(catalogDir, 'basic.yaml', 'data');
    const { end, logs } = await runRefusedGateway({ dataDir });
    expect(end.code).toBe(1);
    expect(logs).toContain(`DATA_DIR: ${dataDir} cannot be used (ENOTDIR)`);
  });
});
