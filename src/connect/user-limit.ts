import { HttpError } from '../http/errors.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';

/** Throws `rate_limited` for a user who has begun as many sessions as one may. */
export function createUserLimit(limit: number): (user: string) => void {
  if (limit === 0) return () => undefined;
  const limiter = createRateLimiter({ limit, windowSeconds: 3_600 });
  return (user) => {
    const { allowed, retryAfterSeconds } = limiter.check(user);
    if (allowed) return;
    throw new HttpError('rate_limited', {
      detail: `A user may begin ${limit} connect sessions in an hour.`,
      headers: { 'Retry-After': String(retryAfterSeconds) },
    });
  };
}
