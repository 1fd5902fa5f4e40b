import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';

const PAUSE_FIRST_MS = 50;
const PAUSE_MS_MAX = 2_000;

export type OutcomeWrites = ReturnType<typeof createOutcomeWrites>;

/**
 * Writes that are tried until the store takes them, for as long as the process lives: what a provider has answered, and
 * claims that are taken back. Those of one connection run in their order. Each may run again although it had been done.
 */
export function createOutcomeWrites() {
  const tails = new Map<string, Promise<unknown>>();
  const stopped = Promise.withResolvers<void>();
  let isStopped = false;

  async function tryUntilStored<T>(write: () => Promise<T>, isTriedAlways: boolean): Promise<T> {
    for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
      const isLast = isStopped;
      try {
        return await withoutStoreLimit(write);
      } catch (error) {
        if (isLast || !(isTriedAlways || isTransientStoreError(error))) throw error;
      }
      await pause(pauseMs);
    }
  }

  async function pause(pauseMs: number): Promise<void> {
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, pauseMs);
    await Promise.race([over.promise, stopped.promise]);
    clearTimeout(timer);
  }

  return {
    /**
     * What `write` gives, once the store has taken it. Rejects where the fault is not the store's, unless
     * `isTriedAlways`, and with the last error after `stop`.
     */
    add<T>(connectionId: string, write: () => Promise<T>, { isTriedAlways = false } = {}): Promise<T> {
      const before = tails.get(connectionId);
      const run = () => tryUntilStored(write, isTriedAlways);
      const written = before === undefined ? run() : before.then(run, run);
      tails.set(connectionId, written);
      const end = () => {
        if (tails.get(connectionId) === written) tails.delete(connectionId);
      };
      written.then(end, end);
      return written;
    },

    has: (connectionId: string): boolean => tails.has(connectionId),

    /** The last write of each connection. */
    pending: (): readonly Promise<unknown>[] => [...tails.values()],

    /** Each write under way is tried once more and then given up. */
    stop(): void {
      isStopped = true;
      stopped.resolve();
    },
  };
}
