import { LRUCache } from 'lru-cache';

export type RateLimit = {
  readonly allowed: boolean;
  /** Requests per window. */
  readonly limit: number;
  /** Requests that would be allowed right now. */
  readonly remaining: number;
  /** Until the whole limit is available again. */
  readonly resetSeconds: number;
  /** Until the next request would be allowed; 0 when `allowed`. */
  readonly retryAfterSeconds: number;
};

export type RateLimiter = {
  readonly limit: number;
  readonly windowSeconds: number;
  /** Counts one request of `key`, unless it is over the limit. */
  check(key: string, nowMs?: number): RateLimit;
  /** What `check` would say, without counting. */
  peek(key: string, nowMs?: number): RateLimit;
};

/**
 * The generic cell rate algorithm (ITU-T I.371): one number per key, the time at which its allowance is whole
 * again. It allows bursts of the whole limit and then `limit / windowSeconds` a second, without the double burst
 * that fixed windows allow at their edges. In memory, per process, synchronous, no timers; `keysMax` bounds the
 * memory, and the key that was idle longest is forgotten first.
 *
 * `nowMs` must never go backwards; by default it is the monotonic clock.
 */
export function createRateLimiter(options: {
  limit: number;
  windowSeconds: number;
  keysMax?: number;
}): RateLimiter {
  const { limit, windowSeconds } = options;
  const windowMs = windowSeconds * 1000;
  const intervalMs = windowMs / limit;
  const wholeAtMs = new LRUCache<string, number>({ max: options.keysMax ?? 10_000 });

  function verdict(usedMs: number, wanted: number): RateLimit {
    const allowed = wanted <= windowMs + ROUNDING_MS;
    const heldMs = allowed ? wanted : usedMs;
    return {
      allowed,
      limit,
      remaining: Math.floor((windowMs - heldMs + ROUNDING_MS) / intervalMs),
      resetSeconds: Math.ceil(heldMs / 1000),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((wanted - windowMs) / 1000)),
    };
  }

  return {
    limit,
    windowSeconds,
    check(key, nowMs = performance.now()) {
      const usedMs = Math.max(0, (wholeAtMs.get(key) ?? 0) - nowMs);
      const result = verdict(usedMs, usedMs + intervalMs);
      if (result.allowed) wholeAtMs.set(key, nowMs + usedMs + intervalMs);
      return result;
    },
    peek(key, nowMs = performance.now()) {
      const usedMs = Math.max(0, (wholeAtMs.peek(key) ?? 0) - nowMs);
      return verdict(usedMs, usedMs + intervalMs);
    },
  };
}

/** Sums of fractions such as 60000/7 drift by less than this; without it the last request of a burst may be refused. */
const ROUNDING_MS = 1e-6;
