import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { difference, SNAPSHOT_FILE, snapshotSchema } from '../../../scripts/schema-snapshot.ts';
import { migrate } from '../../../src/platform/postgres/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

/** Earlier migrations ran before the first release, on empty tables. */
const FULL_TABLES_SINCE = '0015';
const MIGRATIONS = join(import.meta.dirname, '../../../migrations');
let migrated: TestDatabase;
let empty: TestDatabase;

beforeAll(async () => {
  migrated = await createTestDatabase();
  empty = await createTestDatabase({ empty: true });
});
afterAll(() => Promise.all([migrated.drop(), empty.drop()]));

describe('the schema', () => {
  it('is what migrations/schema.sql says', async () => {
    expect(await snapshotSchema(migrated.knex)).toBe(await readFile(SNAPSHOT_FILE, 'utf8'));
  });

  it('comes out the same from an empty database and has nothing left to migrate', async () => {
    await migrate({ url: empty.url, directory: MIGRATIONS });
    expect(await migrate({ url: empty.url, directory: MIGRATIONS })).toEqual({ applied: [] });
    expect(await snapshotSchema(empty.knex)).toBe(await snapshotSchema(migrated.knex));
  });

  it('gets indexes of tables that may be full without a lock that would stop their writers', async () => {
    const offences: string[] = [];
    for (const name of (await readdir(MIGRATIONS)).filter((one) => one > FULL_TABLES_SINCE)) {
      const source = await readFile(join(MIGRATIONS, name), 'utf8');
      if (!name.endsWith('.ts') || source.includes('transaction: false')) continue;
      const own = [...source.matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table);
      for (const [, index, table] of source.matchAll(/CREATE (?:UNIQUE )?INDEX (\w+)\s+ON (\w+)/g))
        if (!own.includes(table)) offences.push(`${name}: ${index}`);
    }
    expect(offences).toEqual([]);
  });

  it('shows a changed column, constraint, index, trigger and function in the snapshot', async () => {
    const before = await snapshotSchema(migrated.knex);
    await migrated.knex.raw(`
      ALTER TABLE projects ALTER COLUMN branding DROP NOT NULL;
      ALTER TABLE projects ADD CONSTRAINT name_is_short CHECK (length(name) < 100);
      CREATE INDEX projects_by_name ON projects (name);
      CREATE FUNCTION ignore() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER ignored AFTER DELETE ON projects EXECUTE FUNCTION ignore();`);
    const changes = difference(before, await snapshotSchema(migrated.knex));
    expect(changes).toMatch(/^\+ {3}branding jsonb DEFAULT .*'::jsonb,$/m);
    expect(changes).toMatch(/^\+ .*CONSTRAINT name_is_short CHECK/m);
    expect(changes).toMatch(/^\+ CREATE INDEX projects_by_name/m);
    expect(changes).toMatch(/^\+ CREATE TRIGGER ignored/m);
    expect(changes).toMatch(/^\+ CREATE OR REPLACE FUNCTION public\.ignore\(\)/m);
  });
});
