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

/** Tasks that wait may be as many as this: of one key, and of all. */
type Room = { readonly waitingPerKeyMax: number; readonly waitingMax: number };

/**
 * Runs at most `running` tasks at a time. Tasks wait by key, and the keys take turns: a key with a thousand tasks delays
 * the single task of another by one round, not by a thousand. Where all places are taken, the key with the most waiting tasks
 * gives up its newest one for a key with fewer. With `sharesPlaces` no key runs in all of them, see `createPlaces`: for
 * tasks that wait for others' servers.
 */
export function createFairQueue(
  options: Room & { readonly running: number; readonly sharesPlaces?: boolean },
): FairQueue {
  const { sharesPlaces = false } = options;
  const waiting = createWaitingTasks(options);
  const places = createPlaces(options.running);

  const mayStart = (key: string): boolean => places.free() > 0 && !(sharesPlaces && places.isFull(key));

  function startNext(): void {
    for (let next = waiting.take(mayStart); next !== undefined; next = waiting.take(mayStart)) {
      start(next.key, next.task);
    }
  }

  function start(key: string, task: Task): void {
    const leave = places.take(key);
    // Keys take turns here; who has had the last place is not asked.
    places.beginRound();
    task.start().finally(() => {
      leave();
      startNext();
    });
  }

  return {
    run(key, task) {
      return new Promise((resolve, reject) => {
        // A task that throws before its promise is there must give its place back as well.
        const added = { start: () => Promise.try(task).then(resolve, reject), reject };
        if (mayStart(key)) start(key, added);
        else waiting.add(key, added);
      });
    },
  };
}

function createWaitingTasks({ waitingPerKeyMax, waitingMax }: Room) {
  /** In the order in which keys take their turns. */
  const waiting = new Map<string, Task[]>();
  let count = 0;

  /** True where the key with the most tasks has given one up for a key with `taskCount` of them. */
  function makeRoom(taskCount: number): boolean {
    let longest: Task[] = [];
    for (const tasks of waiting.values()) if (tasks.length > longest.length) longest = tasks;
    if (longest.length <= taskCount + 1) return false;
    longest.pop()?.reject(new QueueFullError(`another key needs the place, ${count} tasks wait in all`));
    count -= 1;
    return true;
  }

  return {
    /** Takes the oldest task of the first key that may start one, and puts the key behind the others. */
    take(mayStart: (key: string) => boolean): { readonly key: string; readonly task: Task } | undefined {
      for (const [key, tasks] of waiting) {
        if (!mayStart(key)) continue;
        const task = tasks.shift();
        waiting.delete(key);
        if (task === undefined) continue;
        if (tasks.length > 0) waiting.set(key, tasks);
        count -= 1;
        return { key, task };
      }
      return undefined;
    },

    /** Rejects the task where there is no room for it. */
    add(key: string, task: Task): void {
      const tasks = waiting.get(key) ?? [];
      const hasRoom = tasks.length < waitingPerKeyMax && (count < waitingMax || makeRoom(tasks.length));
      if (!hasRoom) {
        task.reject(new QueueFullError(`${tasks.length} tasks of this key wait, ${count} in all`));
        return;
      }
      tasks.push(task);
      count += 1;
      if (tasks.length === 1) waiting.set(key, tasks);
    },
  };
}
