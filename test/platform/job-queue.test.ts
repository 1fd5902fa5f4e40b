import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { getConstructionPlans } from 'pg-boss';
import { newId } from '../../src/lib/ids.ts';
import { createJobQueue } from '../../src/platform/job-queue.ts';
import { CLAIM_MS, longestPauseMs } from '../../src/platform/job-store.ts';
import { CLAIM_LOST, type JobHandler } from '../../src/platform/job-worker.ts';
import { createDatabase } from '../../src/platform/postgres/database.ts';
import { createChangeListener } from '../../src/platform/postgres/listen.ts';
import { createParties } from '../../src/platform/postgres/parties.ts';
import { isTransientStoreError } from '../../src/platform/postgres/store-errors.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { readRelayTarget, startTcpRelay, urlThroughRelay } from '../support/tcp-relay.ts';
import { startTransactionPooler } from '../support/transaction-pooler.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
/** Half of the places are a party's own, so that the places of these tests are twice what runs at once. */
const projectId = newId();
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
  options: { concurrency?: number; stopLimitMs?: number; db?: Knex; now?: () => number } = {},
) {
  const { concurrency = 20, db = database.knex, ...rest } = options;
  const lines: Record<string, unknown>[] = [];
  processKeys += 1;
  const queue = createJobQueue({
    db,
    log: { warn: (fields) => lines.push({ ...fields }) },
    channel: CHANNEL,
    processKey: processKeys,
    parties: createParties(),
    ...rest,
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

/** A handler that notes its runs and goes on only when the test lets it. */
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
    await queue.add(database.knex, 'simple', { key: 'a', projectId });
    await until(() => ran.length === 1);
    await until(async () => (await rowsOf('simple')).length === 0);
    expect(ran).toEqual(['a']);
  });

  it('adds many jobs by one statement', async () => {
    const queue = await startQueue('many', async () => undefined);
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => statements.push(sql);
    await database.knex.transaction(async (trx) => {
      await queue.add(trx, 'many', { key: 'first', projectId });
      trx.on('query', note);
      const jobs = Array.from({ length: 500 }, (_, index) => ({ key: `k${index}`, projectId }));
      await queue.addAll(trx, 'many', jobs);
    });
    expect(statements.filter((sql) => /INSERT|SELECT/.test(sql))).toHaveLength(1);
    await until(async () => (await rowsOf('many')).length === 0);
  });

  it('adds in the transaction of the caller: no job where that is rolled back', async () => {
    const ran: string[] = [];
    const queue = await startQueue('transaction', async (key) => {
      ran.push(key);
      return undefined;
    });
    const failing = database.knex.transaction(async (trx) => {
      await queue.add(trx, 'transaction', { key: 'undone', projectId });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await database.knex.transaction((trx) => queue.add(trx, 'transaction', { key: 'kept', projectId }));
    await until(() => ran.length === 1);
    expect(ran).toEqual(['kept']);
    await until(async () => (await rowsOf('transaction')).length === 0);
  });

  it('works on a key in one process at a time, and once more for what is added meanwhile', async () => {
    const held = createHeldHandler();
    const one = await startQueue('exclusive', held.handler);
    const other = await startQueue('exclusive', held.handler);
    await one.add(database.knex, 'exclusive', { key: 'k', projectId });
    await until(() => held.runs.length === 1);
    for (const queue of [one, other, one, other])
      await queue.add(database.knex, 'exclusive', { key: 'k', projectId });
    await other.add(database.knex, 'exclusive', { key: 'bystander', projectId });
    await until(() => held.runs.length === 2);
    expect(held.runs.map(({ key }) => key)).toEqual(['k', 'bystander']);
    for (const { release } of held.runs) release();
    await until(() => held.runs.length === 3);
    await until(async () => (await rowsOf('exclusive')).length === 1);
    held.runs[2]?.release();
    await until(async () => (await rowsOf('exclusive')).length === 0);
    expect(held.runs.map(({ key }) => key)).toEqual(['k', 'bystander', 'k']);
  });

  it('keeps to that with many adds of few keys in many processes, and loses none', async () => {
    const KEYS = 5;
    const seen = new Map<string, number>();
    const added = new Map<string, number>();
    const underWay = new Set<string>();
    const together: string[] = [];
    const handler: JobHandler = async (key) => {
      if (underWay.has(key)) together.push(key);
      underWay.add(key);
      const upTo = added.get(key) ?? 0;
      await new Promise((resolve) => setImmediate(resolve));
      seen.set(key, upTo);
      underWay.delete(key);
      return undefined;
    };
    const queues = [
      await startQueue('stress', handler, { concurrency: 3 }),
      await startQueue('stress', handler, { concurrency: 3 }),
      await startQueue('stress', handler, { concurrency: 3 }),
    ];
    const adders = Array.from({ length: 6 }, async (_, adder) => {
      for (let n = 0; n < 20; n += 1) {
        const key = `k${(adder + n) % KEYS}`;
        added.set(key, (added.get(key) ?? 0) + 1);
        await database.knex.transaction(async (trx) =>
          queues[n % 3]?.add(trx, 'stress', { key: key, projectId }),
        );
      }
    });
    await Promise.all(adders);
    await until(async () => underWay.size === 0 && (await rowsOf('stress')).length === 0);
    expect(together).toEqual([]);
    // A busy machine may keep a statement waiting until the store ends it; the queue then asks again.
    const faults = queues.flatMap(({ lines }) => lines).filter(({ err }) => !isTransientStoreError(err));
    expect(faults).toEqual([]);
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(added));
  });

  it('runs at most as many keys at once as the handler wants, and all of them in the end', async () => {
    const held = createHeldHandler();
    const queue = await startQueue('concurrency', held.handler, { concurrency: 4 });
    for (let n = 0; n < 7; n += 1) await queue.add(database.knex, 'concurrency', { key: `k${n}`, projectId });
    let released = 0;
    while (released < 7) {
      await until(() => held.runs.length === Math.min(released + 2, 7));
      held.runs[released]?.release();
      released += 1;
    }
    await until(async () => (await rowsOf('concurrency')).length === 0);
    expect(held.mostAtOnce()).toBe(2);
    expect(new Set(held.runs.map(({ key }) => key)).size).toBe(7);
  });

  it.each([
    ['before', [3_600_000, 0]],
    ['after', [0, 3_600_000]],
  ])('runs once, at the earlier of two times, where the later was added %s it', async (when, delays) => {
    const ran: string[] = [];
    const queue = await startQueue(`earlier-${when}`, async (key) => {
      ran.push(key);
      return undefined;
    });
    await database.knex.transaction(async (trx) => {
      for (const ms of delays)
        await queue.add(trx, `earlier-${when}`, { key: 'k', projectId, runAt: new Date(Date.now() + ms) });
    });
    await until(async () => (await rowsOf(`earlier-${when}`)).length === 0);
    expect(ran).toEqual(['k']);
  });

  it('leaves a job alone until its time has come', async () => {
    const ran: number[] = [];
    const queue = await startQueue('later', async () => {
      ran.push(Date.now());
      return undefined;
    });
    const runAt = new Date(Date.now() + 300);
    await queue.add(database.knex, 'later', { key: 'k', projectId, runAt });
    await until(() => ran.length === 1);
    expect(ran[0]).toBeGreaterThanOrEqual(runAt.getTime());
  });

  it('adds a key again where its handler returns a time', async () => {
    const ran: string[] = [];
    const queue = await startQueue('again', async (key) => {
      ran.push(key);
      return ran.length < 3 ? { runAgainAt: new Date(Date.now() + 50), projectId } : undefined;
    });
    await queue.add(database.knex, 'again', { key: 'k', projectId });
    await until(async () => ran.length === 3 && (await rowsOf('again')).length === 0);
    expect(ran).toEqual(['k', 'k', 'k']);
  });

  it('tries a job that failed again after a pause, and says so once', async () => {
    const ran: number[] = [];
    const queue = await startQueue('failing', async () => {
      ran.push(Date.now());
      if (ran.length < 2) throw new Error('not yet');
      return undefined;
    });
    await queue.add(database.knex, 'failing', { key: 'k', projectId });
    await until(async () => ran.length === 2 && (await rowsOf('failing')).length === 0);
    const [first = 0, second = 0] = ran;
    expect(second - first).toBeGreaterThanOrEqual(1000);
    expect(queue.lines).toEqual([expect.objectContaining({ job: 'failing', failures: 1 })]);
  });

  it('doubles the pause up to five minutes', () => {
    expect([0, 1, 2, 7, 8, 1000].map(longestPauseMs)).toEqual([2e3, 4e3, 8e3, 256e3, 300e3, 300e3]);
  });

  it('lets a transaction add a key without waiting for another one that has added it', async () => {
    const ran: string[] = [];
    const queue = await startQueue('contended', async (key) => {
      ran.push(key);
      return undefined;
    });
    const open = await database.knex.transaction();
    await queue.add(open, 'contended', { key: 'k', projectId });
    await database.knex.transaction((trx) => queue.add(trx, 'contended', { key: 'k', projectId }));
    await until(() => ran.length === 1);
    await open.commit();
    await until(() => ran.length === 2);
  });

  it('runs a job that a process without its handler added', async () => {
    const ran: string[] = [];
    await startQueue('elsewhere', async (key) => {
      ran.push(key);
      return undefined;
    });
    const adding = await startQueue('unrelated', async () => undefined);
    await adding.add(database.knex, 'elsewhere', { key: 'k', projectId });
    await until(() => ran.length === 1);
  });

  it('works behind a pooler in transaction mode', async () => {
    const pooler = await startTransactionPooler(database.url);
    const pooled = createDatabase({ url: pooler.url, applicationName: 'test', poolMax: 4, isPooled: true });
    cleanUps.push(async () => {
      await pooled.close();
      await pooler.close();
    });
    const ran: string[] = [];
    const queue = await startQueue(
      'pooled',
      async (key) => {
        ran.push(key);
        return ran.length === 1 ? { runAgainAt: new Date(), projectId } : undefined;
      },
      { db: pooled.knex },
    );
    await pooled.knex.transaction((trx) => queue.add(trx, 'pooled', { key: 'k', projectId }));
    await until(async () => ran.length === 2 && (await rowsOf('pooled')).length === 0);
    await until(async () => (await queue.count()).some(({ name }) => name === 'pooled'));
    expect(queue.lines).toEqual([]);
  });
});

describe('the schema of the jobs', () => {
  const VERSION = /INSERT INTO job_queue\.version\(version\) VALUES \('(\d+)'\)/;

  it('is the one that this release of pg-boss would make: an upgrade takes a migration', async () => {
    const [, wanted] = VERSION.exec(getConstructionPlans('job_queue')) ?? [];
    const { rows } = await database.knex.raw('SELECT version::text FROM job_queue.version');
    expect(rows).toEqual([{ version: wanted }]);
  });

  it('may be newer: a process of the release before starts and works beside it', async () => {
    await database.knex.raw('UPDATE job_queue.version SET version = version + 1');
    const ran: string[] = [];
    const queue = await startQueue('older', async (key) => {
      ran.push(key);
      return undefined;
    });
    await queue.add(database.knex, 'older', { key: 'k', projectId });
    await until(() => ran.length === 1);
    await database.knex.raw('UPDATE job_queue.version SET version = version - 1');
  });
});

describe('a process that stops', () => {
  it('aborts its jobs, and gives those that do not end to another process', async () => {
    const held = createHeldHandler();
    const stopping = await startQueue('given', held.handler, { stopLimitMs: 50 });
    await stopping.add(database.knex, 'given', { key: 'k', projectId });
    await until(() => held.runs.length === 1);
    const ran: string[] = [];
    await startQueue('given', async (key) => {
      ran.push(key);
      return undefined;
    });
    await stopping.stop();
    expect(held.runs[0]?.signal.aborted).toBe(true);
    await until(() => ran.length === 1);
    held.runs[0]?.release();
    await until(async () => (await rowsOf('given')).length === 0);
    expect(stopping.lines).toEqual([]);
  });

  it('gives a job back at once whose handler ends with the signal, without calling it failed', async () => {
    const taken: string[] = [];
    const stopping = await startQueue('heeding', (key, signal) => {
      taken.push(key);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    await stopping.add(database.knex, 'heeding', { key: 'k', projectId });
    await until(() => taken.length === 1);
    await stopping.stop();
    expect(await rowsOf('heeding')).toEqual(['created']);
    expect(stopping.lines).toEqual([]);
  });
});

describe('a process that may not have a job any more', () => {
  it('is told so by the signal, and its end of the job counts for nothing', async () => {
    const held = createHeldHandler();
    const queue = await startQueue('lost', held.handler);
    await queue.add(database.knex, 'lost', { key: 'k', projectId });
    await until(() => held.runs.length === 1);
    const taken = 'UPDATE job_queue.job SET retry_count = retry_count + 1 WHERE name = ?';
    await database.knex.raw(taken, ['lost']);
    await until(() => held.runs[0]?.signal.aborted === true);
    held.runs[0]?.release();
    await queue.stop();
    expect(await rowsOf('lost')).toEqual(['active']);
  });

  it('gives it up before it asks the store, where it stood still for longer than its claim lives', async () => {
    const held = createHeldHandler();
    let stoodStillMs = 0;
    const now = () => performance.now() + stoodStillMs;
    const queue = await startQueue('still', held.handler, { now });
    await queue.add(database.knex, 'still', { key: 'k', projectId });
    await until(() => held.runs.length === 1);
    stoodStillMs = CLAIM_MS;
    await until(() => held.runs[0]?.signal.aborted === true);
    expect(held.runs[0]?.signal.reason).toBe(CLAIM_LOST);
    expect(await rowsOf('still')).toEqual(['active']);
    held.runs[0]?.release();
  });

  it('leaves the job to another one within half a minute, where it was killed', async () => {
    const before = await startQueue('killed', async () => undefined);
    await before.stop();
    const adding = await startQueue('unrelated', async () => undefined);
    await adding.add(database.knex, 'killed', { key: 'k', projectId });
    const child = fork(join(import.meta.dirname, 'job-queue-child.ts'), [database.url, 'killed']);
    expect(await once(child, 'message')).toEqual(['k', undefined]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const ran: string[] = [];
    await startQueue('killed', async (key) => {
      ran.push(key);
      return undefined;
    });
    await until(() => ran.length === 1);
    await until(async () => (await rowsOf('killed')).length === 0);
  });
});

describe('while the store is away', () => {
  it('waits for it, and then does what is due', async () => {
    const relay = await startTcpRelay(readRelayTarget(database.url));
    const url = urlThroughRelay(database.url, relay.port);
    const relayed = createDatabase({ url, applicationName: 'test', poolMax: 4 });
    cleanUps.push(async () => {
      await relayed.close();
      await relay.close();
    });
    const ran: string[] = [];
    const queue = await startQueue(
      'away',
      async (key) => {
        ran.push(key);
        return undefined;
      },
      { db: relayed.knex },
    );
    await relay.cut();
    await expect(queue.add(relayed.knex, 'away', { key: 'lost', projectId })).rejects.toThrow();
    await until(() => queue.lines.length > 0);
    const adding = await startQueue('unrelated', async () => undefined);
    await adding.add(database.knex, 'away', { key: 'k', projectId });
    await relay.mend();
    await until(() => ran.length === 1);
    expect(ran).toEqual(['k']);
  });
});
