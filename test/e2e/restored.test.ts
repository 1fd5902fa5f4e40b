import knexModule, { type Knex } from 'knex';
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
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTokenProvider, type TokenProvider } from '../support/token-provider.ts';
import { until } from '../support/until.ts';

const POLLED = { object: 'item', record: { id: 'id' }, list: { request: { path: '/items' } } };
/** Refreshed with the very next call. */
const EXPIRED = '2020-01-01T00:00:00Z';

let provider: TokenProvider;
let receiver: Receiver;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let database: TestDatabase;
let backup: TestDatabase;
let admin: Knex;
let gateway: Gateway;
let project: Project;
let frozen: Project;
let frozenRefreshToken: string;
let integrationId: string;
let keys: string;
const ids: Record<string, string> = {};

const api = (method: string, path: string, call: ApiCall = {}) =>
  callApiOk(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, ...call });
const asOwner = () => ({ bearer: project.personalAccessToken });

async function connect(userId: string, more: object = {}): Promise<string> {
  const { access_token: accessToken, refresh_token: refreshToken } = provider.issue();
  const body = { integrationId, userId, credentials: { accessToken, refreshToken, ...more } };
  return (await api('POST', '/connections', { body })).id;
}

async function call(userId: string, of = project) {
  const answer = await fetch(`${gateway.url}/projects/${of.id}/proxy/good/a`, {
    headers: { authorization: `Bearer ${of.userToken(userId)}` },
  });
  return answer.headers.get('gateway-error') ?? answer.status;
}

const restart = async (databaseUrl: string, env: Record<string, string>) => {
  await gateway?.stop();
  gateway = await startGateway({ catalogDir: catalog.path, databaseUrl, env });
};

beforeAll(async () => {
  [provider, receiver] = [await startTokenProvider(), await startReceiver()];
  catalog = await createCatalogDir({ good: provider.providerFile('good') });
  [database, backup] = [await createTestDatabase(), await createTestDatabase()];
  admin = knexModule({ client: 'pg', connection: database.url.replace(/\/[^/?]+(\?|$)/, '/postgres$1') });
  gateway = await startGateway({ catalogDir: catalog.path, databaseUrl: database.url });
  keys = gateway.env.ENCRYPTION_KEYS ?? '';
  project = await provision(gateway);
  const client = { serviceProvider: 'good', clientId: 'c', clientSecret: 's', scopes: ['read'] };
  ({ id: integrationId } = await api('POST', '/integrations', { body: client }));
  for (const name of ['spent', 'fresh']) ids[name] = await connect(name, { expiresAt: EXPIRED });
  ids.valid = await connect('valid');
  frozen = await createProject(gateway.url, project.personalAccessToken);
  const ofFrozen = { bearer: frozen.apiKey };
  const theirs = await api('POST', '/integrations', { ...ofFrozen, body: client });
  frozenRefreshToken = provider.issue().refresh_token;
  const credentials = { accessToken: 'old', refreshToken: frozenRefreshToken, expiresAt: EXPIRED };
  const imported = { integrationId: theirs.id, userId: 'cold', credentials };
  await api('POST', '/connections', { ...ofFrozen, body: imported });
  await api('POST', `/projects/${frozen.id}/freeze`, ofFrozen);
  await api('POST', '/event-destinations', { body: { url: receiver.url, types: ['connection.*'] } });
  await gateway.stop();
  await copyDatabase();
  // What happened after the backup: a refresh token was rotated.
  await restart(database.url, { ENCRYPTION_KEYS: keys });
  expect(await call('spent')).toBe(200);
  await restart(backup.url, { ENCRYPTION_KEYS: keys, RESTORED: 'true' });
});
afterAll(async () => {
  await gateway?.stop();
  await admin?.destroy();
  for (const made of [database, backup]) await made?.drop();
  await catalog?.remove();
  for (const server of [provider, receiver]) await server?.close();
});

/** The same rows under another name, as a restored backup has them. */
async function copyDatabase(): Promise<void> {
  const nameOf = ({ url }: TestDatabase) => new URL(url).pathname.slice(1);
  await admin.raw('DROP DATABASE ??', [nameOf(backup)]);
  await admin.raw('CREATE DATABASE ?? TEMPLATE ??', [nameOf(backup), nameOf(database)]);
}

describe('a gateway that was started on a restored backup', () => {
  it('serves calls with tokens that are good, refreshes none, and says that it waits', async () => {
    const before = provider.refreshes.length;
    expect(await call('valid')).toBe(200);
    expect([await call('spent'), await call('fresh')]).toEqual(['gateway_restored', 'gateway_restored']);
    expect(provider.refreshes).toHaveLength(before);
    expect(await callApiOk(gateway.url, 'GET', '/v1/gateway/restore', asOwner())).toMatchObject({
      state: 'held',
      deaths: [],
    });
  });

  it('neither delivers nor polls where it is asked to', async () => {
    const { eventDestinations } = await api('GET', '/event-destinations');
    const poll = { integrationId, intervalSeconds: 3600, custom: POLLED };
    const before = [receiver.received.length, provider.refreshes.length];
    for (const [path, body] of [
      [`/event-destinations/${eventDestinations[0].id}/test`, undefined],
      ['/polls?dryRun=true', poll],
    ] as const) {
      const answer = await callApi(gateway.url, 'POST', `/v1${path}`, { bearer: project.apiKey, body });
      expect([answer.status, answer.body.code]).toEqual([503, 'gateway_restored']);
    }
    expect([receiver.received.length, provider.refreshes.length]).toEqual(before);
  });

  it('delivers nothing', async () => {
    const before = receiver.received.length;
    await connect('another');
    const { events } = await api('GET', '/events?types=connection.*&wait=20');
    expect(events.length).toBeGreaterThan(0);
    expect(receiver.received).toHaveLength(before);
  });

  it('is resumed by an owner of the gateway alone', async () => {
    const refused = await callApi(gateway.url, 'POST', '/v1/gateway/resume', {
      bearer: project.apiKey,
      body: {},
    });
    expect(refused.status).toBe(403);
  });

  it('probes every connection when it is resumed, lists those that died, and goes on', async () => {
    expect(receiver.received.filter(({ body }) => body.includes('another'))).toEqual([]);
    const begun = await callApi(gateway.url, 'POST', '/v1/gateway/resume', { ...asOwner(), body: {} });
    expect([begun.status, begun.body.state]).toEqual([202, 'probing']);
    const read = () => callApiOk(gateway.url, 'GET', '/v1/gateway/restore', asOwner());
    await until(async () => (await read()).state === 'resumed');
    expect(await read()).toMatchObject({
      probed: 4,
      died: 1,
      alive: 3,
      deaths: [{ connectionId: ids.spent, projectId: project.id, integrationId, serviceProvider: 'good' }],
    });
    expect([await call('fresh'), await call('valid')]).toEqual([200, 200]);
    expect(await call('spent')).toBe('reauthorization_required');
    await until(() => receiver.received.some(({ body }) => body.includes('another')));
    const again = await callApi(gateway.url, 'POST', '/v1/gateway/resume', { ...asOwner(), body: {} });
    expect([again.status, again.body.code]).toEqual([409, 'gateway_not_held']);
  });

  it('probes no connection of a frozen project, which refreshes it once the project goes on', async () => {
    expect(provider.refreshes).not.toContain(frozenRefreshToken);
    expect(await call('cold', frozen)).toBe('project_frozen');
    await api('POST', `/projects/${frozen.id}/unfreeze`, { bearer: frozen.apiKey });
    expect(await call('cold', frozen)).toBe(200);
    expect(provider.refreshes).toContain(frozenRefreshToken);
  });

  it('is not held again by the same restore where RESTORED was left set, and is by another', async () => {
    await restart(backup.url, { ENCRYPTION_KEYS: keys, RESTORED: 'true' });
    expect(await call('fresh')).toBe(200);
    await gateway.stop();
    await copyDatabase();
    await restart(backup.url, { ENCRYPTION_KEYS: keys, RESTORED: 'true' });
    const { state } = await callApiOk(gateway.url, 'GET', '/v1/gateway/restore', asOwner());
    expect(state).toBe('held');
    const headers = { 'idempotency-key': 'resume' };
    const resume = () =>
      callApi(gateway.url, 'POST', '/v1/gateway/resume', { ...asOwner(), headers, body: { probe: false } });
    const resumed = await resume();
    expect([resumed.status, resumed.body.state]).toEqual([202, 'resumed']);
    const again = await resume();
    expect([again.headers.get('idempotency-replayed'), again.text]).toEqual(['true', resumed.text]);
  });
});
