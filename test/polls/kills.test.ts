import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { formatJobKey } from '../../src/polls/running/run-poll.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { programPath } from '../support/programs.ts';
import { type FakeCrm, PEOPLE, startFakeCrm } from './fake-crm.ts';
import { createPollStage, ENCRYPTION_KEY, listFaults, NO_FAULTS, type PollStage } from './poll-stage.ts';

/** In each of the two runs. Each kill costs the start of a process. */
const KILLS = 5;
const RECORDS = Array.from({ length: 1_000 }, (_none, index) => `r${String(index).padStart(4, '0')}`);

let database: TestDatabase;
let crm: FakeCrm;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
  crm = await startFakeCrm();
  for (const id of RECORDS) crm.put(id);
});
afterEach(() => crm.close());

/** How many requests the process makes before it is killed, and how long it has its last answer then. */
type Kill = { readonly requests: number; readonly afterMs: number | 'before the answer' };

/** From the time before an answer to the time when its page is committed, and some in the page after it. */
function killAt(index: number): Kill {
  const killTimes = ['before the answer', 0, 1, 2, 3, 5, 7, 9, 12, 16] as const;
  return { requests: 1 + (index % 4), afterMs: killTimes[index % killTimes.length] ?? 0 };
}

/** A process that runs the poll. Resolves when it is gone: with true where it ended by itself, its run being over. */
async function runProcess(stage: PollStage, kill?: Kill): Promise<boolean> {
  const values = [database.url, ENCRYPTION_KEY, crm.url, formatJobKey(stage.key)];
  const child = spawn(process.execPath, [programPath('test/polls/poll-process.ts'), ...values], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  crm.state.beforeAnswer = kill && killWhenAsked(child, kill);
  const [code, signal] = await ended;
  crm.state.beforeAnswer = undefined;
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`the process ended with ${code ?? signal}`);
  return code === 0;
}

function killWhenAsked(child: ChildProcess, { requests, afterMs }: Kill): () => void {
  let asked = 0;
  return () => {
    asked += 1;
    if (asked !== requests) return;
    if (afterMs === 'before the answer') child.kill('SIGKILL');
    else setTimeout(() => child.kill('SIGKILL'), afterMs);
  };
}

/** What one look at the store shows, as the API would. */
async function look(stage: PollStage) {
  const { rows } = await database.knex.raw(
    `SELECT s.progress, s.records_seen, s.pages_read,
            (SELECT count(*)::int FROM events WHERE project_id = :projectId) AS reported,
            (SELECT count(*)::int FROM poll_records) AS known
       FROM poll_connections AS s WHERE s.poll_id = :pollId`,
    { projectId: stage.projectId, pollId: stage.key.pollId },
  );
  const [{ progress, reported, known, records_seen: seen, pages_read: pages }] = rows;
  return {
    reported,
    known,
    seen: Number(seen),
    pages: Number(pages),
    watermark: progress.watermark ?? 0,
    progress,
  };
}

type Look = Awaited<ReturnType<typeof look>>;

/** Kills one process after another until one ends by itself. Answers what the store showed after each. */
async function runUnderKills(stage: PollStage, kills: number): Promise<Look[]> {
  const looks: Look[] = [];
  for (let index = 0; index < kills; index += 1) {
    if (await runProcess(stage, killAt(index))) return looks;
    looks.push(await look(stage));
  }
  await runProcess(stage);
  return [...looks, await look(stage)];
}

const isAscending = (values: readonly number[]) =>
  values.every((value, index) => value >= (values[index - 1] ?? value));

describe('a poll whose process is killed again and again', () => {
  it('tells a backfill, then what changed and what is gone, each once, and shows how far it is', async () => {
    const stage = await createPollStage(database, crm.url, PEOPLE, { backfill: 'full', deletes: 'scan' });
    const looks = await runUnderKills(stage, KILLS);
    expect(looks).toHaveLength(KILLS + 1);
    expect(
      listFaults(
        await stage.reported(),
        RECORDS.map((id) => `created:${id}`),
      ),
    ).toEqual(NO_FAULTS);
    // What is shown as read is what was reported, to the record.
    const isTrue = looks.map(
      ({ reported, known, seen, pages }) => reported === seen && known === seen && pages * 50 === seen,
    );
    expect(isTrue).toEqual(looks.map(() => true));
    expect(isAscending(looks.map(({ seen }) => seen))).toBe(true);
    expect(looks.filter(({ seen }) => seen < RECORDS.length).every(isInBackfill)).toBe(true);

    await stage.forgetReported();
    await stage.makeScanDue();
    crm.state.clockMs += 100_000;
    const changed = RECORDS.filter((_id, index) => index % 5 === 0);
    const gone = RECORDS.filter((_id, index) => index % 100 === 1);
    for (const id of changed) crm.put(id, { name: 'changed' });
    for (const id of gone) crm.remove(id);
    const later = await runUnderKills(stage, KILLS);
    const expected = [...changed.map((id) => `updated:${id}`), ...gone.map((id) => `deleted:${id}`)];
    expect(listFaults(await stage.reported(), expected)).toEqual(NO_FAULTS);
    for (const shown of ['seen', 'pages', 'reported', 'watermark'] as const) {
      expect([shown, isAscending(later.map((one) => one[shown]))]).toEqual([shown, true]);
    }
  });
});

function isInBackfill({ progress, seen }: Look): boolean {
  const isBegun = progress.todo[0] === 'backfill' || seen === 0;
  return isBegun && progress.isInitialized === false;
}
