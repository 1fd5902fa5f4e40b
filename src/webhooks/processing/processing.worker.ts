import { setTimeout as delay } from 'node:timers/promises';
import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import type { ProcessingRun } from './process-receipts.ts';

/** Projects whose receipts this process works on at the same time. */
const PROJECTS_AT_ONCE = 2;
/** Another process works on the project now; it may have begun before the receipt came. */
const BUSY_MS = 50;
const STORE_AWAY_MS = 1_000;

type ProcessingWorkerDeps = {
  /** Processes some receipts of the project, `receiptsMax` at most. */
  process(projectId: string, receiptsMax?: number): Promise<ProcessingRun>;
  /** Postpones the receipt that stands first, since it cannot be processed. */
  postponeFirst(projectId: string, error: unknown): Promise<void>;
  /** How long to rest after so much work, while receipts wait for the store. */
  restMs(workedMs: number): number;
  readonly log: { warn(fields: object, message: string): void };
};

/**
 * Processes receipts in the background: some of a project at a time, one project after the other, so that a busy one
 * holds up no other.
 */
export function createProcessingWorker(deps: ProcessingWorkerDeps) {
  const queue = new Set<string>();
  /** Projects under way. A kick meanwhile puts them into the queue once more. */
  const active = new Set<string>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const loops = new Set<Promise<void>>();

  function findNext(): string | undefined {
    for (const projectId of queue) if (!active.has(projectId)) return projectId;
    return undefined;
  }

  async function work(): Promise<void> {
    for (let projectId = findNext(); projectId !== undefined && !signal.aborted; projectId = findNext()) {
      queue.delete(projectId);
      active.add(projectId);
      try {
        if (await processSome(deps, projectId, signal)) queue.add(projectId);
      } finally {
        active.delete(projectId);
      }
    }
  }

  function startLoops(): void {
    while (loops.size < PROJECTS_AT_ONCE && findNext() !== undefined && !signal.aborted) {
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

/** True where more receipts may wait. */
async function processSome(
  deps: ProcessingWorkerDeps,
  projectId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const beganAtMs = performance.now();
  try {
    const run = await deps.process(projectId);
    const restMs = run === 'more' ? deps.restMs(performance.now() - beganAtMs) : 0;
    return restMs > 0 ? pause(restMs, signal) : await hasMore(run, signal);
  } catch (error) {
    if (isTransientStoreError(error)) return pause(STORE_AWAY_MS, signal);
    return processFirst(deps, projectId, signal);
  }
}

/** One receipt of several could not be processed: alone, it holds up no other. */
async function processFirst(
  deps: ProcessingWorkerDeps,
  projectId: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await hasMore(await deps.process(projectId, 1), signal);
  } catch (error) {
    if (isTransientStoreError(error)) return pause(STORE_AWAY_MS, signal);
    await deps.postponeFirst(projectId, error).catch((failure: unknown) => {
      deps.log.warn({ err: failure, projectId }, 'a webhook that cannot be split could not be put off');
    });
    return true;
  }
}

async function hasMore(run: ProcessingRun, signal: AbortSignal): Promise<boolean> {
  return run === 'busy' ? pause(BUSY_MS, signal) : run === 'more';
}

async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
  return true;
}
