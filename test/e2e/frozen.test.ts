import knexModule, { type Knex } from 'knex';
import { type FakeCrm, startFakeCrm } from '../polls/fake-crm.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  type ApiCall,
  callApi,
  callApiOk,
  createProject,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { dumpDatabase } from '../support/leaks.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTokenProvider, type TokenProvider } from '../support/token-provider.ts';
import { until } from '../support/until.ts';

const CUSTOM = {
  object: 'person',
  pageSize: 5,
  record: { id: 'id' },
  list: {
    request: { path: '/people', query: { limit: '{limit}', after: '{page}' } },
    paging: { by: 'token', path: 'next' },
    items: 'results',
  },
};

let provider: TokenProvider;
let crm: FakeCrm;
let receiver: Receiver;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let database: TestDatabase;
let one: Gateway;
let other: Gateway;
let project: Project;
let bystander: Project;
let db: Knex;
const integrations: Record<string, string> = {};

beforeAll(async () => {
  [provider, crm, receiver] = [await startTokenProvider(), await startFakeCrm(), await startReceiver()];
  catalog = await createCatalogDir({
    good: provider.providerFile('good'),
    wide: provider.providerFile(
      'wide',
      `account:
  id: { from: request, path: token }
  request: { url: ${provider.url}/account }
tenants:
  kind: workspace
  asked: false
  request: { url: ${provider.url}/teams }
  id: id
  name: name
`,
    ),
    keyed: `id: keyed\nname: Keyed\nauth: api-key\napiBaseUrl: ${crm.url}\napiKey: { in: header, name: X-Key, template: 'Key {apiKey}' }\n`,
  });
  database = await createTestDatabase();
  one = await startGateway({ catalogDir: catalog.path, databaseUrl: database.url });
  const { ENCRYPTION_KEYS = '' } = one.env;
  const env = { ENCRYPTION_KEYS, PUBLIC_URL: one.url };
  other = await startGateway({ catalogDir: catalog.path, databaseUrl: database.url, env });
  project = await provision(one);
  bystander = await createProject(one.url, project.personalAccessToken);
  db = knexModule({ client: 'pg', connection: database.url, pool: { min: 0, max: 4 } });
  for (const serviceProvider of ['good', 'wide', 'keyed']) {
    const client = serviceProvider !== 'keyed' ? { clientId: 'c', clientSecret: 's', scopes: ['read'] } : {};
    const made = await api('POST', '/integrations', { body: { serviceProvider, ...client } });
    integrations[serviceProvider] = made.id;
  }
});
afterAll(async () => {
  await other?.stop();
  await one?.stop();
  await db?.destroy();
  await database?.drop();
  await catalog?.remove();
  for (const server of [provider, crm, receiver]) await server?.close();
});

const api = (method: string, path: string, call: ApiCall = {}) =>
  callApiOk(one.url, method, `/v1${path}`, { bearer: project.apiKey, ...call });
const ofProject = (path: string, body?: object) =>
  api('POST', `/projects/${project.id}${path}`, body && { body });

async function connect(name: string, userId: string, credentials: object): Promise<string> {
  const body = { integrationId: integrations[name], userId, credentials };
  return (await api('POST', '/connections', { body })).id;
}

function issueTokens() {
  const { access_token: accessToken, refresh_token: refreshToken } = provider.issue();
  return { accessToken, refreshToken };
}

async function call(gateway: Gateway, userId = 'ada') {
  const answer = await fetch(`${gateway.url}/projects/${project.id}/proxy/good/a`, {
    headers: { authorization: `Bearer ${project.userToken(userId)}` },
  });
  return answer.headers.get('gateway-error') ?? answer.status;
}

/** Something that the project, and one beside it, tell their destinations. */
async function makeEvent(of: Project, name: string): Promise<void> {
  const { integrations: all } = await callApiOk(one.url, 'GET', '/v1/integrations', { bearer: of.apiKey });
  const integration = all.find(
    ({ serviceProvider }: { serviceProvider: string }) => serviceProvider === 'good',
  );
  await callApiOk(one.url, 'POST', '/v1/connections', {
    bearer: of.apiKey,
    body: { integrationId: integration.id, userId: name, credentials: issueTokens() },
  });
}

const delivered = (name: string) => receiver.received.filter(({ body }) => body.includes(name)).length;

describe('a frozen project', () => {
  beforeAll(async () => {
    await connect('good', 'ada', issueTokens());
    await callApiOk(one.url, 'POST', '/v1/integrations', {
      bearer: bystander.apiKey,
      body: { serviceProvider: 'good', clientId: 'c', clientSecret: 's', scopes: ['read'] },
    });
    for (const bearer of [project.apiKey, bystander.apiKey]) {
      const body = { url: receiver.url, types: ['connection.*'] };
      await callApiOk(one.url, 'POST', '/v1/event-destinations', { bearer, body });
    }
  });
  afterEach(() => ofProject('/unfreeze'));

  it('refuses calls on every replica until it goes on, and shows since when and why', async () => {
    expect([await call(one), await call(other)]).toEqual([200, 200]);
    const shown = await ofProject('/freeze', { reason: 'a token leaked' });
    expect(shown.frozen).toMatchObject({ reason: 'a token leaked' });
    expect(await call(one)).toBe('project_frozen');
    await until(async () => (await call(other)) === 'project_frozen');
    const again = await ofProject('/freeze', { reason: 'another' });
    expect(again.frozen).toEqual(shown.frozen);
    const answer = await callApi(one.url, 'GET', `/projects/${project.id}/proxy/good/a`, {
      bearer: project.userToken('ada'),
    });
    expect([answer.status, answer.body.detail ?? '']).not.toContain('a token leaked');
    expect(answer.status).toBe(423);
    expect((await ofProject('/unfreeze')).frozen).toBeNull();
    expect(await call(one)).toBe(200);
    await until(async () => (await call(other)) === 200);
  });

  it('leaves other projects alone', async () => {
    await ofProject('/freeze');
    await makeEvent(bystander, 'someone');
    const answer = await callApi(one.url, 'GET', `/projects/${bystander.id}/proxy/good/a`, {
      bearer: bystander.userToken('someone'),
    });
    expect(answer.status).toBe(200);
  });

  it('says who is without a valid token nothing of it', async () => {
    await ofProject('/freeze');
    const answer = await callApi(one.url, 'GET', `/projects/${project.id}/proxy/good/a`, { bearer: 'x.y.z' });
    expect(answer.body.code).toBe('token_invalid');
  });

  it('delivers nothing and keeps what comes, which it delivers once it goes on', async () => {
    await ofProject('/freeze');
    await until(async () => (await call(other)) === 'project_frozen');
    await makeEvent(project, 'held-back');
    await makeEvent(bystander, 'goes-out');
    await until(() => delivered('goes-out') > 0);
    expect(delivered('held-back')).toBe(0);
    await ofProject('/unfreeze');
    await until(() => delivered('held-back') === 1);
  });

  it('refreshes no token, and says so where an operator asks', async () => {
    const id = await connect('good', 'expired', { ...issueTokens(), expiresAt: '2020-01-01T00:00:00Z' });
    await ofProject('/freeze');
    const before = provider.refreshes.length;
    const tested = await callApi(one.url, 'POST', `/v1/connections/${id}/test`, { bearer: project.apiKey });
    expect(provider.refreshes).toHaveLength(before);
    expect(JSON.stringify(tested.body)).toContain('project_frozen');
    await ofProject('/unfreeze');
    expect(await call(one, 'expired')).toBe(200);
    expect(provider.refreshes).toHaveLength(before + 1);
  });

  it('asks nothing outside for operators and users either: no tenants, tests or dry runs', async () => {
    const id = await connect('wide', 'ada', issueTokens());
    const tried = await connect('keyed', 'tried', { apiKey: 'very-secret-key' });
    const { url } = receiver;
    const destination = await api('POST', '/event-destinations', {
      body: { url, types: ['connection.none'] },
    });
    const dry = { integrationId: integrations.keyed, custom: CUSTOM, intervalSeconds: 60 };
    const ask = async (method: string, path: string, bearer = project.apiKey, body?: object) =>
      (await callApi(one.url, method, `/v1${path}`, { bearer, body })).body;
    await ofProject('/freeze');
    const before = [crm.requests.length, delivered('gateway.test')];
    const refused = [
      await ask('GET', `/connections/${id}/tenants`),
      await ask('GET', `/connections/${id}/tenants`, project.userToken('ada')),
      await ask('POST', `/event-destinations/${destination.id}/test`),
      await ask('POST', '/polls?dryRun=true', project.apiKey, dry),
    ];
    expect(refused.map(({ code }) => code)).toEqual(new Array(4).fill('project_frozen'));
    const tested = await ask('POST', `/connections/${id}/test`);
    expect([tested.ok, JSON.stringify(tested.findings)]).toEqual([
      false,
      expect.stringContaining('project_frozen'),
    ]);
    expect([crm.requests.length, delivered('gateway.test')]).toEqual(before);
    await ofProject('/unfreeze');
    expect((await ask('POST', `/event-destinations/${destination.id}/test`)).delivered).toBe(true);
    expect((await ask('POST', '/polls?dryRun=true', project.apiKey, dry)).code).toBeUndefined();
    await api('DELETE', `/connections/${tried}`);
    crm.requests.length = 0;
  });

  it('asks no provider for changes, and goes on where it was', async () => {
    await connect('keyed', 'polled', { apiKey: 'very-secret-key' });
    const body = { integrationId: integrations.keyed, custom: CUSTOM, intervalSeconds: 60, deletes: 'scan' };
    await ofProject('/freeze');
    await until(async () => (await call(other)) === 'project_frozen');
    const poll = await api('POST', '/polls', { body });
    await api('POST', `/polls/${poll.id}/run`);
    await until(
      async () => Number((await db('job_queue.job').where({ name: 'poll' }).count({ n: '*' }))[0]?.n) === 0,
    );
    expect(crm.requests).toEqual([]);
    const states = async () =>
      (await api('GET', `/polls/${poll.id}/connections`)).connections.map(
        ({ state }: { state: string }) => state,
      );
    expect(await states()).toEqual(['paused']);
    await ofProject('/unfreeze');
    await until(() => crm.requests.length > 0);
    await until(async () => (await states()).join() === 'waiting');
    const path = `/integrations/${integrations.keyed}`;
    await api('PATCH', path, { body: { disabled: { reason: 'a leak' } } });
    expect(await states()).toEqual(['paused']);
    await api('PATCH', path, { body: { disabled: null } });
    expect(await states()).toEqual(['waiting']);
  });
});

describe('revoking everything', () => {
  it('erases all credentials, revokes the grants, and says what could not be', async () => {
    const tokens = issueTokens();
    await connect('good', 'grace', tokens);
    await ofProject('/freeze');
    const begun = await callApi(one.url, 'POST', `/v1/projects/${project.id}/revoke-all`, {
      bearer: project.apiKey,
    });
    expect(begun.status).toBe(202);
    const location = begun.headers.get('location') ?? '';
    await until(
      async () => (await callApiOk(location, 'GET', '', { bearer: project.apiKey })).state === 'done',
    );
    const report = await callApiOk(location, 'GET', '', { bearer: project.apiKey });
    const { connections } = await api('GET', `/projects/${project.id}/connections`);
    expect(connections).toEqual([]);
    expect(provider.revoked).toContain(tokens.refreshToken);
    expect(report).toMatchObject({
      unrevoked: [{ integrationId: integrations.keyed, reason: 'nothing_to_revoke', grants: 1 }],
    });
    expect(report.connections).toBe(report.revoked + 1);
    expect(await dumpDatabase(db)).not.toContain(tokens.refreshToken);
    const { revocationReports } = await api('GET', `/projects/${project.id}/revocation-reports`);
    expect(revocationReports).toEqual([report]);
    const { activity } = await api(
      'GET',
      `/activity?projectId=${project.id}&action=project.revocation_ended`,
    );
    expect(activity[0].details).toMatchObject({ revocationId: report.id, unrevoked: 1 });
    await ofProject('/unfreeze');
  });

  it('leaves the other project its connections', async () => {
    const { connections } = await callApiOk(one.url, 'GET', `/v1/projects/${bystander.id}/connections`, {
      bearer: bystander.apiKey,
    });
    expect(connections.length).toBeGreaterThan(0);
  });
});
