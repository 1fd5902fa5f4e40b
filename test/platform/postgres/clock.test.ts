import {
  createClockCheck,
  createStoreClock,
  measureClockSkew,
} from '../../../src/platform/postgres/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
});
afterAll(() => database.drop());

const HOUR_MS = 3_600_000;

describe('the clock of this machine', () => {
  it('is in step with the database on the same machine', async () => {
    // Half of the way there and back is unknown, which is long on a busy machine.
    expect(Math.abs(await measureClockSkew(database.knex, Date.now))).toBeLessThan(60);
  });

  it.each([
    ['ahead', HOUR_MS],
    ['behind', -HOUR_MS],
  ])('that is %s is measured, told and warned of', async (_how, byMs) => {
    const lines: object[] = [];
    const noted: number[] = [];
    const check = createClockCheck({
      db: database.knex,
      now: () => Date.now() + byMs,
      log: { warn: (fields) => lines.push(fields) },
      note: (seconds) => noted.push(seconds),
    });
    await check.run(new AbortController().signal);
    expect(Math.round(noted[0] ?? 0)).toBeCloseTo(byMs / 1000, -1);
    expect(lines).toEqual([{ skewSeconds: noted[0] }]);
  });

  it.each([
    ['ahead', HOUR_MS],
    ['behind', -HOUR_MS],
  ])('that is %s gives the time of the database once it is measured', async (_how, byMs) => {
    const now = () => Date.now() + byMs;
    const storeClock = createStoreClock(now);
    const offByMs = () => Math.abs(storeClock.now() - Date.now());
    expect(offByMs()).toBeCloseTo(HOUR_MS, -3);
    const log = { warn: () => undefined };
    await createClockCheck({ db: database.knex, now, log, note: storeClock.note }).run(AbortSignal.abort());
    expect(offByMs()).toBeLessThan(HOUR_MS / 10);
  });

  it('that differs by less than tokens notice is told of only', async () => {
    const lines: object[] = [];
    const now = () => Date.now() + 1_000;
    const log = { warn: (fields: object) => lines.push(fields) };
    await createClockCheck({ db: database.knex, now, log, note: () => undefined }).run(AbortSignal.abort());
    expect(lines).toEqual([]);
  });
});
