import { setTimeout as delay } from 'node:timers/promises';
import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import type { SplitRun } from './process-receipts.ts';

/** Projects whose receipts are split at the same time by this process. */
const PROJECTS_AT_ONCE = 2;
/** Another process splits this project at the moment; it may have begun before the receipt came. */
const BUSY_MS = 50;
const STORE_AWAY_MS = 1_000;

export type Splitter = ReturnType<typeof createSplitter>;

/**
 * Splits receipts in the background: some of a project at a time, one project after the other, so that a busy one holds
 * up no other.
 */
export function createSplitter(deps: {
  /** Splits some receipts of the project, `receiptsMax` at most. */
  split(projectId: string, receiptsMax?: number): Promise<SplitRun>;
  /** Puts off the receipt that stands first, since it cannot be split. */
  putOffFirst(projectId: string, error: unknown): Promise<void>;
  log: { warn(fields: object, message: string): void };
}) {
  const queue = new Set<string>();
  /** Projects being split. A kick meanwhile puts them into the queue once more. */
  const active = new Set<string>();
  const stopping = new AbortController();
  const workers = new Set<Promise<void>>();

  function next(): string | undefined {
    for (const projectId of queue) if (!active.has(projectId)) return projectId;
    return undefined;
  }

  async function work(): Promise<void> {
    for (let projectId = next(); projectId !== undefined && !stopping.signal.aborted; projectId = next()) {
      queue.delete(projectId);
      active.add(projectId);
      try {
        if (await splitSome(projectId)) queue.add(projectId);
      } finally {
        active.delete(projectId);
      }
    }
  }

  /** True where there may be more to split. */
  async function splitSome(projectId: string): Promise<boolean> {
    try {
      return await reactTo(await deps.split(projectId));
    } catch (error) {
      if (isTransientStoreError(error)) return pause(STORE_AWAY_MS);
      return splitOneByOne(projectId);
    }
  }

  async function reactTo(run: SplitRun): Promise<boolean> {
    return run === 'busy' ? pause(BUSY_MS) : run === 'more';
  }

  /** One receipt of several could not be split: alone, it holds up no other. */
  async function splitOneByOne(projectId: string): Promise<boolean> {
    try {
      return await reactTo(await deps.split(projectId, 1));
    } catch (error) {
      if (isTransientStoreError(error)) return pause(STORE_AWAY_MS);
      await deps.putOffFirst(projectId, error).catch((failure: unknown) => {
        deps.log.warn({ err: failure, projectId }, 'a webhook that cannot be split could not be put off');
      });
      return true;
    }
  }

  async function pause(ms: number): Promise<boolean> {
    await delay(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    return true;
  }

  function startWorkers(): void {
    while (workers.size < PROJECTS_AT_ONCE && next() !== undefined && !stopping.signal.aborted) {
      // No request's time limit applies to it.
      const worker = withoutStoreLimit(work).finally(() => {
        workers.delete(worker);
        startWorkers();
      });
      workers.add(worker);
    }
  }

  return {
    /** The project has receipts that wait. */
    kick(projectId: string): void {
      queue.add(projectId);
      startWorkers();
    },
    /** Begins no further transaction, and waits for those under way. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(workers);
    },
  };
}
