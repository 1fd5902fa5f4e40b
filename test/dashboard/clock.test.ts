import { createClock } from '../../src/web/dashboard/src/ui/clock.ts';
import { until } from '../support/until.ts';

const TICK_MS = 1_000;

describe('the clock of a page', () => {
  let nowMs = 0;
  const passing = () => {
    nowMs += 1;
    return nowMs;
  };

  it('reads the same twice, also when it was not read for long, so that React comes to an end', () => {
    const clock = createClock(TICK_MS, passing);
    nowMs += 60 * TICK_MS;
    const read = clock.read();
    expect(read).toBeGreaterThan(60 * TICK_MS);
    expect(Array.from({ length: 100 }, clock.read)).toEqual(Array(100).fill(read));
  });

  it('tells its subscribers of every tick, until they leave', async () => {
    const clock = createClock(1);
    let first = 0;
    let second = 0;
    const leave = clock.subscribe(() => {
      first += 1;
    });
    const leaveLast = clock.subscribe(() => {
      second += 1;
    });
    await until(async () => first > 1);
    leave();
    const shown = first;
    const before = second;
    await until(async () => second > before + 1);
    leaveLast();
    expect(first).toBe(shown);
  });
});
