import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { difference, SNAPSHOT_FILE, snapshotSchema } from '../../../scripts/schema-snapshot.ts';
import { migrate } from '../../../src/platform/postgres/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

/** Earlier migrations ran before the first release, on empty tables. */
const FULL_TABLES_SINCE = '0015';
/** Earlier ones are released. */
const BRIEF_LOCKS_SINCE = '0097';
/** What reads or writes a table as a whole while it holds the lock that stops everything else. */
const LONG_LOCKS: Readonly<Record<string, RegExp>> = {
  'a changed type rewrites the table': /ALTER COLUMN \w+ (?:SET DATA )?TYPE/gi,
  'SET NOT NULL reads the table: add a CHECK that is NOT VALID, validate it, then set it': /SET NOT NULL/gi,
  'a constraint reads the table: add it NOT VALID, and validate it in another migration':
    /ADD (?:CONSTRAINT \w+ )?(?:CHECK|FOREIGN KEY)(?![^;`]*NOT VALID)/gi,
  'a unique constraint builds its index under the lock: build the index before, and add it USING INDEX':
    /ADD (?:CONSTRAINT \w+ )?(?:UNIQUE|PRIMARY KEY)(?! USING INDEX)/gi,
};
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

  it('is changed by migrations that hold only brief locks on tables that may be full', async () => {
    const offences: string[] = [];
    for (const name of (await readdir(MIGRATIONS)).filter((one) => one > BRIEF_LOCKS_SINCE)) {
      if (name.endsWith('.ts'))
        offences.push(...findLongLocks(await readFile(join(MIGRATIONS, name), 'utf8')));
    }
    expect(offences).toEqual([]);
    const made = 'CREATE TABLE a (id int); ALTER TABLE a ADD CHECK (id > 0)';
    expect(findLongLocks(made)).toEqual([]);
    for (const changed of [
      'ALTER TABLE b ALTER COLUMN id TYPE bigint',
      'ALTER TABLE b ALTER COLUMN id SET NOT NULL',
      'ALTER TABLE b ADD CONSTRAINT c CHECK (id > 0)',
      'ALTER TABLE b ADD UNIQUE (id)',
    ])
      expect(findLongLocks(changed)).toHaveLength(1);
    expect(findLongLocks('ALTER TABLE b ADD CONSTRAINT c CHECK (id > 0) NOT VALID')).toEqual([]);
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

/** Changes of tables that the migration does not make itself. */
function findLongLocks(source: string): string[] {
  const own = [...source.matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table);
  return [...source.matchAll(/ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+)([^;`]*)/gi)]
    .filter(([, table]) => !own.includes(table))
    .flatMap(([, table, change = '']) =>
      Object.entries(LONG_LOCKS)
        .filter(([, pattern]) => change.match(pattern) !== null)
        .map(([reason]) => `${table}: ${reason}`),
    );
}
