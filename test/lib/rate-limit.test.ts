import fc from 'fast-check';
import { createRateLimiter } from '../../src/lib/rate-limit.ts';

describe('a rate limiter', () => {
  it('allows a burst of the whole limit and then one per interval', () => {
    const limiter = createRateLimiter({ limit: 3, windowSeconds: 60 });
    const remaining = [0, 0, 0].map((nowMs) => limiter.check('a', nowMs).remaining);
    expect(remaining).toEqual([2, 1, 0]);
    expect(limiter.check('a', 0)).toEqual({
      allowed: false,
      limit: 3,
      remaining: 0,
      resetSeconds: 60,
      retryAfterSeconds: 20,
    });
    expect(limiter.check('a', 19_999).allowed).toBe(false);
    expect(limiter.check('a', 20_000).allowed).toBe(true);
    expect(limiter.check('a', 20_001)).toMatchObject({ allowed: false, retryAfterSeconds: 20 });
  });

  it('is whole again after the window', () => {
    const limiter = createRateLimiter({ limit: 3, windowSeconds: 60 });
    for (let count = 0; count < 9; count += 1) limiter.check('a', 0);
    expect(limiter.check('a', 60_000).remaining).toBe(2);
  });

  it('counts keys apart', () => {
    const limiter = createRateLimiter({ limit: 1, windowSeconds: 1 });
    expect(limiter.check('a', 0).allowed).toBe(true);
    expect(limiter.check('b', 0).allowed).toBe(true);
    expect(limiter.check('a', 0).allowed).toBe(false);
  });

  it('says without counting what a check would say', () => {
    const limiter = createRateLimiter({ limit: 1, windowSeconds: 1 });
    expect([limiter.peek('a', 0).allowed, limiter.peek('a', 0).allowed]).toEqual([true, true]);
    limiter.check('a', 0);
    expect(limiter.peek('a', 0).allowed).toBe(false);
  });

  it('forgets the key that was idle longest beyond its bound', () => {
    const limiter = createRateLimiter({ limit: 1, windowSeconds: 60, keysMax: 2 });
    limiter.check('a', 0);
    limiter.check('b', 0);
    limiter.check('a', 0);
    limiter.check('c', 0);
    expect([limiter.peek('a', 0).allowed, limiter.peek('b', 0).allowed]).toEqual([false, true]);
  });

  it('never allows more than twice the limit in any window, and never refuses after the wait it named', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 200 }),
        (limit, windowSeconds, gapsMs) => {
          const limiter = createRateLimiter({ limit, windowSeconds });
          const allowedAtMs: number[] = [];
          let nowMs = 0;
          for (const gapMs of gapsMs) {
            nowMs += gapMs;
            const verdict = limiter.check('k', nowMs);
            if (verdict.allowed) allowedAtMs.push(nowMs);
            else expect(limiter.peek('k', nowMs + verdict.retryAfterSeconds * 1000).allowed).toBe(true);
            expect(verdict.remaining).toBeGreaterThanOrEqual(0);
            expect(verdict.remaining).toBeLessThan(limit);
          }
          for (const startMs of allowedAtMs) {
            const within = allowedAtMs.filter(
              (atMs) => atMs >= startMs && atMs < startMs + windowSeconds * 1000,
            );
            expect(within.length).toBeLessThanOrEqual(limit * 2);
          }
        },
      ),
    );
  });
});
