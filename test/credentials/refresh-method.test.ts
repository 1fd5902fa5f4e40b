import { chooseRefreshMethod, refreshMarginMs } from '../../src/credentials/refreshing/refresh-method.ts';

const BY_REFRESH_TOKEN = { auth: 'oauth2', refreshWith: 'refresh_token' } as const;
const BY_ITSELF = { auth: 'oauth2', refreshWith: 'access_token' } as const;
const DAY_SECONDS = 86_400;

it.each([
  ['the refresh token, where there is one', BY_REFRESH_TOKEN, true, 'refresh-token'],
  ['nothing, where there is none', BY_REFRESH_TOKEN, false, undefined],
  ['the access token itself', BY_ITSELF, false, 'access-token'],
  [
    'the integration’s client',
    { ...BY_REFRESH_TOKEN, auth: 'oauth2-client-credentials' as const },
    false,
    'client',
  ],
  ['nothing, for a key', { ...BY_REFRESH_TOKEN, auth: 'api-key' as const }, false, undefined],
])('the next access token is got with %s', (_what, provider, hasRefreshToken, expected) => {
  expect(chooseRefreshMethod(provider, hasRefreshToken)).toBe(expected);
});

describe('the moment of renewal', () => {
  it('is in the last fifth of the life, as ever, with a refresh token', () => {
    expect(refreshMarginMs(BY_REFRESH_TOKEN, 1000, 1)).toBe(200_000);
  });

  it('is about half of the life for a token that renews itself, so that a quiet week does not lose it', () => {
    expect(refreshMarginMs(BY_ITSELF, 60 * DAY_SECONDS, 1)).toBe(30 * DAY_SECONDS * 1000);
    expect(refreshMarginMs(BY_ITSELF, 60 * DAY_SECONDS, 0)).toBe(22.5 * DAY_SECONDS * 1000);
  });

  it('is what the file says, but never so early that the next token would be due at once', () => {
    const early = { ...BY_REFRESH_TOKEN, refreshBeforeExpirySeconds: 900 };
    expect(refreshMarginMs(early, 3600, 0.5)).toBe(900_000);
    expect(refreshMarginMs(early, 1000, 0.5)).toBe(800_000);
    expect(refreshMarginMs(early, null, 0.5)).toBe(900_000);
  });
});
