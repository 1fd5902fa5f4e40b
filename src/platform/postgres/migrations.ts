import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import knexModule, { type Knex } from 'knex';
import pg from 'pg';
import { z } from 'zod';
import { readErrorCode } from '../../lib/error-code.ts';
import { MIGRATION_LOCK_TIMEOUT_MS } from './build-indexes.ts';
import { connectionSettings } from './connection.ts';
import { createKnexLog, type DatabaseLog, type Db } from './database.ts';

const TABLE = 'knex_migrations';
/** Two numbers of our own; advisory locks are per database. */
const MIGRATION_LOCK = '20330, 2';
const CONNECT_TIMEOUT_MS = 5000;
const LOCK_POLL_MS = 100;
const LOCK_NOTICE_MS = 3000;
/** Attempts at a migration whose lock is held: a minute and a half, in which a dump may end. */
const ATTEMPTS_MAX = 60;
const ATTEMPT_PAUSE_MS = 1000;
/** Packages have them compiled; the name that is written down stays. */
const FILE_NAME = /^\d{4}_[\w-]+\.[tj]s$/;

type Up = (trx: Knex) => Promise<unknown>;

/**
 * Brings the database at `url` to the newest migration in `directory` (NNNN_<what>.ts, exporting `up`), each in its own
 * transaction unless it exports `config = { transaction: false }` (then it must be safe to repeat), and returns the names that were applied. Safe for any number of processes at once: one migrates, the
 * others wait for it. A migration that this release does not know is left alone and logged, since old and new releases
 * run side by side. Rejects with the failing migration's error; what was applied before stays.
 */
export async function migrate(options: {
  url: string;
  directory: string;
  log?: DatabaseLog;
  /** How often a start that waits for another one logs it. */
  lockNoticeMs?: number;
}): Promise<{ applied: string[] }> {
  const lock = new pg.Client({
    ...connectionSettings(options.url),
    application_name: 'gateway migrations lock',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await takeLock(lock, options);
    return await applyAll(options);
  } finally {
    await lock.end().catch(() => undefined);
  }
}

/** Polls: a waiting pg_advisory_lock() would hold a snapshot, and CREATE INDEX CONCURRENTLY waits for snapshots. */
async function takeLock(
  client: pg.Client,
  options: { log?: DatabaseLog; lockNoticeMs?: number },
): Promise<void> {
  const noticeMs = options.lockNoticeMs ?? LOCK_NOTICE_MS;
  let noticeAt = Date.now() + noticeMs;
  for (;;) {
    const { rows } = await client.query(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS taken`);
    if (z.tuple([z.object({ taken: z.boolean() })]).parse(rows)[0].taken) return;
    if (Date.now() >= noticeAt) {
      noticeAt = Date.now() + noticeMs;
      const holder = await findLockHolder(client);
      options.log?.warn({ holder }, 'Waiting for the lock of migrations, which another process holds');
    }
    await delay(LOCK_POLL_MS);
  }
}

const HOLDERS = z.array(
  z.object({ pid: z.number(), name: z.string(), client: z.string().nullable(), since: z.date() }),
);

/** Which database session has the lock: its process id, its name, the address that it comes from, and since when. */
async function findLockHolder(client: pg.Client): Promise<string> {
  const [classId, objectId] = MIGRATION_LOCK.split(', ');
  const { rows } = await client.query(
    `SELECT pid, application_name AS name, host(client_addr) AS client, backend_start AS since
     FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND classid = $1 AND objid = $2 AND granted
       AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [classId, objectId],
  );
  const [holder] = HOLDERS.parse(rows);
  if (holder === undefined) return 'unknown';
  const from = holder.client === null ? '' : ` from ${holder.client}`;
  return `database process ${holder.pid} (${holder.name})${from}, connected since ${holder.since.toISOString()}`;
}

async function applyAll({
  url,
  directory,
  log,
}: {
  url: string;
  directory: string;
  log?: DatabaseLog;
}): Promise<{ applied: string[] }> {
  const connection = { ...connectionSettings(url), application_name: 'gateway migrations' };
  const knex = knexModule({
    client: 'pg',
    connection,
    pool: { min: 0, max: 2, afterCreate: limitLocks },
    log: createKnexLog(log),
    migrations: {
      tableName: TABLE,
      migrationSource: createSource(directory),
      disableMigrationsListValidation: true,
    },
  });
  try {
    const known = await listMigrations(directory);
    const unknown = (await appliedMigrations(knex)).filter((name) => !known.includes(name));
    if (unknown.length > 0)
      log?.warn({ unknown: unknown.map(numberOf) }, 'The database has migrations of a newer release');
    const applied = await applyWithRetries(knex);
    if (applied.length > 0) log?.info({ applied: applied.map(numberOf) }, 'Migrated the database');
    return { applied };
  } finally {
    await knex.destroy();
  }
}

/** By a query and not as a parameter of the connection's start, which poolers refuse. */
function limitLocks(client: pg.Client, done: (error: Error | null, client: pg.Client) => void): void {
  client.query(`SET lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`, (error: Error | null) =>
    done(error, client),
  );
}

/** A name as a whole may look like a secret to the logger, which would take it out. */
const numberOf = (name: string) => name.replace(/_.*/s, '');

async function applyWithRetries(knex: Knex): Promise<string[]> {
  const applied: string[] = [];
  for (let attempt = 1; ; attempt += 1) {
    try {
      // A process that was killed while migrating leaves knex's own lock taken; ours proves that no process is
      // migrating.
      await knex.migrate.forceFreeMigrationsLock();
      for (let name = await applyNext(knex); name !== undefined; name = await applyNext(knex))
        applied.push(name);
      return applied;
    } catch (error) {
      const isLockTimeout = readErrorCode(error) === '55P03';
      if (!isLockTimeout || attempt >= ATTEMPTS_MAX) throw error;
      // A queue that formed behind this one passes first.
      await delay(ATTEMPT_PAUSE_MS);
    }
  }
}

const UP_RESULT = z.union([z.tuple([]), z.tuple([z.number(), z.array(z.string())])]);

/** One at a time: knex's latest() would put all of them into one transaction. */
async function applyNext(knex: Knex): Promise<string | undefined> {
  return UP_RESULT.parse(await knex.migrate.up())[1]?.[0];
}

/** Our own source instead of knex's file loader, which knows no native TypeScript. A migration's name is its file's. */
function createSource(directory: string): Knex.MigrationSource<string> {
  return {
    getMigrations: () => listFiles(directory),
    getMigrationName: nameMigration,
    getMigration: async (file) => {
      const loaded: unknown = await import(pathToFileURL(join(directory, file)).href);
      const name = nameMigration(file);
      if (!hasUp(loaded)) throw new Error(`The migration ${name} exports no function up`);
      const { up, config } = loaded;
      const onlyForward = () =>
        Promise.reject(new Error(`The migration ${name} cannot be undone: migrations only go forward`));
      return { up: (trx) => up(trx), down: onlyForward, ...(config && { config }) };
    },
  };
}

function hasUp(loaded: unknown): loaded is { up: Up; config?: { transaction?: boolean } } {
  return typeof loaded === 'object' && loaded !== null && 'up' in loaded && typeof loaded.up === 'function';
}

/** The names of the migrations in a directory, oldest first. */
async function listMigrations(directory: string): Promise<string[]> {
  return (await listFiles(directory)).map(nameMigration);
}

async function listFiles(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => FILE_NAME.test(name)).sort();
}

function nameMigration(file: string): string {
  return file.replace(/\.js$/, '.ts');
}

async function appliedMigrations(db: Db): Promise<string[]> {
  const { rows } = await db.raw('SELECT to_regclass(?) IS NOT NULL AS exists', [TABLE]);
  if (!z.tuple([z.object({ exists: z.boolean() })]).parse(rows)[0].exists) return [];
  const found = await db.raw(`SELECT name FROM ${TABLE} ORDER BY id`);
  return z
    .array(z.object({ name: z.string() }))
    .parse(found.rows)
    .map(({ name }) => name);
}
