import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { createDatabase } from '../../src/platform/postgres/database.ts';

export interface TestDatabase {
  url: string;
  knex: Knex;
  /** Closes the pool and drops the database, ending other connections. */
  drop(): Promise<void>;
}

/** Times as long as a gateway waits for its store: at a load of eight the server takes that long as well. */
export const PATIENCE = 6;

/**
 * A database of its own for a test file: every migration applied, no rows. A database, not a schema, since advisory
 * locks and NOTIFY channels are per database. `empty: true` gives one without any migration, `isPatient: false` a pool with
 * the limits of a gateway.
 */
export async function createTestDatabase(
  options: { empty?: boolean; poolMax?: number; isPatient?: boolean } = {},
): Promise<TestDatabase> {
  const prefix = setting('GATEWAY_TEST_DATABASE_PREFIX');
  const name = `${prefix}_${process.env.JEST_WORKER_ID ?? '1'}_${randomBytes(6).toString('hex')}`;
  const source = options.empty ? 'template0' : `${prefix}_template STRATEGY file_copy`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${source}`);
  const url = new URL(testServerUrl());
  url.pathname = `/${name}`;
  const database = createDatabase({
    url: url.href,
    applicationName: 'test',
    poolMax: options.poolMax ?? 10,
    patience: options.isPatient === false ? 1 : PATIENCE,
  });
  return {
    url: url.href,
    knex: database.knex,
    drop: async () => {
      await database.close();
      await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Resolves once another session, or so many, wait for a lock of the transaction. */
export async function waitForLockQueue(trx: Knex.Transaction, db: Knex, sessions = 1): Promise<void> {
  const holder = await trx.raw('SELECT pg_backend_pid() AS pid');
  for (;;) {
    const waiting = 'SELECT 1 FROM pg_stat_activity WHERE ? = ANY (pg_blocking_pids(pid))';
    const { rows } = await db.raw(waiting, [holder.rows[0].pid]);
    if (rows.length >= sessions) return;
  }
}

/** The test run's server, as its administrator. */
function testServerUrl(): string {
  return setting('GATEWAY_TEST_POSTGRES_URL');
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: jest's globalSetup did not run`);
  return value;
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client(connectionSettings(testServerUrl()));
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
