import type { ServerResponse } from 'node:http';
import type { Rate, RateLimit, RateLimiter } from '../lib/rate-limit.ts';
import type { SharedLimiter } from '../platform/limits/shared-limits.ts';
import { HttpError } from './errors.ts';

type RateLimitHeaders = Record<'RateLimit-Policy' | 'RateLimit', string>;

/** `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers, for one policy named "default". */
export function rateLimitHeaders(limiter: Rate, state: RateLimit): RateLimitHeaders {
  return {
    'RateLimit-Policy': `"default";q=${limiter.limit};w=${limiter.windowSeconds}`,
    RateLimit: `"default";r=${state.remaining};t=${state.resetSeconds}`,
  };
}

/** Counts the request and says in the response where the caller stands. Throws `rate_limited` with `Retry-After`. */
export function spendRequest(limiter: RateLimiter, key: string, response: ServerResponse): void {
  const state = limiter.check(key);
  setRateFields(limiter, state, response);
  if (!state.allowed) throw rateLimitedError(state);
}

/** The refusal of a request that is over its limit; `headers` are the limit's own where no reply has them yet. */
export function rateLimitedError(state: RateLimit, headers: Record<string, string> = {}): HttpError {
  return new HttpError('rate_limited', {
    headers: { ...headers, 'Retry-After': String(state.retryAfterSeconds) },
  });
}

/** The same for a limit that all processes hold together. */
export async function spendShared(
  limiter: SharedLimiter,
  key: string,
  response: ServerResponse,
): Promise<void> {
  const state = await limiter.check(key);
  setRateFields(limiter, state, response);
  if (!state.allowed) throw rateLimitedError(state);
}

function setRateFields(rate: Rate, state: RateLimit, response: ServerResponse): void {
  for (const [name, value] of Object.entries(rateLimitHeaders(rate, state))) response.setHeader(name, value);
}
