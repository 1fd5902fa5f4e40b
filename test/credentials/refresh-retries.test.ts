import { createRefreshRetries } from '../../src/credentials/refreshing/refresh-retries.ts';

/** Repetitions by a clock of the test's own, and the delays that were asked for. */
function start() {
  let nowMs = 1_000_000;
  const later: { delayMs: number; action: () => void }[] = [];
  const retries = createRefreshRetries({
    now: () => nowMs,
    runLater: (delayMs, action) => later.push({ delayMs, action }),
  });
  let refreshes = 0;
  const refresh = async () => {
    refreshes += 1;
    throw new Error('no answer again');
  };
  const repeat = (delayMs: number, key = 'connection-1') => retries.repeat(key, delayMs, 10_000, refresh);
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { retries, later, repeat, wait, refreshes: () => refreshes };
}

describe('a refresh that got no answer', () => {
  it('is asked for again a moment after the pause, and may fail again', async () => {
    const { later, repeat, refreshes } = start();
    repeat(2_000);
    expect([later.map(({ delayMs }) => delayMs), refreshes()]).toEqual([[2_250], 0]);
    later[0]?.action();
    await Promise.resolve();
    expect(refreshes()).toBe(1);
  });

  it('is not repeated once the time since the first one would be over', () => {
    const { later, repeat, wait } = start();
    repeat(2_000);
    wait(7_749);
    repeat(2_000);
    expect(later).toHaveLength(2);
    wait(1);
    repeat(2_000);
    expect(later).toHaveLength(2);
  });

  it('has a time of its own for each key', () => {
    const { later, repeat, wait } = start();
    repeat(2_000);
    wait(9_000);
    repeat(2_000, 'connection-2');
    expect(later).toHaveLength(2);
  });

  it.each([
    ['after it has been given up', ({ repeat }: ReturnType<typeof start>) => repeat(10_000)],
    ['after an answer', ({ retries }: ReturnType<typeof start>) => retries.forget('connection-1')],
  ])('has its whole time again %s', (_when, end) => {
    const started = start();
    started.repeat(2_000);
    started.wait(9_000);
    end(started);
    started.repeat(2_000);
    expect(started.later).toHaveLength(2);
  });

  it('is forgotten after ten thousand others, although it is never heard of again', () => {
    const { later, repeat, wait } = start();
    repeat(2_000);
    for (let other = 0; other < 10_000; other += 1) repeat(2_000, `other-${other}`);
    wait(9_000);
    const before = later.length;
    repeat(2_000);
    expect(later).toHaveLength(before + 1);
    repeat(2_000, 'other-9999');
    expect(later).toHaveLength(before + 1);
  });
});
