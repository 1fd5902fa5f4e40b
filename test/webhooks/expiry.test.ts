import { findExpiry, isRenewalDue, scheduleRenewal } from '../../src/webhooks/subscriptions/expiry.ts';

const NOW_MS = Date.UTC(2026, 0, 2);
const HOUR_MS = 3_600_000;
const LATER = new Date(NOW_MS + HOUR_MS);
const TEN_YEARS_MS = 3_650 * 24 * HOUR_MS;
const LAST = new Date(NOW_MS + TEN_YEARS_MS);

describe('the end of a registration', () => {
  it.each<[string, number | undefined, string | null, Date | null]>([
    ['an ISO text', undefined, LATER.toISOString(), LATER],
    ['seconds', undefined, String(LATER.getTime() / 1000), LATER],
    ['milliseconds', 60, String(LATER.getTime()), LATER],
    ['a time in the past, which does not count', 3_600, '2020-01-01T00:00:00Z', LATER],
    ['a text that is no time', 3_600, 'soon', LATER],
    ['nothing, where the catalog says how long it lasts', 3_600, null, LATER],
    ['nothing, where it does not end', undefined, null, null],
    ['a time behind all dates, which is never', undefined, '9007199254740991000', LAST],
    ['a life that ends behind all dates', Number.MAX_SAFE_INTEGER, null, LAST],
  ])('is read from %s', (_name, expiresSeconds, reported, expected) => {
    expect(findExpiry({ expiresSeconds }, reported, NOW_MS)).toEqual(expected);
  });
});

describe('a registration is renewed', () => {
  it.each<[string, number | undefined, number]>([
    ['when a quarter of its life is left', 86_400, 6 * HOUR_MS],
    ['ten minutes before its end, where a quarter is less', 1_800, 600_000],
    ['at half of a life that is shorter than twenty minutes', 600, 300_000],
    ['as one of an hour, where the catalog does not say how long it lasts', undefined, HOUR_MS / 4],
  ])('%s', (_name, expiresSeconds, beforeMs) => {
    const subscription = { expiresAt: LATER, projectId: 'p' };
    const runAgainAt = new Date(LATER.getTime() - beforeMs);
    expect(scheduleRenewal(subscription, { expiresSeconds })).toEqual({ runAgainAt, projectId: 'p' });
    expect(isRenewalDue(subscription, { expiresSeconds }, runAgainAt.getTime() - 1)).toBe(false);
    expect(isRenewalDue(subscription, { expiresSeconds }, runAgainAt.getTime())).toBe(true);
  });

  it('in the last quarter of ten years, where its life ends behind all dates', () => {
    const registration = { expiresSeconds: Number.MAX_SAFE_INTEGER };
    const subscription = { expiresAt: LAST, projectId: 'p' };
    expect(isRenewalDue(subscription, registration, NOW_MS)).toBe(false);
    expect(isRenewalDue(subscription, registration, NOW_MS + 0.75 * TEN_YEARS_MS)).toBe(true);
  });

  it('never where it does not end', () => {
    const subscription = { expiresAt: null, projectId: 'p' };
    expect(scheduleRenewal(subscription, { expiresSeconds: 60 })).toBeUndefined();
    expect(isRenewalDue(subscription, { expiresSeconds: 60 }, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});
