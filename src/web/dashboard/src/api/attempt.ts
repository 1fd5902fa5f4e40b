import { findCode, findStatus, UnreachableError } from './problem.ts';
import { untilReachable } from './reachability.ts';

/** What a press of a button has done, however often its requests have to be sent until they are answered. */
export type Attempt = {
  /** The `Idempotency-Key` of a POST: the same for what is sent again, so that it is done once. */
  readonly keyFor: (request: string) => string;
  /** Aborts when the form is gone: what was not sent until then is not sent later. */
  readonly signal: AbortSignal;
  /** The requests may have been done before: what is to be deleted may be gone. */
  readonly isRepeat: boolean;
};

/** Of the function that runs now. */
let current: Attempt | undefined;

/** Calls `send`; the requests that it makes before its first `await` belong to the attempt. */
function callAs<R>(attempt: Attempt, send: () => Promise<R>): Promise<R> {
  current = attempt;
  try {
    return send();
  } finally {
    current = undefined;
  }
}

export function findAttempt(): Attempt | undefined {
  return current;
}

/**
 * One key for each opened form. Another takes its place when the outcome is known, or when something else is sent: a key
 * stands for one request, and a refusal is kept with it.
 */
export function makeKeys() {
  const keys = new Map<string, string>();
  return {
    keyFor: (request: string): string => {
      const key = keys.get(request) ?? makeKey();
      keys.set(request, key);
      return key;
    },
    forget: () => keys.clear(),
  };
}

/** Not `crypto.randomUUID`, which a gateway behind plain HTTP does not have. */
function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether nothing is known of what became of a request that may be sent again. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof UnreachableError) return error.isRepeatable;
  return findCode(error) === 'idempotency_in_progress';
}

const WAIT_MS_MAX = 5 * 60_000;
const IN_PROGRESS_PAUSE_MS = 1_000;

/** Calls `send` again and again until its requests are answered, the form is gone, or five minutes are over. */
export async function sendUntilAnswered<R>(
  { keyFor, signal }: Pick<Attempt, 'keyFor' | 'signal'>,
  send: () => Promise<R>,
): Promise<R> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS_MAX)]);
  for (let isRepeat = false; ; isRepeat = true) {
    try {
      return await callAs({ keyFor, signal, isRepeat }, send);
    } catch (error) {
      if (!isOutcomeUnknown(error) || patience.aborted) throw error;
      // The first of them is still at work, though its answer is lost.
      if (findStatus(error) !== undefined) await pause(IN_PROGRESS_PAUSE_MS);
      else if (!(await untilReachable(patience))) throw error;
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
