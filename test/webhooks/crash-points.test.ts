import type { Knex } from 'knex';
import { createDatabase } from '../../src/platform/postgres/database.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { readRelayTarget, startTcpRelay, urlThroughRelay } from '../support/tcp-relay.ts';
import { createProcessingStage, createReceivingProcess, type ProcessingStage } from './processing-stage.ts';
import { buildBatch, describeProvider } from './receiver-stage.ts';

/**
 * A process that dies loses its connections to the store, wherever it stands. So each test cuts them before or after one
 * of the statements of storing and processing, and another process goes on.
 */
const DESCRIPTION = describeProvider('hub');
/** More than any of the two runs through; the last kills come after everything is done. */
const STATEMENTS_MAX = 20;

let database: TestDatabase;
let kills = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

type KillPoint = { readonly statement: number; readonly when: 'before' | 'during' | 'after' };

/**
 * Runs the work on a pool whose connections are cut at this point: before the statement leaves, while its answer is under
 * way (the store has done what it says), or once it has answered. Answers whether that point came.
 */
async function runUntilKilled(
  point: KillPoint,
  work: (db: Knex) => Promise<unknown>,
): Promise<{ isKilled: boolean }> {
  const relay = await startTcpRelay(readRelayTarget(database.url));
  const pool = createDatabase({
    url: urlThroughRelay(database.url, relay.port),
    applicationName: 'killed',
    poolMax: 2,
  });
  let isKilled = false;
  let statements = 0;
  let answers = 0;
  const kill = () => {
    isKilled = true;
    kills += 1;
    void relay.cut();
  };
  pool.knex.on('query', () => {
    statements += 1;
    if (statements !== point.statement) return;
    if (point.when === 'before') kill();
    // The answer stays on its way for longer than the store needs; then the process is gone.
    if (point.when === 'during') {
      relay.slow(60_000);
      setTimeout(kill, ANSWER_MS);
    }
  });
  pool.knex.on('query-response', () => {
    answers += 1;
    if (point.when === 'after' && answers === point.statement) kill();
  });
  // What the killed process would have seen does not matter.
  await work(pool.knex).catch(() => undefined);
  await relay.close();
  await pool.close().catch(() => undefined);
  return { isKilled };
}

const ANSWER_MS = 150;

const eventIdsOf = (events: readonly { data: string }[]) =>
  events.map(({ data }): number => JSON.parse(data).eventId).toSorted((one, other) => one - other);

/** What is in the stream once a process that lives has processed everything; none of it may be lost or doubled. */
async function readAfterwards(stage: ProcessingStage) {
  const survivor = createReceivingProcess(database.knex, stage, DESCRIPTION);
  await survivor.processAll();
  const events = await survivor.readStream();
  await survivor.close();
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  return eventIdsOf(events);
}

describe.each(['before', 'during', 'after'] as const)('a process that is killed %s a statement', (when) => {
  it('while it stores a webhook leaves all of its events, once, or has not answered that it is stored', async () => {
    for (let statement = 1; statement <= STATEMENTS_MAX; statement += 1) {
      const stage = await createProcessingStage(database);
      const batch = buildBatch(3, '1');
      const body = Buffer.from(JSON.stringify(batch));
      let isAcknowledged = false;
      const { isKilled } = await runUntilKilled({ statement, when }, async (db) => {
        await createReceivingProcess(db, stage, DESCRIPTION).store(body);
        isAcknowledged = true;
      });
      // As a provider does: until the response says that the webhook is stored.
      if (!isAcknowledged) await createReceivingProcess(database.knex, stage, DESCRIPTION).store(body);
      expect(await readAfterwards(stage)).toEqual(
        eventIdsOf(batch.map((data) => ({ data: JSON.stringify(data) }))),
      );
      if (!isKilled) return;
    }
    throw new Error('storing has no end');
  });

  it('while it processes webhooks leaves all of their events, once', async () => {
    for (let statement = 1; statement <= STATEMENTS_MAX; statement += 1) {
      const stage = await createProcessingStage(database);
      const storing = createReceivingProcess(database.knex, stage, DESCRIPTION);
      const batches = [buildBatch(3, '1'), buildBatch(2, '1')];
      for (const batch of batches) await storing.store(Buffer.from(JSON.stringify(batch)));
      // A duplicate, and events of an account without a connection.
      await storing.store(Buffer.from(JSON.stringify([...(batches[0] ?? []), ...buildBatch(1, 'unknown')])));
      const { isKilled } = await runUntilKilled({ statement, when }, (db) =>
        createReceivingProcess(db, stage, DESCRIPTION).processSome(),
      );
      expect(await readAfterwards(stage)).toEqual(
        eventIdsOf(batches.flat().map((data) => ({ data: JSON.stringify(data) }))),
      );
      if (!isKilled) return;
    }
    throw new Error('processing has no end');
  });
});

it('more than thirty kills were made', () => expect(kills).toBeGreaterThanOrEqual(30));
