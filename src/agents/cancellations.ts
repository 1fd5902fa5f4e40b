import type { EndSignal } from '../proxy/call-held.ts';
import type { VerifiedUser } from '../proxy/contract.ts';

/**
 * By what a cancellation finds its call. Undefined where the client has no session: the ids of clients are alike (1, 2, 3), and
 * one would cancel the call of another.
 */
export function readCallKey(
  { projectId, subject }: Pick<VerifiedUser, 'projectId' | 'subject'>,
  sessionId: unknown,
  id: unknown,
): string | undefined {
  if (typeof sessionId !== 'string' || sessionId === '') return undefined;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  return JSON.stringify([projectId, subject, sessionId, id]);
}

export type Cancellations = ReturnType<typeof createCancellations>;

/**
 * Calls under way, for clients of revisions before 2026-07-28, which cancel one by a message of its own; later clients close the
 * connection. A call that another process carries is not found, and goes on.
 */
export function createCancellations() {
  const ends = new Map<string, () => void>();
  return {
    /** The signal of the call, whose listener also hears of a cancellation. */
    watch(key: string | undefined, signal: EndSignal): EndSignal {
      if (key === undefined) return signal;
      return {
        addEventListener(type, listener, options) {
          signal.addEventListener(type, listener, options);
          ends.set(key, listener);
        },
        removeEventListener(type, listener) {
          signal.removeEventListener(type, listener);
          // Another call with the same id has taken its place, and may be cancelled still.
          if (ends.get(key) === listener) ends.delete(key);
        },
      };
    },

    cancel(key: string | undefined): void {
      if (key !== undefined) ends.get(key)?.();
    },
  };
}
