const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The pauses between the attempts of one delivery; the first is made at once. */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

export const ATTEMPTS_MAX = PAUSES_MS.length + 1;
/** Up to so much later than the schedule says, so that what failed together does not come again together. */
const JITTER = 0.2;
/** The longest `Retry-After` that is followed. */
const RETRY_AFTER_MAX_MS = DAY_MS;

/** A destination whose attempts failed so often in a row is only probed from then on. */
export const FAILURES_UNTIL_PROBING = 3;
const FIRST_PROBE_MS = 5 * SECOND_MS;
const LONGEST_PROBE_PAUSE_MS = 5 * MINUTE_MS;

/** A destination that took nothing for so long is disabled. */
const FAILING_LIMIT_MS = 5 * DAY_MS;
/** Longer than any pause between attempts: failures so far apart are not one row of failures. */
const FAILURES_APART_MS = 2 * DAY_MS;

/** When the next attempt of a delivery is due after `attemptsMade` of them; undefined: there is none any more. */
export function nextAttemptAt(
  attemptsMade: number,
  { nowMs, random, retryAfterMs = 0 }: { nowMs: number; random: number; retryAfterMs?: number | undefined },
): Date | undefined {
  const pauseMs = PAUSES_MS[attemptsMade - 1];
  if (pauseMs === undefined) return undefined;
  const asked = Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
  return new Date(nowMs + Math.max(pauseMs * (1 + random * JITTER), asked));
}

/** Until when a destination gets nothing at all because it asked for a pause (429 or 503 with `Retry-After`). */
export function holdAskedFor(retryAfterMs: number, nowMs: number): Date {
  return new Date(nowMs + Math.min(retryAfterMs, RETRY_AFTER_MAX_MS));
}

/** When a failing destination is tried again: with one delivery, however many wait. */
export function nextProbeAt(failures: number, { nowMs, random }: { nowMs: number; random: number }): Date {
  const doublings = Math.min(Math.max(0, failures - FAILURES_UNTIL_PROBING), 10);
  const pauseMs = Math.min(FIRST_PROBE_MS * 2 ** doublings, LONGEST_PROBE_PAUSE_MS);
  return new Date(nowMs + pauseMs * (1 + random * JITTER));
}

export type Health = {
  /** Failed attempts since the last success. */
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly lastFailureAt: Date | null;
};

/** The health of a destination after one more failure. */
export function afterFailure(health: Health, nowMs: number): Health & { readonly lastFailureAt: Date } {
  const isFarApart = nowMs - (health.lastFailureAt?.getTime() ?? nowMs) > FAILURES_APART_MS;
  const at = new Date(nowMs);
  return {
    failures: health.failures + 1,
    failingSince: isFarApart ? at : (health.failingSince ?? at),
    lastFailureAt: at,
  };
}

/** Whether the destination has failed for so long that it is given up. */
export function hasFailedTooLong({ failingSince }: Pick<Health, 'failingSince'>, nowMs: number): boolean {
  return failingSince !== null && nowMs - failingSince.getTime() >= FAILING_LIMIT_MS;
}
