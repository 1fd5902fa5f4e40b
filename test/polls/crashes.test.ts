import type { AccessTokens } from '../../src/credentials/refreshing/access-tokens.ts';
import { CLAIM_LOST } from '../../src/platform/job-worker.ts';
import { createDatabase, type Database } from '../../src/platform/postgres/database.ts';
import { PollFailure } from '../../src/polls/pages/poll-failure.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type FakeCrm, PEOPLE, startFakeCrm } from './fake-crm.ts';
import { createPollStage, listFaults, NO_FAULTS, type PollStage } from './poll-stage.ts';

/** One more than the statements of the longest run below; the last of them ends without a crash. */
const STATEMENTS_MAX = 120;
const RECORDS = Array.from({ length: 3 }, (_none, index) => `r${String(index).padStart(2, '0')}`);
const CREATED = RECORDS.map((id) => `created:${id}`);
const SMALL_PAGES = { ...PEOPLE, pageSize: 2 };

let database: TestDatabase;
/** The store as the poll under test uses it. */
let store: Database;
let crm: FakeCrm;
/** Statements that the process still sends before it ends. */
let statementsLeft = Number.POSITIVE_INFINITY;

beforeAll(async () => {
  database = await createTestDatabase();
  store = createDatabase({ url: database.url, applicationName: 'crashing', poolMax: 4 });
  store.knex.on('query', ({ sql }: { sql: string }) => {
    // The server does this on its own when the connection of a process that ended is gone.
    if (sql.startsWith('ROLLBACK')) return;
    statementsLeft -= 1;
    if (statementsLeft < 0) throw new Error('the process is gone');
  });
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});
beforeEach(async () => {
  statementsLeft = Number.POSITIVE_INFINITY;
  crm = await startFakeCrm();
  // Ties across every border of a page.
  for (const id of RECORDS) crm.put(id);
});
afterEach(() => crm.close());

/** One slice whose process ends after so many statements: it sends nothing more. False: the slice ended before that. */
async function crashAfter(statements: number, stage: PollStage): Promise<boolean> {
  statementsLeft = statements;
  await stage.slice().catch(() => undefined);
  const hasCrashed = statementsLeft < 0;
  // A process that ends at the COMMIT takes its connection with it, or its locks would stay for seconds.
  if (hasCrashed) {
    await database.knex.raw(
      `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
        WHERE application_name LIKE 'crashing%' AND state LIKE 'idle in transaction%'`,
    );
  }
  statementsLeft = Number.POSITIVE_INFINITY;
  return hasCrashed;
}

async function runToTheEnd(stage: PollStage): Promise<void> {
  const before = stage.outcomes.length;
  for (let slices = 0; slices < 50 && stage.outcomes.length === before; slices += 1) {
    await stage.slice().catch(() => undefined);
  }
}

describe('a poll whose process ends', () => {
  it('tells everything once, after whichever statement of a backfill it ended', async () => {
    const options = { backfill: 'full', deletes: 'scan', db: store.knex } as const;
    const stage = await createPollStage(database, crm.url, SMALL_PAGES, options);
    const faults: unknown[] = [];
    let hasCrashed = true;
    let statements = 0;
    for (; hasCrashed && statements < STATEMENTS_MAX; statements += 1) {
      await stage.forgetAll();
      hasCrashed = await crashAfter(statements, stage);
      if (hasCrashed) await runToTheEnd(stage);
      const found = listFaults(await stage.reported(), CREATED);
      if (JSON.stringify(found) !== JSON.stringify(NO_FAULTS)) faults.push({ statements, ...found });
    }
    expect(faults).toEqual([]);
    // The loop went past the last statement of a run.
    expect(hasCrashed).toBe(false);
    expect(statements).toBeGreaterThan(20);
  });

  it('tells changes and sweeps what is gone once, after whichever statement it ended', async () => {
    const options = { backfill: 'full', deletes: 'scan', db: store.knex } as const;
    const stage = await createPollStage(database, crm.url, SMALL_PAGES, options);
    await stage.run();
    const { recordSet } = await stage.task();
    const faults: unknown[] = [];
    let hasCrashed = true;
    let statements = 0;
    for (; hasCrashed && statements < STATEMENTS_MAX; statements += 1) {
      const gone = { objectId: `gone${statements}`, hash: Buffer.alloc(16), updatedAt: 0, reportedAt: null };
      await stage.fingerprints.write(database.knex, recordSet, [gone]);
      await stage.makeScanDue();
      await stage.forgetReported();
      crm.state.clockMs += 100_000;
      crm.put('r00', { name: `after ${statements}` });
      hasCrashed = await crashAfter(statements, stage);
      if (hasCrashed) await runToTheEnd(stage);
      const reported = await stage.reported();
      if (reported.join() !== `updated:r00,deleted:${gone.objectId}`) faults.push({ statements, reported });
    }
    expect(faults).toEqual([]);
    expect(hasCrashed).toBe(false);
    expect(statements).toBeGreaterThan(20);
  });

  it('goes on with a backfill where it was, and shows how far that is', async () => {
    const stage = await createPollStage(database, crm.url, SMALL_PAGES, { backfill: 'full' });
    const ended = new AbortController();
    crm.state.beforeAnswer = (count) => {
      if (count === 2) ended.abort();
    };
    await stage.slice(ended.signal);
    const shown = await stage.shown();
    expect(shown.progress).toMatchObject({ recordsSeen: 2, pagesRead: 1, todo: ['backfill'] });
    crm.state.beforeAnswer = undefined;
    const asked = crm.requests.length;
    await stage.run();
    expect(crm.requests.slice(asked)[0]?.path).toContain('after=r01');
    expect(listFaults(await stage.reported(), CREATED)).toEqual(NO_FAULTS);
  });

  it('lets one of two workers go on that have the same page', async () => {
    const stage = await createPollStage(database, crm.url, SMALL_PAGES, { backfill: 'full' });
    await Promise.all([stage.slice(), stage.slice()]);
    await runToTheEnd(stage);
    expect(listFaults(await stage.reported(), CREATED)).toEqual(NO_FAULTS);
  });

  it('leaves what the worker in its place has noted, once it may not have the page any more', async () => {
    const stage = await createPollStage(database, crm.url, SMALL_PAGES, { backfill: 'full' });
    const lost = new AbortController();
    let noted: unknown;
    crm.state.beforeAnswer = async () => {
      crm.state.beforeAnswer = undefined;
      await stage.run();
      noted = await stage.shown();
      lost.abort(CLAIM_LOST);
    };
    await expect(stage.slice(lost.signal)).rejects.toThrow();
    expect(noted).toMatchObject({ failures: 0, errorCode: null });
    expect(await stage.shown()).toEqual(noted);
    expect(listFaults(await stage.reported(), CREATED)).toEqual(NO_FAULTS);
  });

  it('notes no failure of a request that it found timed out together with its lost claim', async () => {
    const lost = new AbortController();
    const send = () => {
      process.nextTick(() => lost.abort(CLAIM_LOST));
      return Promise.reject(new PollFailure('provider_unavailable', 'no answer'));
    };
    const openCaller = () => ({ send, secrets: () => [] });
    const stage = await createPollStage(database, crm.url, SMALL_PAGES, { openCaller });
    await expect(stage.slice(lost.signal)).rejects.toThrow(PollFailure);
    expect(await stage.shown()).toMatchObject({ failures: 0, errorCode: null });
  });

  it('tells everything once when Postgres ends its connections in the middle', async () => {
    const stage = await createPollStage(database, crm.url, SMALL_PAGES, { backfill: 'full', db: store.knex });
    let cuts = 0;
    crm.state.beforeAnswer = () => {
      cuts += 1;
      if (cuts > 5) return;
      database.knex
        .raw(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'crashing%'`)
        .catch(() => undefined);
    };
    await runToTheEnd(stage);
    await runToTheEnd(stage);
    expect(cuts).toBeGreaterThan(3);
    expect(listFaults(await stage.reported(), CREATED)).toEqual(NO_FAULTS);
  });
});

describe('a poll whose credential ends', () => {
  it('goes on with a newer one in the middle of a run', async () => {
    let stage: PollStage | undefined;
    let refreshes = 0;
    const accessTokens: Pick<AccessTokens, 'refresh' | 'refreshAfter401'> = {
      refresh: async () => {
        throw new Error('not due');
      },
      async refreshAfter401({ connectionId, projectId }) {
        const state = await stage?.readCredentials(connectionId, projectId);
        if (state === undefined) return null;
        refreshes += 1;
        const credentials = { ...state.credentials, values: { accessToken: 'second' } };
        return { ok: true, state: { ...state, credentials, version: state.version + 1 } };
      },
    };
    stage = await createPollStage(database, crm.url, SMALL_PAGES, { backfill: 'full', accessTokens });
    crm.state.acceptedToken = 'access-1';
    crm.state.beforeAnswer = (count) => {
      if (count >= 2) crm.state.acceptedToken = 'second';
    };
    await stage.run();
    expect(refreshes).toBe(1);
    expect(listFaults(await stage.reported(), CREATED)).toEqual(NO_FAULTS);
  });

  it('pauses while the project keeps as much as it may, and goes on when there is room', async () => {
    let full = true;
    const stage = await createPollStage(database, crm.url, SMALL_PAGES, {
      backfill: 'full',
      isFull: async () => full,
    });
    const again = await stage.slice();
    expect(again?.runAgainAt.getTime()).toBeGreaterThan(Date.now() + 800_000);
    expect(await stage.shown()).toMatchObject({ errorCode: 'project_storage_full' });
    expect(await stage.reported()).toEqual([]);
    full = false;
    await stage.run();
    expect(listFaults(await stage.reported(), CREATED)).toEqual(NO_FAULTS);
  });

  it('waits for the user, and goes on once the connection works again', async () => {
    const stage = await createPollStage(database, crm.url, SMALL_PAGES);
    await database
      .knex('connections')
      .where({ id: stage.connectionId })
      .update({ status: 'reauthorization_required' });
    const again = await stage.slice();
    expect(again?.runAgainAt.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    expect(await stage.shown()).toMatchObject({ errorCode: 'reauthorization_required', failures: 1 });
    expect(await stage.progressStore.wakeReauthorizedOfAnyProject(database.knex, 10)).toEqual([]);
    await database.knex('connections').where({ id: stage.connectionId }).update({ status: 'active' });
    expect(await stage.progressStore.wakeReauthorizedOfAnyProject(database.knex, 10)).toHaveLength(1);
    await stage.run();
    expect(await stage.shown()).toMatchObject({ errorCode: null, failures: 0 });
  });

  it('shows the words of a provider that refuses, and pauses longer each time', async () => {
    const stage = await createPollStage(database, crm.url, SMALL_PAGES);
    const pauses: number[] = [];
    for (let failure = 0; failure < 3; failure += 1) {
      crm.state.faults.push({ status: 403, body: '{"message":"This user may not read contacts"}' });
      const again = await stage.slice();
      pauses.push((again?.runAgainAt.getTime() ?? 0) - Date.now());
    }
    expect(pauses.toSorted((left, right) => left - right)).toEqual(pauses);
    expect(await stage.shown()).toMatchObject({
      errorCode: 'provider_refused',
      errorDetail: 'The provider answered 403: This user may not read contacts',
      failures: 3,
    });
  });

  it.each([
    [400, '{"message":"The token has expired"}'],
    [200, '{"ok":false,"error":"invalid_cursor"}'],
  ])('returns to the first page where the provider keeps refusing a later one, %i', async (status, body) => {
    const resource = { ...SMALL_PAGES, success: { path: 'ok', value: 'true' } };
    const stage = await createPollStage(database, crm.url, resource, { backfill: 'full' });
    let isForgotten = false;
    crm.state.beforeAnswer = () => {
      const asked = new URL(crm.requests.at(-1)?.path ?? '', crm.url);
      if (asked.pathname !== '/people') return;
      // Forgotten in an outage: a token that is given later is good.
      if (!asked.searchParams.has('after')) isForgotten = crm.requests.length === 1;
      else if (isForgotten) crm.state.faults.push({ status, body });
    };
    for (let refusals = 0; refusals < 6; refusals += 1) await stage.slice();
    expect(stage.outcomes).toEqual(Array(6).fill('provider_refused'));
    await stage.run();
    expect(listFaults(await stage.reported(), CREATED)).toEqual(NO_FAULTS);
  });
});
