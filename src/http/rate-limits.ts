import type { ServerResponse } from 'node:http';
import type { RateLimit, RateLimiter } from '../lib/rate-limit.ts';
import { HttpError } from './errors.ts';

/** `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers, for one policy named "default". */
export function rateLimitHeaders(limiter: RateLimiter, state: RateLimit): Record<string, string> {
  return {
    'RateLimit-Policy': `"default";q=${limiter.limit};w=${limiter.windowSeconds}`,
    RateLimit: `"default";r=${state.remaining};t=${state.resetSeconds}`,
  };
}

/** Counts the request and says in the response where the caller stands. Throws `rate_limited` with `Retry-After`. */
export function spendRequest(limiter: RateLimiter, key: string, response: ServerResponse): void {
  const state = limiter.check(key);
  for (const [name, value] of Object.entries(rateLimitHeaders(limiter, state)))
    response.setHeader(name, value);
  if (!state.allowed) throw rateLimitedError(state);
}

/** The refusal of a request that is over its limit; `headers` are the limit's own where no reply has them yet. */
export function rateLimitedError(state: RateLimit, headers: Record<string, string> = {}): HttpError {
  return new HttpError('rate_limited', {
    headers: { ...headers, 'Retry-After': String(state.retryAfterSeconds) },
  });
}
