import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import pg from 'pg';
import { loadConfig } from '../../src/config.ts';
import { runOperatorCommand } from '../../src/process/operator-command.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  type ApiCall,
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { findFreePort } from '../support/ports.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startTokenProvider, type TokenProvider } from '../support/token-provider.ts';
import { until } from '../support/until.ts';

/** Debian's Postgres, since the embedded one comes without pg_basebackup. */
const VERSIONS = '/usr/lib/postgresql';
const EXPIRED = '2020-01-01T00:00:00Z';
const ENCRYPTION_KEYS = createEncryptionKey();

let provider: TokenProvider;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let gateway: Gateway;
let project: Project;
let directory: string;
let port: number;

/** One step of the script, as the user of Postgres, which refuses to run as root. */
function step(...args: string[]): void {
  const version = readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a))[0];
  const env = {
    PATH: process.env.PATH,
    BIN: join(VERSIONS, version ?? '', 'bin'),
    DIR: directory,
    PORT: String(port),
  };
  const script = ['/bin/sh', join(directory, 'point-in-time.sh'), ...args];
  const [program = '', ...rest] =
    process.getuid?.() === 0 ? ['/usr/sbin/runuser', '-u', 'postgres', '--', ...script] : script;
  execFileSync(program, rest, { env, cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
}

const databaseUrl = () => `postgresql://app@127.0.0.1:${port}/postgres`;
const start = (env: Record<string, string> = {}) =>
  startGateway({ databaseUrl: databaseUrl(), catalogDir: catalog.path, env: { ENCRYPTION_KEYS, ...env } });
const api = (method: string, path: string, call: ApiCall = {}) =>
  callApiOk(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, ...call });
const asOwner = () => ({ bearer: project.personalAccessToken });

async function call(userId: string) {
  const answer = await fetch(`${gateway.url}/projects/${project.id}/proxy/good/a`, {
    headers: { authorization: `Bearer ${project.userToken(userId)}` },
  });
  return answer.headers.get('gateway-error') ?? answer.status;
}

async function query(sql: string): Promise<void> {
  const client = new pg.Client(databaseUrl());
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

beforeAll(async () => {
  if (!existsSync(VERSIONS)) throw new Error('This needs pg_basebackup: apt-get install postgresql');
  directory = mkdtempSync(join(tmpdir(), 'gateway-pitr-'));
  execFileSync('/bin/cp', [join(import.meta.dirname, 'point-in-time.sh'), directory]);
  chmodSync(directory, 0o755);
  if (process.getuid?.() === 0) {
    const id = (kind: string) => Number(execFileSync('/usr/bin/id', [kind, 'postgres']).toString());
    chownSync(directory, id('-u'), id('-g'));
  }
  port = await findFreePort();
  provider = await startTokenProvider();
  catalog = await createCatalogDir({ good: provider.providerFile('good') });
  step('begin');
  gateway = await start();
  project = await provision(gateway);
  const client = { serviceProvider: 'good', clientId: 'c', clientSecret: 's', scopes: ['read'] };
  const { id: integrationId } = await api('POST', '/integrations', { body: client });
  step('backup');
  for (const userId of ['spent', 'fresh']) {
    const { access_token: accessToken, refresh_token: refreshToken } = provider.issue();
    const credentials = { accessToken, refreshToken, expiresAt: EXPIRED };
    await api('POST', '/connections', { body: { integrationId, userId, credentials } });
  }
  await query(`SELECT pg_create_restore_point('before_the_accident')`);
  // What happened after the point to which the store goes back: a refresh token was rotated.
  expect(await call('spent')).toBe(200);
  await gateway.stop();
  await query('SELECT pg_switch_wal()');
  step('restore', 'before_the_accident');
  gateway = await start({ RESTORED: 'true' });
});
afterAll(async () => {
  await gateway?.stop();
  step('stop');
  rmSync(directory, { recursive: true, force: true });
  await catalog?.remove();
  await provider?.close();
});

describe('a store that was brought back to a point in time', () => {
  it('has what was written after the base backup, and refreshes nothing', async () => {
    const before = provider.refreshes.length;
    expect([await call('spent'), await call('fresh')]).toEqual(['gateway_restored', 'gateway_restored']);
    expect(provider.refreshes).toHaveLength(before);
  });

  it('lists the token that was rotated since as dead, once it is resumed, and goes on with the others', async () => {
    const begun = await callApi(gateway.url, 'POST', '/v1/gateway/resume', { ...asOwner(), body: {} });
    expect(begun.status).toBe(202);
    const read = () => callApiOk(gateway.url, 'GET', '/v1/gateway/restore', asOwner());
    await until(async () => (await read()).state === 'resumed');
    expect((await read()).deaths).toHaveLength(1);
    expect([await call('spent'), await call('fresh')]).toEqual(['reauthorization_required', 200]);
  });
});

describe('a store of an older Postgres', () => {
  it('moves to the next major version by the same command as from the embedded store', async () => {
    await gateway.stop();
    const newer = await createTestDatabase({ empty: true });
    const print = () => undefined;
    const settings = () => loadConfig({ DATABASE_URL: databaseUrl(), ENCRYPTION_KEYS }, '/');
    const terminal = { input: Readable.from([]), write: print, print };
    await runOperatorCommand(['move-store', '--to', newer.url], settings, terminal);
    const version = async (url: string) => {
      const client = new pg.Client(url);
      await client.connect();
      const { rows } = await client.query('SHOW server_version_num').finally(() => client.end());
      return Math.floor(Number(rows[0].server_version_num) / 10_000);
    };
    expect(await version(newer.url)).toBeGreaterThan(await version(databaseUrl()));
    gateway = await startGateway({
      databaseUrl: newer.url,
      catalogDir: catalog.path,
      env: { ENCRYPTION_KEYS },
    });
    expect([await call('spent'), await call('fresh')]).toEqual(['reauthorization_required', 200]);
    await gateway.stop();
    await newer.drop();
  });
});
