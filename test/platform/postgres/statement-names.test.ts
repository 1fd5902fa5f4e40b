import type { Database } from '../../../src/platform/postgres/database.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { createStatementNames } from '../../../src/platform/postgres/statement-names.ts';
import { isTransientStoreError } from '../../../src/platform/postgres/store-errors.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { startTransactionPooler } from '../../support/transaction-pooler.ts';

/** More than a statement has to be used before it is kept. */
const OFTEN = 20;

let store: TestDatabase;
let database: Database;
const warnings: string[] = [];
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_fields: object, message: string) => void warnings.push(message),
};

beforeAll(async () => {
  store = await createTestDatabase({ empty: true });
});
afterAll(() => store.drop());

beforeEach(async () => {
  // One connection, so that the tests look into the session that they use.
  database = createDatabase({ url: store.url, applicationName: 'test', poolMax: 1, log });
  await database.knex.raw('DROP TABLE IF EXISTS things');
  await database.knex.raw('CREATE TABLE things (id integer PRIMARY KEY, name text NOT NULL)');
  await database.knex('things').insert({ id: 1, name: 'one' });
  warnings.length = 0;
});
afterEach(() => database.close());

async function repeat<T>(run: () => PromiseLike<T>, times = OFTEN): Promise<T[]> {
  const results: T[] = [];
  while (results.length < times) results.push(await run());
  return results;
}

const findName = (id = 1) => database.knex('things').where({ id }).first('name');
const findAll = () => database.knex('things').where({ id: 1 }).first('*');

async function listKept(on = database): Promise<string[]> {
  const { rows } = await on.knex.raw<{ rows: { statement: string }[] }>(
    `SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%things%'`,
  );
  return rows.map(({ statement }) => statement);
}

describe('a statement that is used often', () => {
  it('is kept by the connection, and not sent and planned again for each use', async () => {
    const names = await repeat(findName);
    expect(new Set(names.map(({ name }) => name))).toEqual(new Set(['one']));
    expect(await listKept()).toEqual(['select "name" from "things" where "id" = $1 limit $2']);
    const { rows } = await database.knex.raw(
      `SELECT (generic_plans > 0) AS is_planned_once FROM pg_prepared_statements WHERE statement LIKE '%things%'`,
    );
    expect(rows).toEqual([{ is_planned_once: true }]);
  });

  it('takes other values each time, in transactions as well', async () => {
    await database.knex('things').insert([2, 3].map((id) => ({ id, name: `number ${id}` })));
    await repeat(findName);
    expect(await findName(2)).toEqual({ name: 'number 2' });
    const inside = await database.knex.transaction((trx) => trx('things').where({ id: 3 }).first('name'));
    expect(inside).toEqual({ name: 'number 3' });
    expect(await listKept()).toHaveLength(1);
  });

  it('is kept only if it names its columns: one that was added meanwhile would fail the others', async () => {
    await repeat(findAll);
    await repeat(() => database.knex('things').where({ id: 1 }).update({ name: 'one' }).returning('*'));
    await repeat(() => database.knex('things as t').where({ id: 1 }).select('t.*'));
    expect(await listKept()).toEqual([]);
    await repeat(findName);
    await database.knex.raw(`ALTER TABLE things ADD COLUMN color text NOT NULL DEFAULT 'red'`);
    expect(await findAll()).toEqual({ id: 1, name: 'one', color: 'red' });
    expect(await findName()).toEqual({ name: 'one' });
  });

  it.each([
    ['which the session has lost', 'DEALLOCATE ALL'],
    ['whose column has another type now', 'ALTER TABLE things ALTER COLUMN name TYPE varchar(99)'],
  ])('%s fails as transient once, and none is kept from then on', async (_what, statement) => {
    await repeat(findName);
    await database.knex.raw(statement);
    const error = await findName().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(isTransientStoreError(error)).toBe(true);
    expect(await repeat(findName)).toContainEqual({ name: 'one' });
    expect(await listKept()).toEqual([]);
    expect(warnings).toEqual(['Postgres could not run a prepared statement; none is kept from now on']);
  });

  it('is not kept behind a pooler in transaction mode', async () => {
    const pooler = await startTransactionPooler(store.url);
    const through = createDatabase({ url: pooler.url, applicationName: 'test', poolMax: 1, isPooled: true });
    await repeat(() => through.knex('things').where({ id: 1 }).first('name'));
    expect(await listKept(through)).toEqual([]);
    await through.close();
    await pooler.close();
  });
});

const NAME = expect.stringMatching(/^gateway_[0-9a-f]{32}$/);

describe('names of statements', () => {
  it('are given from a number of uses on, the same for the same text', () => {
    const names = createStatementNames({ usesMin: 3 });
    const found = ['select 1', 'select 1', 'select 1', 'select 2', 'select 1'].map((text) =>
      names.find(text),
    );
    expect(found).toEqual([undefined, undefined, NAME, undefined, found[2]]);
  });

  it('are so many at most', () => {
    const names = createStatementNames({ usesMin: 1, namesMax: 2 });
    expect(['select 1', 'select 2', 'select 3'].map((text) => names.find(text))).toEqual([
      NAME,
      NAME,
      undefined,
    ]);
    expect(names.find('select 2')).toEqual(NAME);
  });

  it('are those of the text in every process, whatever it ran before', () => {
    const [first, second] = [createStatementNames({ usesMin: 1 }), createStatementNames({ usesMin: 1 })];
    const names = ['select 1', 'select 2'].map((text) => first.find(text));
    expect(['select 2', 'select 1'].map((text) => second.find(text))).toEqual(names.reverse());
    expect(new Set(names).size).toBe(2);
  });

  it.each([
    ['other commands', 'LISTEN gateway_changes'],
    ['several statements in one', 'select 1; select 2'],
    ['all columns', 'select * from things'],
    ['all columns of a table', 'select "t".*, 1 from things t'],
    ['all columns behind others', 'select 1, t.* from things t'],
    ['all columns of what was changed', 'update things set id = ? returning *'],
    ['lists of thousands of values', `insert into things values ${'(?), '.repeat(2_000)}`],
  ])('are not given to %s', (_what, text) => {
    expect(createStatementNames({ usesMin: 1 }).find(text)).toBeUndefined();
  });

  it.each([
    ['counts', 'select count(*) from things'],
    ['lists of values', 'select name from things where (id) in (SELECT * FROM unnest(?::int[]))'],
    ['products', 'select 1000 * id from things'],
    ['common table expressions', 'WITH a AS (SELECT id FROM things) SELECT id FROM a'],
  ])('are given to %s', (_what, text) => {
    expect(createStatementNames({ usesMin: 1 }).find(text)).toEqual(NAME);
  });
});
