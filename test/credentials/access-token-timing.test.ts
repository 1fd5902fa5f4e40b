import { backoffMs, defaultRefreshMarginMs } from '../../src/credentials/refreshing/refresh-timing.ts';

describe('when an access token is refreshed ahead of expiry', () => {
  it('is in the last fifth of its life', () => {
    expect(defaultRefreshMarginMs(1000, 1)).toBe(200_000);
  });

  it('is ten minutes before expiry at the earliest', () => {
    expect(defaultRefreshMarginMs(86_400, 1)).toBe(600_000);
  });

  it('is spread by a half, so that tokens issued together are not refreshed together', () => {
    expect(defaultRefreshMarginMs(1000, 0)).toBe(100_000);
  });
});

describe('the pause after a failed refresh', () => {
  it.each([
    [0, 0, 1_000],
    [0, 1, 2_000],
    [3, 1, 16_000],
    [9, 1, 30_000],
    [1000, 1, 30_000],
  ])('after %i failures with luck %d is %i ms', (failures, luck, expected) => {
    expect(backoffMs(failures, luck)).toBe(expected);
  });
});
