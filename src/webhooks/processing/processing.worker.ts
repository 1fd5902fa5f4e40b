import { setTimeout as delay } from 'node:timers/promises';
import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import type { ProcessingRun } from './process-receipts.ts';

/** Projects whose receipts are split at the same time by this process. */
const PROJECTS_AT_ONCE = 2;
/** Another process splits this project at the moment; it may have begun before the receipt came. */
const BUSY_MS = 50;
const STORE_AWAY_MS = 1_000;

export type ProcessingWorker = ReturnType<typeof createProcessingWorker>;

/**
 * Splits receipts in the background: some of a project at a time, one project after the other, so that a busy one holds
 * up no other.
 */
export function createProcessingWorker(deps: {
  /** Splits some receipts of the project, `receiptsMax` at most. */
  process(projectId: string, receiptsMax?: number): Promise<ProcessingRun>;
  /** Puts off the receipt that stands first, since it cannot be split. */
  postponeFirst(projectId: string, error: unknown): Promise<void>;
  log: { warn(fields: object, message: string): void };
}) {
  const queue = new Set<string>();
  /** Projects being split. A kick meanwhile puts them into the queue once more. */
  const active = new Set<string>();
  const stopping = new AbortController();
  const loops = new Set<Promise<void>>();

  function findNext(): string | undefined {
    for (const projectId of queue) if (!active.has(projectId)) return projectId;
    return undefined;
  }

  async function work(): Promise<void> {
    for (
      let projectId = findNext();
      projectId !== undefined && !stopping.signal.aborted;
      projectId = findNext()
    ) {
      queue.delete(projectId);
      active.add(projectId);
      try {
        if (await processSome(projectId)) queue.add(projectId);
      } finally {
        active.delete(projectId);
      }
    }
  }

  /** True where there may be more to split. */
  async function processSome(projectId: string): Promise<boolean> {
    try {
      return await hasMore(await deps.process(projectId));
    } catch (error) {
      if (isTransientStoreError(error)) return pause(STORE_AWAY_MS);
      return processOneByOne(projectId);
    }
  }

  async function hasMore(run: ProcessingRun): Promise<boolean> {
    return run === 'busy' ? pause(BUSY_MS) : run === 'more';
  }

  /** One receipt of several could not be split: alone, it holds up no other. */
  async function processOneByOne(projectId: string): Promise<boolean> {
    try {
      return await hasMore(await deps.process(projectId, 1));
    } catch (error) {
      if (isTransientStoreError(error)) return pause(STORE_AWAY_MS);
      await deps.postponeFirst(projectId, error).catch((failure: unknown) => {
        deps.log.warn({ err: failure, projectId }, 'a webhook that cannot be split could not be put off');
      });
      return true;
    }
  }

  async function pause(ms: number): Promise<boolean> {
    await delay(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    return true;
  }

  function startLoops(): void {
    while (loops.size < PROJECTS_AT_ONCE && findNext() !== undefined && !stopping.signal.aborted) {
      // No request's time limit applies to it.
      const loop = withoutStoreLimit(work).finally(() => {
        loops.delete(loop);
        startLoops();
      });
      loops.add(loop);
    }
  }

  return {
    /** The project has receipts that wait. */
    kick(projectId: string): void {
      queue.add(projectId);
      startLoops();
    },
    /** Begins no further transaction, and waits for those under way. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}
