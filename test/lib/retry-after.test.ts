import { readRetryAfterMs } from '../../src/lib/retry-after.ts';

const NOW_MS = Date.parse('2026-11-22T10:00:00Z');

describe('Retry-After', () => {
  it.each<[string | undefined, number | undefined]>([
    ['0', 0],
    ['120', 120_000],
    ['999999999', 999_999_999_000],
    ['2.0', 2_000],
    ['0.5', 500],
    ['12.25', 12_250],
    ['-5', undefined],
    ['2.5.1', undefined],
    ['Sun, 22 Nov 2026 10:00:30 GMT', 30_000],
    ['Sunday, 22-Nov-26 10:00:30 GMT', 30_000],
    ['Sun, 22 Nov 2026 09:59:30 GMT', 0],
    [undefined, undefined],
    ['soon', undefined],
    ['12 s', undefined],
  ])('%j asks for %j ms', (field, ms) => {
    expect(readRetryAfterMs(field, NOW_MS)).toBe(ms);
  });

  it('is read in UTC where it names no zone, wherever the gateway runs', () => {
    const before = process.env.TZ;
    process.env.TZ = 'America/New_York';
    try {
      expect(readRetryAfterMs('Sun Nov 22 10:00:30 2026', NOW_MS)).toBe(30_000);
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });
});
