import { createRateLimiter } from '../../src/lib/rate-limit.ts';

it('a burst of the whole limit passes to its last request, at any rate and whenever it comes', () => {
  const refused: string[] = [];
  for (const nowMs of [0, 1 / 3, 1_000.7, 1_000_000.1]) {
    for (let limit = 1; limit <= 1_000; limit += 1) {
      const limiter = createRateLimiter({ limit, windowSeconds: 60, keysMax: 1 });
      let last = limiter.check('a', nowMs);
      for (let sent = 1; sent < limit && last.allowed; sent += 1) last = limiter.check('a', nowMs);
      if (!last.allowed) refused.push(`${limit} at ${nowMs}`);
      if (last.remaining !== 0) refused.push(`${limit} at ${nowMs}: some remain`);
      if (limiter.check('a', nowMs).allowed) refused.push(`${limit} at ${nowMs}: one too many`);
    }
  }
  expect(refused).toEqual([]);
});
