import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createJobQueue, type JobHandler } from '../../src/platform/job-queue.ts';
import { createChangeListener } from '../../src/platform/postgres/listen.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
const cleanUps: Array<() => Promise<unknown>> = [];

beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 20 });
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(() => database.drop());

const CHANNEL = 'test_jobs';
let processKeys = 0;

/** A queue as a process has it, with its own ear on the channel; stopped after the test. */
async function startQueue(
  name: string,
  handler: JobHandler,
  options: { concurrency?: number; stopLimitMs?: number } = {},
) {
  const { concurrency = 10, stopLimitMs } = options;
  const lines: Record<string, unknown>[] = [];
  processKeys += 1;
  const queue = createJobQueue({
    db: database.knex,
    log: { warn: (fields) => lines.push({ ...fields }) },
    channel: CHANNEL,
    processKey: processKeys,
    ...(stopLimitMs !== undefined && { stopLimitMs }),
  });
  queue.work(name, { concurrency }, handler);
  const listener = createChangeListener({
    url: database.url,
    channel: CHANNEL,
    onMessage: queue.handleNotice,
    onLost: () => undefined,
    onRestored: () => undefined,
  });
  await listener.start();
  await queue.start();
  const stop = async () => {
    await queue.stop();
    await listener.stop();
  };
  cleanUps.push(stop);
  return { ...queue, lines };
}

/** A handler that notes its runs and goes on only when it is told to. */
function createHeldHandler() {
  const runs: { key: string; release(): void; signal: AbortSignal }[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const handler: JobHandler = async (key, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    runs.push({ key, signal, release: resolve });
    await promise;
    atOnce -= 1;
    return undefined;
  };
  return { handler, runs, mostAtOnce: () => mostAtOnce };
}

const rowsOf = async (name: string) =>
  (await database.knex.raw('SELECT state FROM job_queue.job WHERE name = ?', [name])).rows.map(
    ({ state }: { state: string }) => state,
  );

describe('the job queue', () => {
  it('runs a job in the process that added it, and leaves nothing behind', async () => {
    const ran: string[] = [];
    const queue = await startQueue('simple', async (key) => {
      ran.push(key);
      return undefined;
    });
    await queue.add(database.knex, 'simple', 'a');
    await until(() => ran.length === 1);
    await until(async () => (await rowsOf('simple')).length === 0);
    expect(ran).toEqual(['a']);
  });

  it('adds in the transaction of the caller: no job where that is rolled back', async () => {
    const ran: string[] = [];
    const queue = await startQueue('transaction', async (key) => {
      ran.push(key);
      return undefined;
    });
    const failing = database.knex.transaction(async (trx) => {
      await queue.add(trx, 'transaction', 'undone');
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await database.knex.transaction((trx) => queue.add(trx, 'transaction', 'kept'));
    await until(() => ran.length === 1);
    expect(ran).toEqual(['kept']);
    await until(async () => (await rowsOf('transaction')).length === 0);
  });
});
