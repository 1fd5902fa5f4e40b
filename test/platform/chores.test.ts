import { type Chore, createChores } from '../../src/platform/chores.ts';
import { until } from '../support/until.ts';

/** As often as may be. */
const ALWAYS = { name: 'counting', intervalMs: 1 };
const DAY_MS = 86_400_000;

function start(chores: Chore[], options: { stopLimitMs?: number; retryMs?: number } = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = { warn: (fields: object) => lines.push({ ...fields }) };
  const made = createChores({ chores, log, random: () => 0.5, ...options });
  made.start();
  return { lines, stop: made.stop };
}

describe('a chore', () => {
  it('runs again and again, and not any more after the stop', async () => {
    let runs = 0;
    const { stop } = start([{ ...ALWAYS, run: async () => (runs += 1) }]);
    await until(() => runs >= 3);
    await stop();
    const before = runs;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(runs).toBe(before);
  });

  it('waits for its interval first, unless it runs at the start too', async () => {
    const ran: string[] = [];
    const note = (name: string) => async () => ran.push(name);
    const { stop } = start([
      { name: 'later', intervalMs: DAY_MS, run: note('later') },
      { name: 'soon', intervalMs: DAY_MS, runsAtStart: true, run: note('soon') },
    ]);
    await until(() => ran.length > 0);
    await stop();
    expect(ran).toEqual(['soon']);
  });

  it('is never run twice at once, and delays no other', async () => {
    let atOnce = 0;
    let most = 0;
    let others = 0;
    const slow = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 30));
      atOnce -= 1;
    };
    const { stop } = start([
      { ...ALWAYS, run: slow },
      { ...ALWAYS, name: 'other', run: async () => (others += 1) },
    ]);
    await until(() => others >= 10);
    await stop();
    expect(most).toBe(1);
  });

  it('of a slow pace that fails is tried again soon', async () => {
    let runs = 0;
    const fail = async () => {
      runs += 1;
      if (runs < 3) throw new Error('planted');
    };
    const { stop } = start([{ name: 'daily', intervalMs: DAY_MS, runsAtStart: true, run: fail }], {
      retryMs: 1,
    });
    await until(() => runs === 3);
    await stop();
    expect(runs).toBe(3);
  });

  it('that fails is tried again, and is logged once for a row of failures', async () => {
    let runs = 0;
    const fail = async () => {
      runs += 1;
      if (runs !== 4) throw new Error('no');
    };
    const { stop, lines } = start([{ ...ALWAYS, run: fail }]);
    await until(() => runs >= 8);
    await stop();
    expect(lines).toEqual([
      { chore: 'counting', failures: 1, err: new Error('no') },
      { chore: 'counting', failures: 1, err: new Error('no') },
    ]);
  });

  it('is told to end, and waited for, when the process stops', async () => {
    let hasEnded = false;
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const work = (signal: AbortSignal) => {
      resolve();
      return new Promise<void>((done) => {
        signal.addEventListener('abort', () => {
          setImmediate(() => {
            hasEnded = true;
            done();
          });
        });
      });
    };
    const { stop } = start([{ ...ALWAYS, run: work }]);
    await begun;
    await stop();
    expect(hasEnded).toBe(true);
  });

  it('that does not end is left behind', async () => {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const work = () => {
      resolve();
      return new Promise(() => undefined);
    };
    const { stop } = start([{ ...ALWAYS, run: work }], { stopLimitMs: 10 });
    await begun;
    await stop();
  });

  it('runs a last time at the stop when it wants to, whether it ever ran before or not', async () => {
    const ran: string[] = [];
    const { stop } = start([
      { name: 'flush', intervalMs: DAY_MS, runsAtStop: true, run: async () => ran.push('flush') },
      { name: 'sweep', intervalMs: DAY_MS, run: async () => ran.push('sweep') },
    ]);
    await stop();
    expect(ran).toEqual(['flush']);
  });
});
