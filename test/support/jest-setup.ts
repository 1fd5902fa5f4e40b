import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '#embedded-postgres/start.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { bundlePrograms } from './programs.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * One Postgres for the whole run, TEST_DATABASE_URL or an embedded one, with a migrated database that test files clone
 * (see postgres.ts), and bundles of the programs that they start. Workers learn of them through the environment.
 */
export default async function globalSetup(): Promise<void> {
  // The mutation tester sets up once for all of its runs (scripts/mutate.ts).
  if (process.env.GATEWAY_TEST_POSTGRES_URL !== undefined) return;
  const cleanUps: Array<() => Promise<void>> = [];
  Object.assign(globalThis, { gatewayTestCleanUps: cleanUps });
  try {
    await bundlePrograms();
    process.env.GATEWAY_TEST_PROGRAMS = 'bundled';
    await prepareServer(cleanUps);
  } catch (error) {
    // Jest runs no teardown after a failed setup.
    for (const cleanUp of cleanUps) await cleanUp();
    throw error;
  }
}

async function prepareServer(cleanUps: Array<() => Promise<void>>): Promise<void> {
  const baseUrl = process.env.TEST_DATABASE_URL || (await startServer(cleanUps));
  const prefix = `gateway_test_${process.pid}`;
  const template = `${prefix}_template`;
  await onServer(baseUrl, [
    `DROP DATABASE IF EXISTS ${template}`,
    `CREATE DATABASE ${template} TEMPLATE template0`,
  ]);
  cleanUps.unshift(() => dropDatabases(baseUrl, prefix));
  const url = new URL(baseUrl);
  url.pathname = `/${template}`;
  await migrateInChild(url.href);
  await onServer(baseUrl, [`ALTER DATABASE ${template} IS_TEMPLATE true ALLOW_CONNECTIONS false`]);
  process.env.GATEWAY_TEST_POSTGRES_URL = baseUrl;
  process.env.GATEWAY_TEST_DATABASE_PREFIX = prefix;
}

/** A process of its own, so that the pool of migrations ends with it. */
async function migrateInChild(url: string): Promise<void> {
  const program = `
    const { migrate } = await import(${fileUrl('src/platform/postgres/migrations.ts')});
    await migrate({ url: process.env.MIGRATED_URL, directory: ${JSON.stringify(join(ROOT, 'migrations'))} });
    const { createDatabase } = await import(${fileUrl('src/platform/postgres/database.ts')});
    const { DAILY_TABLES, ensureDays } = await import(${fileUrl('src/platform/postgres/daily-partitions.ts')});
    const database = createDatabase({ url: process.env.MIGRATED_URL, applicationName: 'template', poolMax: 1 });
    const { rows } = await database.knex.raw("SELECT relname FROM pg_class WHERE relkind = 'p'");
    const tables = DAILY_TABLES.filter((table) => rows.some(({ relname }) => relname === table));
    // Else each of a hundred gateways would make its own.
    for (const table of tables) await ensureDays(database.knex, table, Date.now());
    await database.close();`;
  await run(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, MIGRATED_URL: url },
  });
}

const fileUrl = (path: string) => JSON.stringify(pathToFileURL(join(ROOT, path)).href);

async function startServer(cleanUps: Array<() => Promise<void>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'postgres-'));
  await chmod(directory, 0o755);
  cleanUps.push(() => rm(directory, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir: directory, log: quiet, testMode: true });
  cleanUps.unshift(() => server.stop());
  return server.url;
}

async function dropDatabases(baseUrl: string, prefix: string): Promise<void> {
  await onServer(baseUrl, [`ALTER DATABASE ${prefix}_template IS_TEMPLATE false`]);
  const names = await onServer(baseUrl, [
    `SELECT datname FROM pg_database WHERE starts_with(datname, '${prefix}_')`,
  ]);
  await onServer(
    baseUrl,
    names.map((name) => `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`),
  );
}

/** Runs statements one by one and returns the last one's first column. */
async function onServer(url: string, statements: string[]): Promise<string[]> {
  const client = new pg.Client(connectionSettings(url));
  await client.connect();
  let rows: string[][] = [];
  try {
    for (const text of statements) ({ rows } = await client.query<string[]>({ text, rowMode: 'array' }));
  } finally {
    await client.end();
  }
  return rows.flatMap(([first]) => (first === undefined ? [] : [first]));
}
