import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { migrate } from '../../../src/platform/postgres/migrations.ts';
import { isSameDatabase, isTransactionPooler } from '../../../src/platform/postgres/pooling.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { startTransactionPooler, type TransactionPooler } from '../../support/transaction-pooler.ts';

let database: TestDatabase;
let pooler: TransactionPooler;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  pooler = await startTransactionPooler(database.url);
});
afterAll(async () => {
  await pooler.close();
  await database.drop();
});

describe('a connection pooler in transaction mode', () => {
  it('is told from a server', async () => {
    expect(await isTransactionPooler(pooler.url)).toBe(true);
    expect(await isTransactionPooler(database.url)).toBe(false);
  });

  it('leads to the same database as the server does, and not to another one of it', async () => {
    const other = await createTestDatabase({ empty: true });
    expect(await isSameDatabase(pooler.url, database.url)).toBe(true);
    expect(await isSameDatabase(pooler.url, other.url)).toBe(false);
    await other.drop();
  });

  it('carries queries and transactions, and is left without settings that others would get', async () => {
    const through = createDatabase({ url: pooler.url, applicationName: 'test', poolMax: 4, isPooled: true });
    await through.knex.raw('CREATE TABLE pooled (id integer PRIMARY KEY)');
    await Promise.all(
      Array.from({ length: 20 }, (_, id) =>
        through.knex.transaction(async (trx) => {
          await trx('pooled').insert({ id });
          await trx('pooled')
            .where({ id })
            .update({ id: id + 100 });
        }),
      ),
    );
    expect(await through.knex('pooled').min('id').first()).toEqual({ min: 100 });
    const { rows } = await through.knex.raw("SELECT current_setting('statement_timeout') AS value");
    expect(rows).toEqual([{ value: '0' }]);
    await through.close();
  });
});

it('a pooler that keeps sessions is sent nothing at the start of a connection but what it knows', async () => {
  const url = new URL(pooler.url);
  const session = createDatabase({ url: url.href, applicationName: 'test', poolMax: 1 });
  const { rows } = await session.knex.raw("SELECT current_setting('statement_timeout') AS value");
  expect(rows).toEqual([{ value: '2500ms' }]);
  await session.close();
  await migrate({ url: url.href, directory: import.meta.dirname });
});
