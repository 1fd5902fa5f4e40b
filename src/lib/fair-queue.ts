/** What `run` rejects with where the key has as many tasks waiting as it may have, or all keys together have. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

export type FairQueue = {
  /** Runs the task when its turn comes and answers what it answers. Rejects with QueueFullError at once when there is no room. */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
};

type Task = () => Promise<void>;

/**
 * Runs at most `running` tasks at a time. Tasks wait by key, and the keys take turns: a key with a thousand tasks delays
 * the single task of another by one round, not by a thousand.
 */
export function createFairQueue(options: {
  running: number;
  waitingPerKeyMax: number;
  waitingMax: number;
}): FairQueue {
  const { waitingPerKeyMax, waitingMax } = options;
  /** In the order in which keys take their turns. */
  const waiting = new Map<string, Task[]>();
  let waitingCount = 0;
  let free = options.running;

  function take(): Task | undefined {
    const [first] = waiting;
    if (first === undefined) return undefined;
    const [key, tasks] = first;
    const task = tasks.shift();
    waiting.delete(key);
    if (tasks.length > 0) waiting.set(key, tasks);
    waitingCount -= 1;
    return task;
  }

  function start(task: Task): void {
    task().finally(() => {
      const next = take();
      if (next) start(next);
      else free += 1;
    });
  }

  function add(key: string, task: Task): void {
    if (free > 0) {
      free -= 1;
      start(task);
      return;
    }
    const tasks = waiting.get(key) ?? [];
    if (tasks.length >= waitingPerKeyMax || waitingCount >= waitingMax) {
      throw new QueueFullError(`${tasks.length} tasks of this key wait, ${waitingCount} in all`);
    }
    tasks.push(task);
    waitingCount += 1;
    if (tasks.length === 1) waiting.set(key, tasks);
  }

  return {
    run(key, task) {
      return new Promise((resolve, reject) => add(key, () => task().then(resolve, reject)));
    },
  };
}
