import { isTransientStoreError } from '../../../src/platform/postgres/store-errors.ts';
import {
  boundStoreWait,
  countSharedStoreTime,
  countStoreTime,
  limitStoreTime,
  StoreTimeError,
  withoutStoreLimit,
} from '../../../src/platform/postgres/store-time.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true, poolMax: 2, isPatient: false });
  await database.knex.raw('CREATE TABLE notes (id integer PRIMARY KEY)');
});
afterAll(() => database.drop());

const LIMIT_MS = 250;
const wait = async (seconds: number) => database.knex.raw('SELECT pg_sleep(?)', [seconds]);

/** Waits often, each time for less than the limit; gives how many waits were answered. */
function waitOften(): { work: () => Promise<void>; answered: () => number } {
  let answered = 0;
  const work = async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      await wait(0.05);
      answered += 1;
    }
  };
  return { work, answered: () => answered };
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('work with a limit of store time', () => {
  it('is ended by the sum of its waits, as by a store that is away', async () => {
    const { work, answered } = waitOften();
    const failure = await failureOf(limitStoreTime(work, LIMIT_MS));
    expect(isTransientStoreError(failure)).toBe(true);
    expect(answered()).toBeLessThan(6);
    expect((await wait(0)).rowCount).toBe(1);
  });

  it('is cut within a wait, and counts waits at the same time once', async () => {
    const sequence = async () => {
      // Together more than the limit, and far less than it where they count once, on a busy machine too.
      await Promise.all([wait(0.6), wait(0.6)]);
      await wait(0);
      await wait(60);
    };
    const failure = await failureOf(limitStoreTime(sequence, LIMIT_MS * 4));
    expect(failure).toHaveProperty('message', expect.stringMatching(/timeout/));
  });

  it('counts the wait for a connection, which goes back to the pool when it comes too late', async () => {
    const release = Promise.withResolvers<void>();
    const holders = [1, 2].map(() => database.knex.transaction(() => release.promise));
    const failure = await failureOf(limitStoreTime(() => wait(0), LIMIT_MS));
    expect(isTransientStoreError(failure)).toBe(true);
    release.resolve();
    await Promise.all(holders);
    await Promise.all([wait(0), wait(0), wait(0)]);
  });

  it('leaves no half-done transaction', async () => {
    const work = () =>
      database.knex.transaction(async (trx) => {
        await trx('notes').insert({ id: 1 });
        await trx.raw('SELECT pg_sleep(60)');
      });
    expect(await failureOf(limitStoreTime(work, LIMIT_MS))).toBeDefined();
    expect(await database.knex('notes').where({ id: 1 })).toEqual([]);
  });

  it('knows how a transaction ended that is done with its work', async () => {
    const work = () =>
      database.knex.transaction(async (trx) => {
        await trx('notes').insert({ id: 2 });
        // Uses up all the time, by a wait that cuts itself short at no limit; timers may come a little early.
        await countStoreTime(() => new Promise((done) => setTimeout(done, 600)));
        expect(await failureOf(countStoreTime(async () => undefined))).toBeInstanceOf(StoreTimeError);
      });
    await limitStoreTime(work, 500);
    expect(await database.knex('notes').where({ id: 2 })).toHaveLength(1);
  });

  it('does not limit what it starts outside the limit, nor other work at the same time', async () => {
    const { work, answered } = waitOften();
    const others = [limitStoreTime(() => withoutStoreLimit(work), LIMIT_MS), waitOften().work()];
    await Promise.all(others);
    expect(answered()).toBe(20);
  });
});

describe('work whose callers have a limit', () => {
  it('goes on after the caller was told', async () => {
    const { work, answered } = waitOften();
    let whole: Promise<void> | undefined;
    const failure = await failureOf(
      boundStoreWait(() => {
        whole = work();
        return whole;
      }, LIMIT_MS),
    );
    expect(isTransientStoreError(failure)).toBe(true);
    expect(answered()).toBeLessThan(7);
    await whole;
    expect(answered()).toBe(20);
  });

  it('answers its caller when it waits for something else for longer', async () => {
    const work = async () => {
      await wait(0);
      await new Promise((done) => setTimeout(done, LIMIT_MS * 2));
      return 'done';
    };
    expect(await boundStoreWait(work, LIMIT_MS)).toBe('done');
  });
});

describe('work that several callers share', () => {
  it('fails only for those who have no time left for it', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const unlimited = countSharedStoreTime(promise);
    const patient = limitStoreTime(() => countSharedStoreTime(promise), 60_000);
    const failure = await failureOf(limitStoreTime(() => countSharedStoreTime(promise), LIMIT_MS));
    expect(isTransientStoreError(failure)).toBe(true);
    resolve('found');
    expect(await Promise.all([unlimited, patient])).toEqual(['found', 'found']);
  });
});
