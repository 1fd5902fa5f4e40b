import { formatRelative } from '../../src/web/dashboard/src/ui/relative-time.ts';

const NOW_MS = Date.parse('2026-11-28T12:00:00.000Z');
const MINUTE_SECONDS = 60;
const DAY_SECONDS = 24 * 60 * MINUTE_SECONDS;

describe('a time relative to now', () => {
  it.each([
    ['now', 20],
    ['in 5 minutes', 5 * MINUTE_SECONDS],
    ['in 1 hour', 60 * MINUTE_SECONDS - 5],
    ['in 7 days', 7 * DAY_SECONDS - 60],
    ['in 3 months', 90 * DAY_SECONDS - 60],
    ['in 2 months', 80 * DAY_SECONDS],
    ['next year', 365 * DAY_SECONDS - 60],
    ['now', -59],
    ['59 minutes ago', -(60 * MINUTE_SECONDS - 5)],
    ['2 months ago', -(90 * DAY_SECONDS - 60)],
    ['3 months ago', -(90 * DAY_SECONDS)],
  ])('reads %s', (text, seconds) => {
    expect(formatRelative(new Date(NOW_MS + seconds * 1000), NOW_MS, 'en')).toBe(text);
  });
});
