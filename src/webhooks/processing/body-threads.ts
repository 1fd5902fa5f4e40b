import { createFairQueue, QueueFullError } from '../../lib/fair-queue.ts';
import type { Verification, WebhookDescription, WebhookRequest } from '../message/webhook.ts';
import { type EventRange, type ExtractedPart, extractPart } from './body-jobs.ts';
import { createBodyThreadPool } from './body-thread-pool.ts';

/** What is larger is parsed by a thread. A body of this size takes the event loop some ten milliseconds at worst. */
export const LARGE_BODY_BYTES = 256 * 1024;
/** One at a time: a body is read in some 50 ms, and the cores are for other work. */
const THREADS = 1;
/** Bodies that wait to be verified, of 5 MiB each; beyond that senders are asked to come again. */
const WAITING_MAX = 32;
/** Senders need no credential: those of one project must leave places to the others. */
const WAITING_PER_PROJECT_MAX = 12;

/** Extracts the events of a webhook and answers `count` of them from `from` on. */
export type ExtractPart = (
  description: WebhookDescription,
  request: WebhookRequest,
  range: EventRange,
) => Promise<ExtractedPart>;

/** Too many bodies wait to be read. */
export class BodyThreadsBusyError extends Error {
  override readonly name = 'BodyThreadsBusyError';
}

type BodyOwner = {
  readonly projectId: string;
  readonly description: WebhookDescription;
  readonly secrets: readonly string[];
};

export type BodyThreads = ReturnType<typeof createBodyThreads>;

/** Reads large bodies in threads of their own. */
export function createBodyThreads() {
  const pool = createBodyThreadPool(THREADS);
  const verifying = createFairQueue({
    running: THREADS,
    waitingPerKeyMax: WAITING_PER_PROJECT_MAX,
    waitingMax: WAITING_MAX,
  });

  return {
    /** As verifyMessage does, the projects in turns. Rejects with BodyThreadsBusyError where too many wait. */
    async verify(
      { projectId, description, secrets }: BodyOwner,
      request: WebhookRequest,
      nowMs: number,
    ): Promise<Verification> {
      const job = { what: 'verify', description, request, secrets, nowMs } as const;
      const result = await verifying
        .run(projectId, () => pool.run(job))
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
      range: EventRange,
    ): Promise<ExtractedPart> {
      if (request.body.length <= LARGE_BODY_BYTES) return extractPart(description, request, range);
      const { from, count } = range;
      const result = await pool.run({ what: 'extract', description, request, from, count });
      if (result.what !== 'extract') throw new Error('a thread has answered something else');
      return result.part;
    },

    close: pool.close,
  };
}
