import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config.ts';
import { findRestore, resume as resumeRestore } from '../../src/credentials/restoring/restores.store.ts';
import { explainRefusal, StartError } from '../../src/lib/start-error.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createDatabase } from '../../src/platform/postgres/database.ts';
import { prepareStore } from '../../src/process/store.ts';
import {
  cleanUpAfterTest,
  preparedDirectory,
  removeCluster,
  scratchDirectory,
} from '../platform/postgres/own-server.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { readRelayTarget, startTcpRelay, type TcpRelay, urlThroughRelay } from '../support/tcp-relay.ts';
import { startTransactionPooler } from '../support/transaction-pooler.ts';

const SECRET = 'sw0rdfish-never-to-be-shown';

let database: TestDatabase;
let relay: TcpRelay;
beforeAll(async () => {
  database = await createTestDatabase();
  relay = await startTcpRelay(readRelayTarget(database.url));
});
afterEach(cleanUpAfterTest);
afterAll(async () => {
  await removeCluster();
  await relay.close();
  await database.drop();
});

/** What a person reads who starts a gateway with these variables. */
async function refusalOf(env: Record<string, string>): Promise<string> {
  const config = loadConfig({ ENCRYPTION_KEYS: createEncryptionKey(), ...env }, '/nonexistent');
  const outcome = await prepareStore(config, createLogger({ level: 'silent' })).catch(
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(StartError);
  const said = explainRefusal(outcome);
  expect(said).not.toContain(SECRET);
  return said;
}

describe('a DATA_DIR', () => {
  it.each(['/proc/x', '/dev/null/x', '/proc/version'])(
    '%s is refused at once, with what to do',
    async (DATA_DIR) => {
      expect(await refusalOf({ DATA_DIR, ENCRYPTION_KEYS: '' })).toMatch(
        /DATA_DIR: .* cannot be used[\s\S]*Name a directory/,
      );
    },
  );

  it('warns of a key file that all can read, and without one is refused where something was sealed with the key', async () => {
    const dataDir = await preparedDirectory();
    const keyFile = join(dataDir, 'encryption-keys');
    const start = () =>
      prepareStore(loadConfig({ DATA_DIR: dataDir }, '/nonexistent'), createLogger({ level: 'silent' }));
    const first = await start();
    expect(readFileSync(keyFile, 'utf8').trim()).toBe(first.encryptionKeys);
    const database = createDatabase({ url: first.databaseUrl, applicationName: 'test', poolMax: 1 });
    await database.knex('idempotency_keys').insert({
      principal: 'somebody',
      key: 'key',
      request_hash: Buffer.alloc(32),
      reply_sealed: `v1.${first.encryptionKeys.split(':')[0]}.x`,
    });
    await database.close();
    await first.stop();
    for (const [mode, count] of [
      [0o644, 1],
      [0o600, 0],
    ] as const) {
      chmodSync(keyFile, mode);
      const lines: string[] = [];
      const log = createLogger({ level: 'warn', destination: { write: (line) => lines.push(line) } });
      await (await prepareStore(loadConfig({ DATA_DIR: dataDir }, '/nonexistent'), log)).stop();
      expect(lines.filter((line) => line.includes('chmod 600'))).toHaveLength(count);
    }
    rmSync(keyFile);
    expect(await refusalOf({ DATA_DIR: dataDir, ENCRYPTION_KEYS: '' })).toMatch(
      /encryption-keys is missing[\s\S]*backup/,
    );
    expect(existsSync(keyFile)).toBe(false);
  });
});

describe('RESTORED on an embedded store', () => {
  const quiet = createLogger({ level: 'silent' });

  /** Starts on the data directory, and says whether the restore is held; resumes it where `resume`. */
  async function stateOf(dataDir: string, restored: string, resume = false): Promise<string> {
    const config = loadConfig({ DATA_DIR: dataDir, RESTORED: restored }, '/nonexistent');
    const store = await prepareStore(config, quiet);
    const { knex, close } = createDatabase({ url: store.databaseUrl, applicationName: 'test', poolMax: 1 });
    try {
      const found = await findRestore(knex);
      if (resume) await resumeRestore(knex, { probe: false });
      return found?.state ?? 'running';
    } finally {
      await close();
      await store.stop();
    }
  }

  it('holds a copy of the files of a store that was resumed, and not the store itself a second time', async () => {
    const dataDir = join(await scratchDirectory(), 'data');
    expect(await stateOf(dataDir, 'true', true)).toBe('held');
    expect(await stateOf(dataDir, 'true')).toBe('resumed');
    const copy = join(await scratchDirectory(), 'data');
    execFileSync('/bin/cp', ['-a', dataDir, copy]);
    expect(await stateOf(copy, 'true', true)).toBe('held');
    expect(await stateOf(copy, 'true')).toBe('resumed');
    expect(await stateOf(copy, '2026-11-28', true)).toBe('held');
    expect(await stateOf(copy, '2026-11-28')).toBe('resumed');
  });
});

describe('a DATABASE_URL', () => {
  it.each([
    ['of a database that does not exist', { pathname: '/none' }, 'Create it'],
    ['that wants TLS of a server without', { search: '?sslmode=require' }, 'sslmode=disable'],
    ['with an unknown sslmode', { search: '?sslmode=none' }, 'sslmode must be'],
    [
      'with a file that is missing',
      { search: '?sslmode=verify-full&sslrootcert=/none' },
      'sslrootcert cannot be read',
    ],
    ['where no server listens', { port: '1' }, 'that it runs'],
    ['with a name that does not exist', { hostname: 'db.invalid' }, 'host'],
  ])('%s is refused with what to do', async (_what, change, remedy) => {
    const url = Object.assign(
      new URL(urlThroughRelay(database.url, relay.port)),
      { password: SECRET },
      change,
    );
    const said = await refusalOf({ DATABASE_URL: url.href });
    expect(said).toContain(remedy);
    expect(said).toMatch(/DATABASE_URL|Postgres URL/);
  });

  it('that leads to a pooler in transaction mode is refused without a direct address', async () => {
    const pooler = await startTransactionPooler(database.url);
    const DATABASE_URL = pooler.url;
    expect(await refusalOf({ DATABASE_URL })).toMatch(
      /DATABASE_URL: .*transaction mode[\s\S]*DATABASE_DIRECT_URL/,
    );
    const said = await refusalOf({ DATABASE_URL, DATABASE_DIRECT_URL: pooler.url });
    expect(said).toContain('DATABASE_DIRECT_URL: a connection pooler');
    await pooler.close();
  });

  it('is refused with a direct address of another database', async () => {
    const other = await createTestDatabase();
    const urls = { DATABASE_URL: database.url, DATABASE_DIRECT_URL: other.url };
    expect(await refusalOf(urls)).toContain('another database');
    await other.drop();
  });
});
