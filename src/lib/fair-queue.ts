import { createPlaces } from './places.ts';

/** What `run` rejects with where the key has as many tasks waiting as it may have, or all keys together have. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

export type FairQueue = {
  /**
   * Runs the task when its turn comes and answers what it answers. Rejects with QueueFullError where there is no room: at
   * once, or while it waits, when a key with fewer tasks needs its place.
   */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
};

type Task = { start(): Promise<void>; reject(error: QueueFullError): void };

/**
 * Runs at most `running` tasks at a time. Tasks wait by key, and the keys take turns: a key with a thousand tasks delays
 * the single task of another by one round, not by a thousand. Where all places are taken, the key with the most waiting tasks
 * gives up its newest one for a key with fewer. With `sharesPlaces` no key runs in all of them, see `createPlaces`: for
 * tasks that wait for others' servers.
 */
export function createFairQueue(options: {
  running: number;
  waitingPerKeyMax: number;
  waitingMax: number;
  sharesPlaces?: boolean;
}): FairQueue {
  const { waitingPerKeyMax, waitingMax, sharesPlaces = false } = options;
  /** In the order in which keys take their turns. */
  const waiting = new Map<string, Task[]>();
  let waitingCount = 0;
  const places = createPlaces(options.running);

  const mayStart = (key: string): boolean => places.free() > 0 && !(sharesPlaces && places.isFull(key));

  function startNext(): void {
    for (const [key, tasks] of waiting) {
      if (!mayStart(key)) continue;
      const task = tasks.shift();
      waiting.delete(key);
      if (tasks.length > 0) waiting.set(key, tasks);
      waitingCount -= 1;
      if (task) start(key, task);
      startNext();
      return;
    }
  }

  function start(key: string, task: Task): void {
    const leave = places.take(key);
    task.start().finally(() => {
      leave();
      startNext();
    });
  }

  /** True where the key with the most waiting tasks has given one up for a key with `count` of them. */
  function makeRoom(count: number): boolean {
    let longest: Task[] = [];
    for (const tasks of waiting.values()) if (tasks.length > longest.length) longest = tasks;
    if (longest.length <= count + 1) return false;
    longest
      .pop()
      ?.reject(new QueueFullError(`another key needs the place, ${waitingCount} tasks wait in all`));
    waitingCount -= 1;
    return true;
  }

  function add(key: string, task: Task): void {
    if (mayStart(key)) {
      start(key, task);
      return;
    }
    const tasks = waiting.get(key) ?? [];
    const hasRoom = tasks.length < waitingPerKeyMax && (waitingCount < waitingMax || makeRoom(tasks.length));
    if (!hasRoom) {
      task.reject(new QueueFullError(`${tasks.length} tasks of this key wait, ${waitingCount} in all`));
      return;
    }
    tasks.push(task);
    waitingCount += 1;
    if (tasks.length === 1) waiting.set(key, tasks);
  }

  return {
    run(key, task) {
      return new Promise((resolve, reject) =>
        add(key, { start: () => task().then(resolve, reject), reject }),
      );
    },
  };
}
