import { mergeRefreshedCredentials } from '../../src/credentials/refreshing/merge-refreshed-credentials.ts';
import { readTokenReuse } from '../../src/credentials/refreshing/refresh-target.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const BEFORE = { values: { accessToken: 'access-1', shop: 'north' }, refreshToken: 'refresh-1' };
const issued = (refreshToken: string | null) => ({
  accessToken: 'access-2',
  refreshToken,
  expiresInSeconds: 60,
  scopes: null,
  tokenType: null,
  raw: {},
});

describe('the credentials after a refresh', () => {
  it('have the refresh token of the answer', () => {
    expect(mergeRefreshedCredentials(BEFORE, issued('refresh-2')).refreshToken).toBe('refresh-2');
  });

  it('keep the refresh token that they had where the answer brings none', () => {
    expect(mergeRefreshedCredentials(BEFORE, issued(null)).refreshToken).toBe('refresh-1');
  });

  it('keep other secret values, and take those that came with the answer', () => {
    const { values } = mergeRefreshedCredentials(BEFORE, issued(null), { region: 'eu' });
    expect(values).toEqual({ accessToken: 'access-2', shop: 'north', region: 'eu' });
  });
});

describe('how often a refresh token may be sent', () => {
  it.each([
    ['once, where the file says nothing', {}, { kind: 'once' }],
    ['again for a while', { refreshTokenReuseSeconds: 30 }, { kind: 'within', seconds: 30 }],
    ['as often as needed', { refreshTokenUse: 'many' }, { kind: 'many' }],
    [
      'as often as needed, where the client asks again',
      { auth: 'oauth2-client-credentials' },
      { kind: 'many' },
    ],
    [
      'as often as needed, where the access token renews itself',
      { refreshWith: 'access_token', refreshParams: { token: '{accessToken}' } },
      { kind: 'many' },
    ],
  ])('is %s', (_how, extra, expected) => {
    expect(readTokenReuse(acmeProvider(extra))).toEqual(expected);
  });
});
