import { HttpError } from '../http/errors.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';

/** Rejects with `rate_limited` for a user who has begun as many sessions as one may, over all processes. */
export function createUserLimit(
  sharedLimits: Pick<SharedLimits, 'limiter'>,
  limit: number,
): (user: string) => Promise<void> {
  if (limit === 0) return () => Promise.resolve();
  const limiter = sharedLimits.limiter({
    ...{ name: 'connect sessions of a user', limit, windowSeconds: 3_600 },
    isKept: true,
  });
  return async (user) => {
    const { allowed, retryAfterSeconds } = await limiter.check(user);
    if (allowed) return;
    throw new HttpError('rate_limited', {
      detail: `A user may begin ${limit} connect sessions in an hour.`,
      headers: { 'Retry-After': String(retryAfterSeconds) },
    });
  };
}
