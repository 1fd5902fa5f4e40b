import {
  createMemoryLedger,
  type LedgerEntry,
  type LimitLedger,
} from '../../../src/platform/limits/ledger.ts';
import { createLimitsStore } from '../../../src/platform/limits/limits.store.ts';
import { createSharedLimits, type SharedLimit } from '../../../src/platform/limits/shared-limits.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

const HOUR = 3_600;
let database: TestDatabase;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => database.drop());

/** Processes that share limits by one ledger. */
function startProcesses(count: number, ledger: LimitLedger) {
  return Array.from({ length: count }, () => {
    const limits = createSharedLimits({ ledger, peers: () => count, patienceMs: 60_000 });
    limits.start();
    stops.push(limits.stop);
    return limits;
  });
}

/** How many of `calls` calls at once are allowed. */
async function spendMany(
  limit: SharedLimit | undefined,
  key: string,
  perHour: number,
  calls: number,
): Promise<number> {
  const rate = { limit: perHour, windowSeconds: HOUR };
  const states = await Promise.all(Array.from({ length: calls }, async () => limit?.spend(key, rate)));
  return states.filter((state) => state?.allowed).length;
}

describe.each([
  ['memory', () => createMemoryLedger()],
  ['Postgres', () => createLimitsStore({ db: database.knex })],
])('limits that processes share by a ledger in %s', (name, createLedger) => {
  it.each([5, 48, 200, 1_000])('allow %i calls in all, whichever processes get them', async (perHour) => {
    const limits = startProcesses(3, createLedger()).map((each) =>
      each.limit({ name: `${name} ${perHour}` }),
    );
    const allowed = [0, 0, 0];
    for (let round = 0; round < 12; round += 1) {
      const now = await Promise.all(
        limits.map((limit) => spendMany(limit, 'k', perHour, Math.ceil(perHour / 9))),
      );
      for (const [index, count] of now.entries()) allowed[index] = (allowed[index] ?? 0) + count;
    }
    const sum = allowed.reduce((total, count) => total + count, 0);
    expect(sum).toBeLessThanOrEqual(perHour);
    // Credits that other processes did not use, and calls that are set aside.
    expect(sum).toBeGreaterThanOrEqual(Math.floor(perHour * 0.6));
    expect(Math.min(...allowed)).toBeGreaterThan(0);
  });

  it('let one process have nearly all where the others are idle', async () => {
    const [one] = startProcesses(3, createLedger()).map((each) => each.limit({ name: `${name} alone` }));
    const allowed = await spendMany(one, 'k', 96, 200);
    expect(allowed).toBeLessThanOrEqual(96);
    expect(allowed).toBeGreaterThanOrEqual(90);
  });

  it('say how long a refused caller waits, and how much is left', async () => {
    const [one] = startProcesses(2, createLedger()).map((each) => each.limit({ name: `${name} words` }));
    const rate = { limit: 6, windowSeconds: 60 };
    const first = await one?.spend('k', rate);
    expect(first).toMatchObject({ allowed: true, limit: 6, remaining: 5 });
    for (let call = 0; call < 5; call += 1) await one?.spend('k', rate);
    const refused = await one?.spend('k', rate);
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused?.retryAfterSeconds).toBeGreaterThan(5);
    expect(refused?.retryAfterSeconds).toBeLessThanOrEqual(10);
  });

  it('have back what a stopped process did not use', async () => {
    const ledger = createLedger();
    const [one, two] = startProcesses(2, ledger);
    const name2 = `${name} stopped`;
    for (let call = 0; call < 12; call += 1) await spendMany(one?.limit({ name: name2 }), 'k', 100, 1);
    await one?.stop();
    expect(await spendMany(two?.limit({ name: name2 }), 'k', 100, 100)).toBeGreaterThanOrEqual(100 - 12 - 6);
  });
});

describe('a warm call', () => {
  it('waits for nothing, and asks for more before it has none', async () => {
    const asked: LedgerEntry[] = [];
    const memory = createMemoryLedger();
    const ledger: LimitLedger = {
      exchange(entries) {
        asked.push(...entries);
        return memory.exchange(entries);
      },
    };
    const limit = startProcesses(2, ledger)[0]?.limit({ name: 'warm' });
    const rate = { limit: 60_000, windowSeconds: 60 };
    const waits: unknown[] = [];
    for (let call = 0; call < 3_000; call += 1) {
      const state = limit?.spend('k', rate);
      if (state instanceof Promise) waits.push(await state);
      if (call % 50 === 0) await new Promise(setImmediate);
    }
    expect(asked.length).toBeLessThan(60);
    expect(waits.length).toBeLessThan(60);
  });

  it('goes by the process alone while there is no other', () => {
    const limits = createSharedLimits({
      ledger: { exchange: () => Promise.reject(new Error('asked')) },
      peers: () => 1,
    });
    const limit = limits.limit({ name: 'alone' });
    const rate = { limit: 3, windowSeconds: HOUR };
    const states = [0, 0, 0, 0].map(() => limit.check('k', rate)?.allowed);
    expect(states).toEqual([true, true, true, false]);
  });
});

describe('a lost ledger', () => {
  it('leaves each process its share, refuses no other call, and hears of all calls when it is back', async () => {
    const memory = createMemoryLedger();
    let isAway = true;
    const reported: string[] = [];
    const ledger: LimitLedger = {
      exchange: (entries) => (isAway ? Promise.reject(new Error('away')) : memory.exchange(entries)),
    };
    const processes = Array.from({ length: 2 }, () => {
      const limits = createSharedLimits({
        ledger,
        peers: () => 2,
        onLost: () => reported.push('lost'),
        onBack: () => reported.push('back'),
      });
      stops.push(limits.stop);
      return limits.limit({ name: 'lost' });
    });
    const counts = await Promise.all(processes.map((limit) => spendMany(limit, 'k', 20, 30)));
    expect(counts).toEqual([10, 10]);
    isAway = false;
    await until(() => reported.filter((word) => word === 'back').length === 2);
    expect(await spendMany(processes[0], 'k', 20, 5)).toBe(0);
  });

  it('does not hold callers up where it never answers', async () => {
    const limits = createSharedLimits({
      ledger: { exchange: () => new Promise(() => undefined) },
      peers: () => 2,
    });
    expect(await spendMany(limits.limit({ name: 'silent' }), 'k', 20, 30)).toBe(10);
  });
});

describe('a process that was alone', () => {
  it('tells the others what it has used', async () => {
    const memory = createMemoryLedger();
    const settled: number[] = [];
    const ledger: LimitLedger = {
      exchange(entries) {
        settled.push(...entries.map(({ settle }) => settle));
        return memory.exchange(entries);
      },
    };
    let peers = 1;
    const [old, fresh] = [0, 0].map(() => {
      const limits = createSharedLimits({ ledger, peers: () => peers, patienceMs: 60_000 });
      limits.start();
      stops.push(limits.stop);
      return limits.limit({ name: 'grown' });
    });
    expect(await spendMany(old, 'k', 20, 18)).toBe(18);
    peers = 2;
    await until(() => settled.includes(18));
    expect(await spendMany(fresh, 'k', 20, 20)).toBe(2);
  });
});
