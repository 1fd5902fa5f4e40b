/** How long a request that timed out is listened to. */
export const LATE_ANSWER_MS = 10 * 60_000;
/** The longest pause before a refresh that failed is tried again. */
export const RETRY_MS_MAX = 30_000;
/**
 * A token endpoint that refuses a token in words of its own is asked less often: it is unlikely to accept the token
 * later.
 */
export const REFUSED_RETRY_MS_MAX = 300_000;

/** Full jitter between one second and `mostMs`: a dead provider is asked often enough to heal quickly. */
export function backoffMs(failures: number, random: number, mostMs: number = RETRY_MS_MAX): number {
  return Math.max(1_000, Math.round(random * Math.min(mostMs, 1_000 * 2 ** Math.min(failures + 1, 10))));
}

/**
 * When to refresh ahead of expiry: in the last fifth of the token's life, ten minutes at the most, with a spread per
 * connection so that tokens issued together are not refreshed together. All in milliseconds; `spread` in [0, 1).
 */
export function defaultRefreshMarginMs(lifetimeSeconds: number | null, spread: number): number {
  const lifetimeMs = (lifetimeSeconds ?? 3600) * 1000;
  return Math.min(600_000, lifetimeMs / 5) * (0.5 + spread / 2);
}
