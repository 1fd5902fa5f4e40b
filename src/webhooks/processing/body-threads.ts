import { Worker } from 'node:worker_threads';
import { createFairQueue, QueueFullError } from '../../lib/fair-queue.ts';
import type { Verification, WebhookDescription, WebhookItem, WebhookRequest } from '../message/webhook.ts';
import { extractEvents } from './extract-events.ts';

/** What is larger is parsed by a thread. A body of this size takes the event loop some ten milliseconds at worst. */
export const LARGE_BODY_BYTES = 256 * 1024;
/** One at a time: a body is read in some 50 ms, and the cores are for other work. */
const THREADS = 1;
/** Bodies that wait to be verified, of 5 MiB each; beyond that senders are asked to come again. */
const WAITING_MAX = 32;
/** Senders need no credential: those of one project must leave places to the others. */
const WAITING_PER_PROJECT_MAX = 12;
/** A thread that needs more ends, and with it the job that did. */
const HEAP_MIB = 256;

type Request = Omit<WebhookRequest, 'body'> & { readonly body: Uint8Array<ArrayBufferLike> };

/** Some of the events of a webhook, and how many there are. */
export type ExtractedPart =
  | { readonly ok: true; readonly items: readonly WebhookItem[]; readonly total: number }
  | { readonly ok: false; readonly reason: string };

export type BodyJob = { readonly description: WebhookDescription; readonly request: Request } & (
  | { readonly what: 'verify'; readonly secrets: readonly string[]; readonly nowMs: number }
  | { readonly what: 'extract'; readonly from: number; readonly count: number }
);

export type BodyResult =
  | { readonly what: 'verify'; readonly verification: Verification }
  | { readonly what: 'extract'; readonly part: ExtractedPart };

/** Extracts the events of a webhook and answers `count` of them from `from` on. */
export type ExtractPart = (
  description: WebhookDescription,
  request: WebhookRequest,
  range: { readonly from: number; readonly count: number },
) => Promise<ExtractedPart>;

/** Too many bodies wait to be read. */
export class BodyThreadsBusyError extends Error {
  override readonly name = 'LargeBodiesBusyError';
}

type Waiting = { readonly job: BodyJob; readonly done: PromiseWithResolvers<BodyResult> };

type BodyOwner = {
  readonly projectId: string;
  readonly description: WebhookDescription;
  readonly secrets: readonly string[];
};

export type BodyThreads = ReturnType<typeof createBodyThreads>;

/** Some of the events of a webhook, extracted in this thread. */
export function extractPart(
  description: WebhookDescription,
  request: WebhookRequest,
  { from, count }: { readonly from: number; readonly count: number },
): ExtractedPart {
  const extracted = extractEvents(description, request);
  if (!extracted.ok) return extracted;
  const { items } = extracted;
  return { ok: true, items: items.slice(from, from + count), total: items.length };
}

/** Reads large bodies in threads of their own, which start with the first one. */
export function createBodyThreads() {
  const queue: Waiting[] = [];
  const idle: Worker[] = [];
  const active = new Map<Worker, Waiting>();
  const verifying = createFairQueue({
    running: THREADS,
    waitingPerKeyMax: WAITING_PER_PROJECT_MAX,
    waitingMax: WAITING_MAX,
  });
  let lastId = 0;

  function run(job: BodyJob): Promise<BodyResult> {
    const done = Promise.withResolvers<BodyResult>();
    queue.push({ job, done });
    startNext();
    return done.promise;
  }

  function startNext(): void {
    if (queue.length === 0 || active.size >= THREADS) return;
    const waiting = queue.shift();
    if (waiting === undefined) return;
    const thread = idle.pop() ?? createThread();
    active.set(thread, waiting);
    thread.ref();
    lastId += 1;
    thread.postMessage({ id: lastId, job: waiting.job });
  }

  function createThread(): Worker {
    const thread = new Worker(new URL('./body.thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
      env: {},
    });
    thread.on('message', ({ result }: { result: BodyResult }) => {
      active.get(thread)?.done.resolve(result);
      active.delete(thread);
      // A process that has nothing else to do may end.
      thread.unref();
      idle.push(thread);
      startNext();
    });
    thread.on('error', (error) => end(thread, error));
    thread.on('exit', () => end(thread, new Error('the thread that read a webhook has ended')));
    return thread;
  }

  function end(thread: Worker, error: unknown): void {
    active.get(thread)?.done.reject(error);
    active.delete(thread);
    const at = idle.indexOf(thread);
    if (at >= 0) idle.splice(at, 1);
    startNext();
  }

  return {
    /** As verifyMessage does, the projects in turns. Rejects with LargeBodiesBusyError where too many wait. */
    async verify(
      { projectId, description, secrets }: BodyOwner,
      request: WebhookRequest,
      nowMs: number,
    ): Promise<Verification> {
      const job = { what: 'verify', description, request, secrets, nowMs } as const;
      const result = await verifying
        .run(projectId, () => run(job))
        .catch((error: unknown) => {
          throw error instanceof QueueFullError ? new BodyThreadsBusyError(error.message) : error;
        });
      if (result.what !== 'verify') throw new Error('a thread has answered something else');
      return result.verification;
    },

    /** A small body is read at once. Few projects are processed at a time, so that none of them is refused. */
    async extract(
      description: WebhookDescription,
      request: WebhookRequest,
      range: { readonly from: number; readonly count: number },
    ): Promise<ExtractedPart> {
      if (request.body.length <= LARGE_BODY_BYTES) return extractPart(description, request, range);
      const { from, count } = range;
      const result = await run({ what: 'extract', description, request, from, count });
      if (result.what !== 'extract') throw new Error('a thread has answered something else');
      return result.part;
    },

    async close(): Promise<void> {
      await Promise.all([...idle, ...active.keys()].map((thread) => thread.terminate()));
    },
  };
}
