import { Worker } from 'node:worker_threads';
import { createFairQueue, QueueFullError } from '../../lib/fair-queue.ts';
import type { ReadDocument } from './read-document.ts';

/** A file of the largest size is read in a second or two. */
const LIMIT_MS = 10_000;
const HEAP_MIB = 128;
/** The thread ends when no file came for so long. */
const IDLE_MS = 5_000;
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
  const readInThread = createReadInThread();
  return (projectId, text) =>
    queue
      .run(projectId, () => readInThread(text))
      .catch((error: unknown) => {
        throw error instanceof QueueFullError ? new YamlBusyError(error.message) : error;
      });
}

type Reader = {
  readonly thread: Worker;
  /** The file under way. */
  job: PromiseWithResolvers<ReadDocument> | undefined;
  isEnded: boolean;
  /** Ends the thread when no file comes. */
  end?: NodeJS.Timeout;
};

/** Reads in one thread, which stays for the next file: to start one costs the event loop more than a small file does. */
function createReadInThread(): (text: string) => Promise<ReadDocument> {
  let idle: Reader | undefined;

  function take(): Reader {
    const reader = idle === undefined || idle.isEnded ? startReader() : idle;
    idle = undefined;
    clearTimeout(reader.end);
    reader.thread.ref();
    return reader;
  }

  function keep(reader: Reader): void {
    reader.thread.unref();
    reader.end = setTimeout(() => void reader.thread.terminate(), IDLE_MS).unref();
    idle = reader;
  }

  return async (text) => {
    const reader = take();
    try {
      const read = await readWith(reader, text);
      keep(reader);
      return read;
    } catch (error) {
      await reader.thread.terminate();
      throw error;
    }
  };
}

function startReader(): Reader {
  const thread = new Worker(new URL('./yaml.thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    env: {},
  });
  const reader: Reader = { thread, job: undefined, isEnded: false };
  thread.on('message', (read: ReadDocument) => reader.job?.resolve(read));
  // A file that needs more memory than the thread has ends the thread, not the gateway.
  thread.on('error', () => reader.job?.reject(new YamlBusyError('the file takes too much memory to read')));
  thread.on('exit', () => {
    reader.isEnded = true;
    reader.job?.reject(new YamlBusyError('the thread has ended'));
  });
  return reader;
}

async function readWith(reader: Reader, text: string): Promise<ReadDocument> {
  const job = Promise.withResolvers<ReadDocument>();
  reader.job = job;
  const limit = setTimeout(() => {
    job.reject(new YamlBusyError('the file takes too long to read'));
  }, LIMIT_MS);
  reader.thread.postMessage(text);
  try {
    return await job.promise;
  } finally {
    clearTimeout(limit);
    reader.job = undefined;
  }
}
