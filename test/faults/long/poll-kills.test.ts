import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { formatJobKey } from '../../../src/polls/running/run-poll.ts';
import { type FakeCrm, PEOPLE, startFakeCrm } from '../../polls/fake-crm.ts';
import {
  createPollStage,
  ENCRYPTION_KEY,
  listFaults,
  NO_FAULTS,
  type PollStage,
} from '../../polls/poll-stage.ts';
import { type KillReport, killAtEveryStep, type Victim } from '../../support/kill-steps.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { programPath } from '../../support/programs.ts';

/** Three pages, the last of which is not full. */
const RECORDS = 120;

let database: TestDatabase;
let crm: FakeCrm;
let report: KillReport;
const stages = new Map<number, PollStage>();

type Polling = Victim & { readonly ended: Promise<number | null> };

/** A process that runs the poll of a run until its run is over. */
function startPolling(url: string, { key }: Pick<PollStage, 'key'>): Polling {
  const values = [url, ENCRYPTION_KEY, crm.url, formatJobKey(key)];
  const child = spawn(process.execPath, [programPath('test/polls/poll-process.ts'), ...values], {
    stdio: 'ignore',
  });
  const ended = once(child, 'exit').then(([code]) => code);
  return {
    ended,
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

beforeAll(async () => {
  database = await createTestDatabase();
  crm = await startFakeCrm();
  for (let index = 0; index < RECORDS; index += 1) crm.put(`r${String(index).padStart(3, '0')}`);
  report = await killAtEveryStep<Polling>({
    databaseUrl: database.url,
    // Everything that the process does is the flow.
    isFlowOfStart: true,
    hasNoNoise: true,
    async start(url, run, reach) {
      const stage = await createPollStage(database, crm.url, PEOPLE, { backfill: 'full', deletes: 'scan' });
      stages.set(run, stage);
      crm.state.beforeAnswer = () => void reach('the provider has the request');
      return startPolling(url, stage);
    },
    async flow(victim) {
      const code = await victim.ended;
      if (code !== 0) throw new Error(`the process ended with ${code}`);
    },
  });
  crm.state.beforeAnswer = undefined;
});

afterAll(async () => {
  await crm?.close();
  await database?.drop();
});

describe('a process that is killed at any step of a poll', () => {
  it('was killed at each of them', () => {
    expect(report.unreached).toEqual([]);
    expect(report.kills.map(({ step }) => step)).toContain('the provider has the request');
    expect(report.kills.some(({ step }) => step.startsWith('executed: COMMIT'))).toBe(true);
  });

  it('leaves a poll that goes on where it was, and says of each record once that it is there', async () => {
    const expected = Array.from(
      { length: RECORDS },
      (_, index) => `created:r${String(index).padStart(3, '0')}`,
    );
    for (const stage of stages.values()) {
      expect(await startPolling(database.url, stage).ended).toBe(0);
      expect(listFaults(await stage.reported(), expected)).toEqual(NO_FAULTS);
    }
  });
});
