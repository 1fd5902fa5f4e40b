import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { createLogger } from '../../../src/platform/logger.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { migrate } from '../../../src/platform/postgres/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { startStatementProxy } from '../../support/statement-proxy.ts';

const run = promisify(execFile);
const MIGRATIONS_MODULE = join(import.meta.dirname, '../../../src/platform/postgres/migrations.ts');
let directory: string;
let database: TestDatabase;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-migrations-'));
  await mkdir(directory, { recursive: true });
  database = await createTestDatabase({ empty: true });
  await write('0001_books.ts', `CREATE TABLE books (id integer PRIMARY KEY)`);
  await write('0002_authors.ts', `CREATE TABLE authors (id integer PRIMARY KEY)`);
});
afterEach(async () => {
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

async function write(name: string, sql: string): Promise<void> {
  const source = `export async function up(trx: { raw(sql: string): Promise<unknown> }): Promise<void> { await trx.raw(${JSON.stringify(sql)}); }`;
  await writeFile(join(directory, name), source);
}

/** Migrates in a process of its own, as a replica would, and returns what that process applied. */
async function migrateInProcess(): Promise<string[]> {
  const program = `import { migrate } from ${JSON.stringify(MIGRATIONS_MODULE)};
    console.log(JSON.stringify(await migrate(${JSON.stringify({ url: database.url, directory })})));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  return JSON.parse(stdout).applied;
}

async function tables(): Promise<string[]> {
  return database.knex('pg_tables').where({ schemaname: 'public' }).orderBy('tablename').pluck('tablename');
}

describe('migrate', () => {
  it('applies what is missing, in order, and nothing the second time', async () => {
    expect(await migrateInProcess()).toEqual(['0001_books.ts', '0002_authors.ts']);
    expect(await migrateInProcess()).toEqual([]);
  });

  it('lets exactly one of three processes migrate an empty database while the others wait', async () => {
    const applied = await Promise.all([migrateInProcess(), migrateInProcess(), migrateInProcess()]);
    expect(applied.flat()).toEqual(['0001_books.ts', '0002_authors.ts']);
    expect(await tables()).toEqual(expect.arrayContaining(['authors', 'books']));
  });

  it('fails, and does not wait, where the store breaks off while an index is built; the next start builds it', async () => {
    const module = join(import.meta.dirname, '../../../src/platform/postgres/build-indexes.ts');
    const source = `import { buildIndexes } from ${JSON.stringify(module)};
      export const config = { transaction: false };
      export const up = (knex) => buildIndexes(knex, { books_idx: 'books (id)' });`;
    await writeFile(join(directory, '0003_index.ts'), source);
    const proxy = await startStatementProxy(database.url, (statement) =>
      statement.startsWith('CREATE INDEX') ? 'cut' : 'go on',
    );
    await expect(migrate({ url: proxy.url, directory })).rejects.toThrow();
    await proxy.close();
    expect((await migrate({ url: database.url, directory })).applied).toEqual(['0003_index.ts']);
  });

  it('undoes a failing migration whole, keeps those before it, and goes on once it is repaired', async () => {
    await write('0003_broken.ts', 'CREATE TABLE halves (id integer); SELECT 1/0');
    await expect(migrateInProcess()).rejects.toThrow(/division by zero/);
    expect(await tables()).not.toContain('halves');
    await write('0003_broken.ts', 'CREATE TABLE halves (id integer)');
    expect(await migrateInProcess()).toEqual(['0003_broken.ts']);
  });

  it('starts beside migrations of a newer release', async () => {
    await migrateInProcess();
    await rm(join(directory, '0002_authors.ts'));
    await write('0003_shelves.ts', 'CREATE TABLE shelves (id integer)');
    expect(await migrateInProcess()).toEqual(['0003_shelves.ts']);
  });

  it('is not stopped by the lock row of a process that was killed while migrating', async () => {
    await migrateInProcess();
    await database.knex('knex_migrations_lock').update({ is_locked: 1 });
    await write('0003_shelves.ts', 'CREATE TABLE shelves (id integer)');
    expect(await migrateInProcess()).toEqual(['0003_shelves.ts']);
  });

  it('waits for a table that another session holds only for a moment', async () => {
    await migrateInProcess();
    await write('0003_title.ts', 'SET LOCAL lock_timeout = 1000; ALTER TABLE books ADD COLUMN title text');
    const holder = new pg.Client(database.url);
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE books IN ACCESS EXCLUSIVE MODE');
    const migrating = migrateInProcess();
    await untilSomeoneWaitsFor('books');
    await holder.end();
    expect(await migrating).toEqual(['0003_title.ts']);
  });

  it('lets gateways read a table whose lock it waits for, and takes the lock once it is free', async () => {
    await migrateInProcess();
    await write('0003_title.ts', 'ALTER TABLE books ADD COLUMN title text');
    const holder = new pg.Client(database.url);
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE books IN ACCESS SHARE MODE');
    const migrating = migrateInProcess();
    const gateway = createDatabase({ url: database.url, applicationName: 'reader', poolMax: 1 });
    for (let waits = 0; waits < 2; waits += 1) {
      await untilSomeoneWaitsFor('books');
      // Waits behind the migration, which gives up before this does.
      await gateway.knex('books').count();
    }
    await gateway.close();
    await holder.end();
    expect(await migrating).toEqual(['0003_title.ts']);
  });

  it('says again and again whom it waits for', async () => {
    await migrateInProcess();
    const holder = new pg.Client({ connectionString: database.url, application_name: 'the holder' });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(20330, 2)');
    const lines: { holder?: string }[] = [];
    const { promise: loggedTwice, resolve } = Promise.withResolvers<void>();
    const destination = {
      write: (line: string) => {
        if (lines.push(JSON.parse(line)) === 2) resolve();
      },
    };
    const log = createLogger({ level: 'warn', destination });
    const migrating = migrate({ url: database.url, directory, log, lockNoticeMs: 20 });
    await loggedTwice;
    const { rows } = await holder.query('SELECT pg_backend_pid() AS pid');
    await holder.end();
    expect(await migrating).toEqual({ applied: [] });
    for (const line of lines) expect(line.holder).toContain(`database process ${rows[0].pid} (the holder)`);
  });

  it('rejects when the connection is refused', async () => {
    await expect(migrate({ url: 'postgresql://app@127.0.0.1:1/app', directory })).rejects.toThrow(
      /ECONNREFUSED/,
    );
  });
});

async function untilSomeoneWaitsFor(table: string): Promise<void> {
  for (;;) {
    const waiting = await database
      .knex('pg_locks')
      .whereRaw('NOT granted AND relation = ?::regclass', [table])
      .andWhereRaw('database = (SELECT oid FROM pg_database WHERE datname = current_database())');
    if (waiting.length > 0) return;
  }
}
