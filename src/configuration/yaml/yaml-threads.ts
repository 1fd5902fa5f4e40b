import { Worker } from 'node:worker_threads';
import { createFairQueue, QueueFullError } from '../../lib/fair-queue.ts';
import type { ReadDocument } from './read-document.ts';

/** A file of the largest size is read in a second or two. */
const LIMIT_MS = 10_000;
const HEAP_MIB = 128;
/** One at a time: the cores are for proxied calls. */
const THREADS = 1;
const WAITING_MAX = 32;
const WAITING_PER_PROJECT_MAX = 8;

/** The file takes too long to read, or too many files wait. */
export class YamlBusyError extends Error {
  override readonly name = 'YamlBusyError';
}

export type ReadYaml = (projectId: string, text: string) => Promise<ReadDocument>;

/** Reads files in a thread of their own, the projects in turns. Rejects with YamlBusyError. */
export function createReadYaml(): ReadYaml {
  const queue = createFairQueue({
    running: THREADS,
    waitingPerKeyMax: WAITING_PER_PROJECT_MAX,
    waitingMax: WAITING_MAX,
  });
  return (projectId, text) =>
    queue
      .run(projectId, () => readInThread(text))
      .catch((error: unknown) => {
        throw error instanceof QueueFullError ? new YamlBusyError(error.message) : error;
      });
}

function readInThread(text: string): Promise<ReadDocument> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadDocument>();
  const thread = new Worker(new URL('./yaml.thread.ts', import.meta.url), {
    workerData: text,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    env: {},
  });
  const limit = setTimeout(() => {
    reject(new YamlBusyError('the file takes too long to read'));
  }, LIMIT_MS);
  thread.once('message', (read: ReadDocument) => resolve(read));
  // A file that needs more memory than the thread has ends the thread, not the gateway.
  thread.once('error', () => reject(new YamlBusyError('the file takes too much memory to read')));
  thread.once('exit', () => reject(new YamlBusyError('the thread has ended')));
  return promise.finally(() => {
    clearTimeout(limit);
    return thread.terminate();
  });
}
