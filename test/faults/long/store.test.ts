import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import pg from 'pg';
import { connectionSettings } from '../../../src/platform/postgres/connection.ts';
import { createCatalogDir } from '../../support/catalog-dir.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { callApi, type Project, provision } from '../../support/gateway.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type SpawnedGateway, spawnGateway } from '../../support/spawn-gateway.ts';
import { readRelayTarget, urlThroughRelay } from '../../support/tcp-relay.ts';
import { startTokenProvider, type TokenProvider } from '../../support/token-provider.ts';
import { until } from '../../support/until.ts';
import { callPatiently } from '../patient-calls.ts';

/** Of util-linux. */
const PRLIMIT = '/usr/bin/prlimit';

let provider: TokenProvider;
let catalog: { path: string; remove: () => Promise<void> };
let database: TestDatabase;
let store: pg.Client;
let proxy: FaultProxy;
let gateway: SpawnedGateway;
let project: Project;
let integrationId: string;

beforeAll(async () => {
  provider = await startTokenProvider();
  catalog = await createCatalogDir({ strict: provider.providerFile('strict') });
  database = await createTestDatabase();
  store = new pg.Client(connectionSettings(database.url));
  await store.connect();
  proxy = await startFaultProxy(readRelayTarget(database.url));
  gateway = await spawnGateway({
    catalogDir: catalog.path,
    databaseUrl: urlThroughRelay(database.url, proxy.port),
    env: { RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0', RATE_LIMIT_PROXY_PER_MINUTE: '0' },
  });
  project = await provision(gateway);
  const client = { serviceProvider: 'strict', clientId: 'client', clientSecret: 'secret', scopes: ['read'] };
  const bearer = project.apiKey;
  ({ id: integrationId } = await callPatiently(gateway.url, 'POST', '/v1/integrations', {
    bearer,
    body: client,
  }));
  await importUser('warm', 3_600);
});

afterAll(async () => {
  await gateway?.stop();
  await proxy?.close();
  await store?.end();
  await database?.drop();
  await catalog?.remove();
  await provider?.close();
});

async function importUser(userId: string, leftSeconds: number) {
  const { access_token: accessToken, refresh_token: refreshToken } = provider.issue();
  const expiresAt = new Date(Date.now() + leftSeconds * 1_000).toISOString();
  const body = { integrationId, userId, credentials: { accessToken, refreshToken, expiresAt } };
  await callPatiently(gateway.url, 'POST', '/v1/connections', { bearer: project.apiKey, body });
  return refreshToken;
}

const callAs = (userId: string) =>
  callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/strict/things`, {
    bearer: project.userToken(userId),
  });
const write = () =>
  callApi(gateway.url, 'POST', '/v1/projects', {
    bearer: project.personalAccessToken,
    body: { name: 'more' },
  });

/** What Postgres says before it ends a connection that it does not take. */
function refusalOfPostgres(state: string, text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${state}\0M${text}\0\0`);
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeUInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}

const FAULTS: readonly (readonly [title: string, fault: Fault])[] = [
  ['is frozen', { kind: 'black hole' }],
  ['stops in the midst of its answers', { kind: 'silence', after: 0 }],
  [
    'has all of its connections taken',
    { kind: 'garbage', bytes: refusalOfPostgres('53300', 'too many clients') },
  ],
  ['is starting up', { kind: 'garbage', bytes: refusalOfPostgres('57P03', 'the system is starting up') }],
  ['answers what no Postgres says', { kind: 'garbage', bytes: 'HTTP/1.1 400 Bad Request\r\n\r\n' }],
  ['has its bits turned over', { kind: 'corruption', after: 0 }],
  ['resets connections in the midst of its answers', { kind: 'reset', after: 100 }],
];

describe('a store that', () => {
  it.each(FAULTS)(
    '%s leaves warm calls alone; what needs it is 503 in time, and works afterwards',
    async (title, fault) => {
      await until(async () => (await callAs('warm')).status === 200);
      const refreshToken = await importUser(title, -60);
      await until(async () => (await callAs('warm')).status === 200);
      proxy.inject(fault);
      const [written, cold, ...warm] = await Promise.all([
        write(),
        callAs(title),
        ...Array.from({ length: 10 }, () => callAs('warm')),
      ]);
      expect([written.status, written.body.code]).toEqual([503, 'store_unavailable']);
      expect(cold.status).toBe(503);
      expect(warm.map(({ status }) => status)).toEqual(warm.map(() => 200));
      for (const { text } of [written, cold])
        expect(text).not.toMatch(/53300|57P03|too many clients|HTTP\/1/);
      proxy.inject(undefined);
      await until(async () => (await write()).status === 201);
      await until(async () => (await callAs(title)).status === 200);
      expect(provider.refreshes.filter((token) => token === refreshToken)).toHaveLength(1);
    },
  );

  it('only reads, as a standby before its promotion does, is 503 for what changes something', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const endOthers = () =>
      store.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
        [name],
      );
    await until(async () => (await callAs('warm')).status === 200);
    await store.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await endOthers();
    await until(async () => (await write()).status === 503);
    expect((await write()).body.code).toBe('store_unavailable');
    await until(async () => (await callAs('warm')).status === 200);
    await store.query('SET default_transaction_read_only = off');
    await store.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await endOthers();
    await until(async () => (await write()).status === 201);
  });
});

describe('a process that', () => {
  it('may open no further file or socket says so, and goes on when it may again', async () => {
    // Linux alone has the list and the program.
    if (!existsSync(PRLIMIT)) return;
    await until(async () => (await callAs('warm')).status === 200);
    const open = readdirSync(`/proc/${gateway.pid}/fd`).length;
    const limitTo = (count: number) =>
      execFileSync(PRLIMIT, ['--pid', String(gateway.pid), `--nofile=${count}:`]);
    limitTo(open);
    // This connection is not accepted until there is room.
    const waiting = Promise.all(Array.from({ length: 30 }, () => callAs('warm').catch(() => undefined)));
    limitTo(1_024);
    for (const answer of await waiting) expect([200, 502, 503, undefined]).toContain(answer?.status);
    await until(async () => (await callAs('warm')).status === 200);
    await until(async () => (await write()).status === 201);
  });

  it('has been through all of this has no fault of its own, and no secret in its log', () => {
    expect(gateway.logs()).not.toContain('"code":"internal_error"');
    for (const token of provider.refreshes) expect(gateway.logs()).not.toContain(token);
  });
});
