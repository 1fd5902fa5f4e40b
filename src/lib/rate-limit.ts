import { LRUCache } from 'lru-cache';
import { entriesUpTo } from './entries-up-to.ts';

export type Rate = { readonly limit: number; readonly windowSeconds: number };

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

export type RateLimiter = Rate & {
  /** Counts one request of `key`, unless it is over the limit. `rate` is for keys that have one of their own. */
  check(key: string, nowMs?: number, rate?: Rate): RateLimit;
  /** What `check` would say, without counting. */
  peek(key: string, nowMs?: number, rate?: Rate): RateLimit;
};

/**
 * The generic cell rate algorithm (ITU-T I.371): one number per key, the time at which its allowance is whole
 * again. It allows bursts of the whole limit and then `limit / windowSeconds` a second, without the double burst
 * that fixed windows allow at their edges. In memory, per process, synchronous, no timers; `keysMax` bounds the
 * memory, and the key that was idle longest is forgotten first.
 *
 * `nowMs` must never go backwards; by default it is the monotonic clock.
 */
export function createRateLimiter(options: Rate & { readonly keysMax?: number }): RateLimiter {
  const { limit, windowSeconds } = options;
  const own: Rate = { limit, windowSeconds };
  // Objects, so that a known key costs one look-up.
  let made: LRUCache<string, { wholeAtMs: number }> | undefined;
  /** Made when it is first used: a cache takes the room of all of its keys at once, and a gateway has dozens. */
  const buckets = () => {
    made ??= new LRUCache(entriesUpTo(options.keysMax ?? 10_000));
    return made;
  };

  return {
    limit,
    windowSeconds,
    check(key, nowMs = performance.now(), rate = own) {
      const bucket = buckets().get(key);
      const usedMs = Math.max(0, (bucket?.wholeAtMs ?? 0) - nowMs);
      const result = judgeRate(rate, usedMs);
      if (!result.allowed) return result;
      const wholeAtMs = nowMs + usedMs + intervalMs(rate);
      if (bucket) bucket.wholeAtMs = wholeAtMs;
      else buckets().set(key, { wholeAtMs });
      return result;
    },
    peek(key, nowMs = performance.now(), rate = own) {
      return judgeRate(rate, Math.max(0, (made?.peek(key)?.wholeAtMs ?? 0) - nowMs));
    },
  };
}

function intervalMs({ limit, windowSeconds }: Rate): number {
  return (windowSeconds * 1000) / limit;
}

/** Whether one more request fits where so much of the window, in milliseconds, is used. */
export function judgeRate(rate: Rate, usedMs: number): RateLimit {
  const windowMs = rate.windowSeconds * 1000;
  const wantedMs = usedMs + intervalMs(rate);
  const allowed = wantedMs <= windowMs + ROUNDING_MS;
  const heldMs = allowed ? wantedMs : usedMs;
  return {
    allowed,
    limit: rate.limit,
    // A rate that was lowered meanwhile may leave more used than there is.
    remaining: Math.max(0, Math.floor((windowMs - heldMs + ROUNDING_MS) / intervalMs(rate))),
    resetSeconds: Math.ceil(heldMs / 1000),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((wantedMs - windowMs) / 1000)),
  };
}

/** Sums of fractions such as 60000/7 drift by less than this; without it the last request of a burst may be refused. */
const ROUNDING_MS = 1e-6;
