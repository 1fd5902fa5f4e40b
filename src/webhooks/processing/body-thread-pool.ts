import { Worker } from 'node:worker_threads';
import type { BodyJob, BodyResult } from './body-jobs.ts';

/** A thread that needs more ends, and with it the job that did. */
const HEAP_MIB = 256;

type Waiting = { readonly job: BodyJob; readonly done: PromiseWithResolvers<BodyResult> };

/** Runs jobs in the order in which they come, at most `size` at a time. Threads start with the first job. */
export function createBodyThreadPool(size: number) {
  const queue: Waiting[] = [];
  const idle: Worker[] = [];
  const active = new Map<Worker, Waiting>();
  let lastId = 0;

  function startNext(): void {
    if (queue.length === 0 || active.size >= size) return;
    const waiting = queue.shift();
    if (waiting === undefined) return;
    const thread = idle.pop() ?? startThread(finish, end);
    active.set(thread, waiting);
    thread.ref();
    lastId += 1;
    thread.postMessage({ id: lastId, job: waiting.job });
  }

  function finish(thread: Worker, result: BodyResult): void {
    active.get(thread)?.done.resolve(result);
    active.delete(thread);
    // A process that has nothing else to do may end.
    thread.unref();
    idle.push(thread);
    startNext();
  }

  function end(thread: Worker, error: unknown): void {
    active.get(thread)?.done.reject(error);
    active.delete(thread);
    const at = idle.indexOf(thread);
    if (at >= 0) idle.splice(at, 1);
    startNext();
  }

  return {
    /** Rejects where the thread ends before the job does. */
    run(job: BodyJob): Promise<BodyResult> {
      const done = Promise.withResolvers<BodyResult>();
      queue.push({ job, done });
      startNext();
      return done.promise;
    },

    async close(): Promise<void> {
      await Promise.all([...idle, ...active.keys()].map((thread) => thread.terminate()));
    },
  };
}

function startThread(
  finish: (thread: Worker, result: BodyResult) => void,
  end: (thread: Worker, error: unknown) => void,
): Worker {
  const thread = new Worker(new URL('./body.thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    env: {},
  });
  thread.on('message', ({ result }: { result: BodyResult }) => finish(thread, result));
  thread.on('error', (error) => end(thread, error));
  thread.on('exit', () => end(thread, new Error('the thread that read a webhook has ended')));
  return thread;
}
