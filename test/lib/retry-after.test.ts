import { readRetryAfterMs } from '../../src/lib/retry-after.ts';

const NOW_MS = Date.parse('2026-11-22T10:00:00Z');

describe('Retry-After', () => {
  it.each<[string | undefined, number | undefined]>([
    ['0', 0],
    ['120', 120_000],
    ['999999999', 999_999_999_000],
    ['Sun, 22 Nov 2026 10:00:30 GMT', 30_000],
    ['Sun, 22 Nov 2026 09:59:30 GMT', 0],
    [undefined, undefined],
    ['soon', undefined],
    ['12 s', undefined],
  ])('%j asks for %j ms', (field, ms) => {
    expect(readRetryAfterMs(field, NOW_MS)).toBe(ms);
  });
});
