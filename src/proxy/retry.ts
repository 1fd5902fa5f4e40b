/** Statuses that a caller can ask to have retried: all of them say "later". */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** RFC 9110 section 9.2.1. Only these are sent again unasked, when a reused connection turns out to be dead. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A wait longer than this is the caller's to decide: the answer is passed on instead. */
const WAIT_MS_MAX = 30_000;
const BACKOFF_FIRST_MS = 250;
const BACKOFF_MS_MAX = 8_000;

/** Body bytes kept for a repeat. */
export const REPLAY_BYTES_MAX = 64 * 1024;

/** Dead connections that one call may meet; each is a reused one, so that there are never many. */
export const STALE_RETRIES_MAX = 3;

/** The number in `Gateway-Retry`: 0 when absent, undefined when it is not a single digit from 0 to 5. */
export function readRetryCount(field: string | undefined): number | undefined {
  if (field === undefined) return 0;
  return /^[0-5]$/.test(field) ? Number(field) : undefined;
}

export function isRetryableStatus(status: number): boolean {
  return RETRYABLE.has(status);
}

export function isSafeMethod(method: string): boolean {
  return SAFE.has(method);
}

/**
 * Milliseconds to wait before retry number `retry` (from 0): what the provider asks for, else exponential back-off with
 * full jitter. Undefined when the provider asks for too long a wait.
 */
export function retryDelayMs(options: {
  readonly retry: number;
  /** What the answer asks for, in milliseconds. */
  readonly askedMs: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}): number | undefined {
  const { askedMs } = options;
  if (askedMs !== undefined) return askedMs <= WAIT_MS_MAX ? askedMs : undefined;
  return Math.floor(options.random * Math.min(BACKOFF_FIRST_MS * 2 ** options.retry, BACKOFF_MS_MAX));
}
