import { performance } from 'node:perf_hooks';
import pLimit from 'p-limit';
import { createFairQueue } from './fair-queue.ts';

type PacedQueue = {
  /** Runs the task when its turn comes, keys in rotation, and gives what it gives. */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
};

/** The finest that timers of Node have. */
const LOOK_EVERY_MS = 1;

/**
 * Runs tasks that mostly wait, such as statements of the store. The next one begins when the one before it has ended, or when
 * the event loop has been idle for `idleMs` since that one began: the answer is then far away, and up to `runningMax` tasks
 * wait at once. A busy loop gets one answer at a time, so that a storm of tasks adds one task's work to each of its turns. A
 * task that does not end holds up the next one for `heldMsMax`.
 */
export function createPacedQueue(options: {
  readonly runningMax: number;
  readonly idleMs: number;
  readonly heldMsMax: number;
}): PacedQueue {
  const unbounded = Number.POSITIVE_INFINITY;
  const turns = createFairQueue({ running: 1, waitingPerKeyMax: unbounded, waitingMax: unbounded });
  const limit = pLimit(options.runningMax);

  /** Begins the task, and resolves when the next one may begin. */
  async function begin<Result>(task: () => Promise<Result>, settle: (result: Promise<Result>) => void) {
    const begun = Promise.withResolvers<void>();
    const result = limit(() => {
      begun.resolve();
      return task();
    });
    settle(result);
    await begun.promise;
    await waitForPlace(result);
  }

  function waitForPlace(result: Promise<unknown>): Promise<void> {
    const before = performance.eventLoopUtilization();
    const untilMs = performance.now() + options.heldMsMax;
    return new Promise((resolve) => {
      const free = () => {
        clearInterval(timer);
        resolve();
      };
      const timer = setInterval(() => {
        const { idle } = performance.eventLoopUtilization(before);
        if (idle >= options.idleMs || performance.now() >= untilMs) free();
      }, LOOK_EVERY_MS);
      result.then(free, free);
    });
  }

  return {
    run: (key, task) =>
      new Promise((resolve, reject) => {
        turns.run(key, () => begin(task, resolve)).catch(reject);
      }),
  };
}
