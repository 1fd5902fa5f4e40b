import type { EndSignal } from '../proxy/call-held.ts';
import type { VerifiedUser } from '../proxy/contract.ts';

/** What a call of a session is known by; undefined where the client has no session, and its ids are like those of others. */
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
 * Calls under way that their client cancels by another message, as revisions before 2026-07-28 have it: later clients leave.
 * A call that another process carries is not found, and goes on.
 */
export function createCancellations() {
  const ends = new Map<string, () => void>();
  return {
    /** The signal, which comes where the client cancels the call as well. */
    watch(key: string | undefined, signal: EndSignal): EndSignal {
      if (key === undefined) return signal;
      return {
        addEventListener(type, listener, options) {
          signal.addEventListener(type, listener, options);
          ends.set(key, listener);
        },
        removeEventListener(type, listener) {
          signal.removeEventListener(type, listener);
          ends.delete(key);
        },
      };
    },

    cancel(key: string | undefined): void {
      if (key !== undefined) ends.get(key)?.();
    },
  };
}
