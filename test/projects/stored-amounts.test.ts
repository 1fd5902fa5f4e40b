import { recountFingerprintsOfAnyProject } from '../../src/projects/stored-amounts.store.ts';
import { createStoredAmounts } from '../../src/projects/stored-amounts.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { insertProject } from '../support/rows.ts';

const { knex: db, drop } = await createTestDatabase();
afterAll(drop);

const DAY_MS = 24 * 3_600_000;
const clock = { nowMs: Date.parse('2026-11-23T12:00:00Z') };
const keepDays = { receipts: 7, events: 30, deliveries: 30, activity: 400 };
const startProcess = (limits: { rows?: number; bytes?: number }) =>
  createStoredAmounts({ db, now: () => clock.nowMs, limits: { rows: 0, bytes: 0, ...limits }, keepDays });
const forget = (stored: ReturnType<typeof startProcess>) =>
  stored.chores
    .find(({ name }) => name === 'amounts of days that are over')
    ?.run(new AbortController().signal);

describe('what a project makes the store keep', () => {
  it.each([
    ['bytes', { bytes: 10_000 }, { rows: 1, bytes: 20_000 }],
    ['rows', { rows: 10 }, { rows: 10 }],
  ])(
    'is full by %s, at once in the process that wrote it and soon in every other',
    async (_by, limits, amount) => {
      const [projectId, other] = [await insertProject(db), await insertProject(db)];
      const [near, far] = [startProcess(limits), startProcess(limits)];
      expect(await near.isFull(projectId)).toBe(false);
      near.note(projectId, 'events', amount);
      expect(await near.isFull(projectId)).toBe(true);
      await near.flush();
      expect(await far.isFull(projectId)).toBe(true);
      expect(await far.isFull(other)).toBe(false);
    },
  );

  it('is added up over processes and kinds', async () => {
    const projectId = await insertProject(db);
    const processes = [startProcess({ rows: 4 }), startProcess({ rows: 4 })];
    for (const stored of processes) {
      stored.note(projectId, 'receipts', { rows: 1 });
      stored.note(projectId, 'fingerprints', { rows: 1 });
      await stored.flush();
    }
    expect(await startProcess({ rows: 4 }).isFull(projectId)).toBe(true);
    expect(await startProcess({ rows: 5 }).isFull(projectId)).toBe(false);
  });

  it('has room again when the days are over', async () => {
    const projectId = await insertProject(db);
    const stored = startProcess({ rows: 5 });
    stored.note(projectId, 'receipts', { rows: 5 });
    await stored.flush();
    clock.nowMs += 8 * DAY_MS;
    await forget(stored);
    expect(await startProcess({ rows: 5 }).isFull(projectId)).toBe(false);
  });

  it('is counted again for fingerprints, since those of deleted polls are gone', async () => {
    const projectId = await insertProject(db);
    const stored = startProcess({ rows: 100 });
    stored.note(projectId, 'fingerprints', { rows: 100 });
    await stored.flush();
    expect(await stored.isFull(projectId)).toBe(true);
    await recountFingerprintsOfAnyProject(db, { rowsMin: 25, bytesPerRow: 200, limit: 10 });
    expect(await startProcess({ rows: 100 }).isFull(projectId)).toBe(false);
  });

  it('is not lost where the store is away, and left out for a project that is gone', async () => {
    const projectId = await insertProject(db);
    const stored = startProcess({ rows: 5 });
    stored.note(projectId, 'events', { rows: 5 });
    await db.raw('ALTER TABLE stored_amounts RENAME TO away');
    await expect(stored.flush()).rejects.toThrow();
    await db.raw('ALTER TABLE away RENAME TO stored_amounts');
    stored.note('0198b3a4-5d1e-7c02-9f00-1a2b3c4d5e6f', 'events', { rows: 1 });
    await stored.flush();
    expect(await startProcess({ rows: 5 }).isFull(projectId)).toBe(true);
  });
});
