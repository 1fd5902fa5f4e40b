import { runRaces } from '../support/approval-races.ts';

/** `APPROVAL_RACES=10000 npm test -- test/approvals/races` takes its time. */
const RACES = Number(process.env.APPROVAL_RACES ?? 100);
const KILL_EVERY = RACES > 1_000 ? 250 : 70;

it('of racing approvals, refusals, repeats and kills, each approved call reaches the provider once at most', async () => {
  const result = await runRaces(RACES, KILL_EVERY);
  if (RACES > 1_000) process.stderr.write(`${JSON.stringify(result, null, 2)}\n`);
  expect(result.faults).toEqual([]);
  expect(result.races).toBe(RACES);
  expect(result.kills).toBe(Math.floor(RACES / KILL_EVERY));
  // The races were some: calls went out, and others were stopped at the last step.
  expect(result.ends.used?.sent).toBeGreaterThan(RACES / 10);
  expect(result.ends.rejected?.races).toBeGreaterThan(RACES / 10);
  expect(result.ends.expired?.races).toBeGreaterThan(0);
});
