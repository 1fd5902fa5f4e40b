import { LRUCache } from 'lru-cache';
import { HttpError } from '../http/errors.ts';
import type { CallRate, ProxyLimits, VerifiedUser } from './contract.ts';

/** Users whose rate is remembered; the one that called longest ago is forgotten first. */
const USERS_MAX = 100_000;

export type Admission = {
  /** Counts a call in, or throws `overloaded`. Comes before any work on the call. */
  enter(): void;
  leave(): void;
  /** Throws `rate_limited` with the seconds to wait. */
  spend(user: VerifiedUser): void;
  /** Counts a call to a provider in, or throws `overloaded`: one slow provider cannot hold every slot. */
  enterOrigin(origin: string): void;
  leaveOrigin(origin: string): void;
};

/** Guards of one process against more work than it can hold. All counters are in memory and bounded. */
export function createAdmission(limits: ProxyLimits, now: () => number): Admission {
  const maxConcurrent = limits.maxConcurrent ?? Number.POSITIVE_INFINITY;
  const maxPerOrigin = limits.maxConcurrentPerOrigin ?? Number.POSITIVE_INFINITY;
  const origins = new Map<string, number>();
  let inFlight = 0;

  return {
    enter() {
      if (inFlight >= maxConcurrent)
        throw overloaded('The gateway has as many calls in flight as it may have.');
      inFlight += 1;
    },
    leave() {
      inFlight -= 1;
    },
    spend: createUserRate(limits, now),
    enterOrigin(origin) {
      if (maxPerOrigin === Number.POSITIVE_INFINITY) return;
      const calls = origins.get(origin) ?? 0;
      if (calls >= maxPerOrigin) throw overloaded('Too many calls to this provider are in flight.');
      origins.set(origin, calls + 1);
    },
    leaveOrigin(origin) {
      const calls = origins.get(origin) ?? 0;
      if (calls > 1) origins.set(origin, calls - 1);
      else origins.delete(origin);
    },
  };
}

function overloaded(detail: string): HttpError {
  return new HttpError('overloaded', { detail, headers: { 'Retry-After': '1' } });
}

/**
 * The generic cell rate algorithm: one number per user, the time at which the bucket will be empty again. Bursts up to
 * the whole window's calls pass, the long-term rate is exact.
 */
function createUserRate(
  { perUserRate, projectRate }: ProxyLimits,
  now: () => number,
): (user: VerifiedUser) => void {
  const buckets = new LRUCache<string, { emptyAtMs: number }>({ max: USERS_MAX });
  return (user) => {
    const rate = projectRate?.(user.projectId) ?? perUserRate;
    if (rate === undefined) return;
    const windowMs = rate.windowSeconds * 1000;
    const costMs = windowMs / rate.calls;
    const key = `${user.projectId} ${user.subject}`;
    const nowMs = now();
    const bucket = buckets.get(key);
    const next = Math.max(bucket?.emptyAtMs ?? 0, nowMs) + costMs;
    const waitMs = next - nowMs - windowMs;
    if (waitMs > 0) throw rateLimited(rate, waitMs);
    if (bucket) bucket.emptyAtMs = next;
    else buckets.set(key, { emptyAtMs: next });
  };
}

/** Field names and syntax of draft-ietf-httpapi-ratelimit-headers. */
function rateLimited(rate: CallRate, waitMs: number): HttpError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new HttpError('rate_limited', {
    headers: {
      'Retry-After': String(seconds),
      'RateLimit-Policy': `"user";q=${rate.calls};w=${rate.windowSeconds}`,
      RateLimit: `"user";r=0;t=${seconds}`,
    },
  });
}
