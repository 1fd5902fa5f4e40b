import { setTimeout as delay } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import { assertSupportedServer, createDatabase } from '../../../src/platform/postgres/database.ts';
import { isTransientStoreError } from '../../../src/platform/postgres/store-errors.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { startStatementProxy } from '../../support/statement-proxy.ts';
import { until } from '../../support/until.ts';
import { afterwards, cleanUpAfterTest, freeze, removeCluster, startOwnServer } from './own-server.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true, isPatient: false });
  await database.knex.raw('CREATE TABLE things (id integer PRIMARY KEY, name text)');
});
afterEach(cleanUpAfterTest);
afterAll(removeCluster);
afterAll(() => database.drop());

/** A pool that is closed after the test. */
function pool(url: string, applicationName: string, poolMax = 1) {
  const made = createDatabase({ url, applicationName, poolMax });
  afterwards(made.close);
  return made;
}

/** What a query was rejected with. */
async function rejection(query: PromiseLike<unknown>): Promise<Error> {
  try {
    await query;
  } catch (error) {
    if (isNativeError(error)) return error;
  }
  throw new Error('the query was not rejected with an Error');
}

describe('createDatabase', () => {
  it('reads timestamptz as Date and bigint as number where a number is exact', async () => {
    const { rows } = await database.knex.raw(
      `SELECT '2026-01-31T09:30:00.123Z'::timestamptz AS at, 9007199254740991 AS exact, 9007199254740993 AS beyond`,
    );
    expect(rows).toEqual([
      { at: new Date('2026-01-31T09:30:00.123Z'), exact: 9007199254740991, beyond: '9007199254740993' },
    ]);
  });

  it('bounds statements, locks and idle transactions on the server, and keeps query values out of its log', async () => {
    const names = [
      'statement_timeout',
      'lock_timeout',
      'idle_in_transaction_session_timeout',
      'application_name',
      'log_parameter_max_length_on_error',
    ];
    const values = await Promise.all(
      names.map(
        async (name) => (await database.knex.raw('SELECT current_setting(?) AS value', [name])).rows[0].value,
      ),
    );
    expect(values).toEqual(['2500ms', '1s', '5s', 'test', '0']);
  });

  it('keeps query values out of the errors it rejects with', async () => {
    await database.knex('things').insert({ id: 1, name: 'first' });
    const error = await rejection(database.knex('things').insert({ id: 1, name: 'a-value-to-hide' }));
    expect(error.message).toMatch(/duplicate key/);
    expect(error.message).not.toContain('a-value-to-hide');
    expect(isTransientStoreError(error)).toBe(false);
  });

  it('gives up a statement that runs too long, as a transient failure, and goes on', async () => {
    const error = await rejection(database.knex.raw('SELECT pg_sleep(60)'));
    expect(error).toMatchObject({ code: '57014' });
    expect(isTransientStoreError(error)).toBe(true);
    await expect(database.knex('things').select('id')).resolves.toEqual([{ id: 1 }]);
  });

  it('makes a new connection after the server ended one', async () => {
    const small = pool(database.url, 'small');
    await small.knex.raw('SELECT 1');
    await database.knex.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'small'`,
    );
    const outcomes = await Promise.allSettled([small.knex.raw('SELECT 1'), small.knex.raw('SELECT 1')]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(isTransientStoreError(outcome.reason)).toBe(true);
    }
    await expect(small.knex.raw('SELECT 1')).resolves.toMatchObject({ rowCount: 1 });
  });

  it('rejects as transient when the connection is refused, and when every connection is taken', async () => {
    const unreachable = createDatabase({
      url: 'postgresql://app@127.0.0.1:1/app',
      applicationName: 'x',
      poolMax: 1,
    });
    expect(isTransientStoreError(await rejection(unreachable.knex.raw('SELECT 1')))).toBe(true);
    const small = pool(database.url, 'small');
    const trx = await small.knex.transaction();
    expect(isTransientStoreError(await rejection(small.knex.raw('SELECT 1')))).toBe(true);
    await trx.rollback();
  });

  it('fails as transient on a frozen server, heals by itself, and closes even while it is frozen', async () => {
    const server = await startOwnServer();
    const { knex, close } = pool(server.url, 'frozen', 2);
    const answers = async () => (await knex.raw('SELECT 42 AS answer')).rows;
    await answers();
    const thaw = await freeze(server);
    const errors = [await rejection(answers()), await rejection(answers())];
    expect(errors.map(isTransientStoreError)).toEqual([true, true]);
    thaw();
    await until(() =>
      answers().then(
        () => true,
        (error: unknown) => !isTransientStoreError(error),
      ),
    );
    await expect(answers()).resolves.toEqual([{ answer: 42 }]);
    await freeze(server);
    await expect(close()).resolves.toBeUndefined();
  });

  it('leaves no connection open that could not be prepared', async () => {
    let opened = 0;
    const proxy = await startStatementProxy(database.url, (statement, phase) => {
      if (!statement.startsWith('SET statement_timeout') || phase === 'before') return 'go on';
      opened += 1;
      return 'hold';
    });
    afterwards(proxy.close);
    const { knex } = pool(proxy.url, 'unprepared', 3);
    await Promise.all([1, 2, 3].map(() => rejection(knex.raw('SELECT 1'))));
    expect(opened).toBeGreaterThan(0);
    const countOpen = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'unprepared'`;
    await until(async () => (await database.knex.raw(countOpen)).rows[0].count === 0);
  });

  it('does not wait for a running query where its caller has no time left', async () => {
    const closing = pool(database.url, 'hurried');
    const query = closing.knex.raw('SELECT pg_sleep(2)').then(
      () => 'ended',
      () => 'cut off',
    );
    await until(
      async () => (await database.knex('pg_stat_activity').where({ application_name: 'hurried' })).length > 0,
    );
    await closing.close(0);
    expect(await query).toBe('cut off');
  });

  it('lets a running query end before it closes', async () => {
    const closing = pool(database.url, 'closing');
    const query = closing.knex.raw(`SELECT pg_sleep(0.3), 'done' AS state`).then(({ rows }) => rows[0].state);
    // On a busy machine it may have ended before the first look.
    await until(async () => {
      const begun = await database
        .knex('pg_stat_activity')
        .where({ application_name: 'closing' })
        .whereLike('query', 'SELECT pg_sleep%');
      return begun.length > 0;
    });
    await closing.close();
    await expect(Promise.race([query, delay(0, 'still running')])).resolves.toBe('done');
  });
});

describe('assertSupportedServer', () => {
  it('accepts the server that the tests run on', async () => {
    await expect(assertSupportedServer(database.knex)).resolves.toBeUndefined();
  });

  it('refuses a server older than 15 and names both versions', async () => {
    await database.knex.transaction(async (trx) => {
      await trx.raw(`CREATE SCHEMA older; CREATE FUNCTION older.current_setting(text) RETURNS text LANGUAGE sql AS
        $$ SELECT CASE $1 WHEN 'server_version' THEN '14.12' ELSE '140012' END $$;
        SET LOCAL search_path = older, pg_catalog`);
      await expect(assertSupportedServer(trx)).rejects.toThrow(/14\.12.*15 or newer/);
      await trx.raw('DROP SCHEMA older CASCADE');
    });
  });
});
