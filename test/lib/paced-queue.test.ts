import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPacedQueue } from '../../src/lib/paced-queue.ts';
import { until } from '../support/until.ts';

const LONG_MS = 3_600_000;
const TURNS = 200;

/** A queue whose tasks end when the test says so, and what has begun. */
function startQueue({ runningMax = 3, idleMs = 1, heldMsMax = LONG_MS } = {}) {
  const queue = createPacedQueue({ runningMax, idleMs, heldMsMax });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const add = (key: string) =>
    queue.run(key, () => {
      begun.push(key);
      return new Promise<string>((resolve) => ends.push(() => resolve(key)));
    });
  return { queue, begun, add, endNext: () => ends.shift()?.() };
}

/** Keeps the event loop from having nothing to do, so that it does not wait once. */
async function keepBusy(isOver: () => boolean): Promise<void> {
  while (!isOver()) await nextTurn();
}

async function keepBusyForTurns(): Promise<void> {
  let turns = 0;
  await keepBusy(() => ++turns > TURNS);
}

describe('a paced queue', () => {
  it('begins one at a time while the event loop is busy, the next when the one before it has ended', async () => {
    const { begun, add, endNext } = startQueue({ idleMs: LONG_MS });
    const works = [add('a'), add('a'), add('a')];
    for (const count of [1, 2, 3]) {
      await keepBusyForTurns();
      expect(begun).toHaveLength(count);
      endNext();
    }
    expect(await Promise.all(works)).toEqual(['a', 'a', 'a']);
  });

  it('begins others while the event loop has nothing to do, and never more than may run at once', async () => {
    const { begun, add, endNext } = startQueue({ runningMax: 3 });
    const works = Array.from({ length: 5 }, () => add('a'));
    for (const count of [3, 4, 5]) {
      await until(() => begun.length === count);
      await keepBusyForTurns();
      expect(begun).toHaveLength(count);
      endNext();
    }
    endNext();
    endNext();
    await Promise.all(works);
  });

  it('waits no longer for a task that does not end than it may, however busy the event loop is', async () => {
    const { begun, add, endNext } = startQueue({ idleMs: LONG_MS, heldMsMax: 20 });
    const works = [add('a'), add('a')];
    await keepBusy(() => begun.length === 2);
    endNext();
    endNext();
    await Promise.all(works);
  });

  it('lets keys take turns: one of another key waits for one of those before it, and not for all', async () => {
    const { begun, add, endNext } = startQueue({ idleMs: LONG_MS });
    const works = ['a', 'a', 'a', 'a', 'b'].map(add);
    for (let count = 1; count <= works.length; count += 1) {
      await until(() => begun.length === count);
      endNext();
    }
    await Promise.all(works);
    expect(begun.join('')).toBe('aabaa');
  });

  it('rejects with what the task rejects with or throws, and goes on', async () => {
    const { queue } = startQueue();
    const refused = queue.run('a', () => Promise.reject(new Error('refused')));
    const thrown = queue.run('a', () => {
      throw new Error('thrown');
    });
    await expect(refused).rejects.toThrow('refused');
    await expect(thrown).rejects.toThrow('thrown');
    expect(await queue.run('a', async () => 'done')).toBe('done');
  });
});
