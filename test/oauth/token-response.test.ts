import { judgeTokenResponse } from '../../src/oauth/token-response.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { JSON_TYPE, judge, readTokens, slack } from './response-judgement.ts';

describe('an answer with tokens', () => {
  it('is read as RFC 6749 5.1 has it', () => {
    const body = {
      access_token: 'at',
      refresh_token: 'rt',
      expires_in: 3600,
      scope: 'a b',
      token_type: 'Bearer',
      x: 1,
    };
    expect(readTokens(judge(body))).toEqual({
      accessToken: 'at',
      refreshToken: 'rt',
      expiresInSeconds: 3600,
      scopes: ['a', 'b'],
      tokenType: 'Bearer',
      raw: body,
    });
  });

  it('needs nothing but the access token', () => {
    expect(readTokens(judge({ access_token: 'at' }))).toMatchObject({
      refreshToken: null,
      expiresInSeconds: null,
      scopes: null,
      tokenType: null,
    });
  });

  it('is read from a form as well, whatever it is called', () => {
    const form = 'access_token=at&expires_in=60&scope=a%20b';
    for (const type of ['application/x-www-form-urlencoded; charset=utf-8', 'text/plain', '']) {
      expect(readTokens(judge(form, { type }))).toMatchObject({
        accessToken: 'at',
        expiresInSeconds: 60,
        scopes: ['a', 'b'],
      });
    }
  });

  it('is read as JSON whatever its content type says', () => {
    expect(readTokens(judge('{"access_token":"at"}', { type: 'text/javascript' })).accessToken).toBe('at');
  });

  it('is read from the places that the catalog names, in their order', () => {
    const nested = { ok: true, authed_user: { access_token: 'user' } };
    expect(readTokens(judge(nested, { provider: slack })).accessToken).toBe('user');
    expect(readTokens(judge({ ...nested, access_token: 'bot' }, { provider: slack })).accessToken).toBe(
      'bot',
    );
  });

  it.each([
    [3600, 3600],
    ['3600', 3600],
    [' 3600 ', 3600],
    [3599.9, 3599],
    [0, null],
    [-5, null],
    ['', null],
    ['never', null],
    ['1e9', null],
    [null, null],
    [true, null],
    [[], null],
    [{}, null],
    [1_700_000_000_000, 315_360_000],
    [Number.MAX_VALUE, 315_360_000],
  ])('takes the lifetime %j as %j', (given, expected) => {
    expect(readTokens(judge({ access_token: 'at', expires_in: given })).expiresInSeconds).toBe(expected);
  });

  it('has the lifetime of the catalog where it tells none', () => {
    const known = acmeProvider({ accessTokenLifetimeSeconds: 1800 });
    expect(readTokens(judge({ access_token: 'at' }, { provider: known })).expiresInSeconds).toBe(1800);
    expect(
      readTokens(judge({ access_token: 'at', expires_in: 60 }, { provider: known })).expiresInSeconds,
    ).toBe(60);
    const endless = acmeProvider({ accessTokenLifetimeSeconds: Number.MAX_SAFE_INTEGER });
    expect(readTokens(judge({ access_token: 'at' }, { provider: endless })).expiresInSeconds).toBe(
      315_360_000,
    );
  });

  it.each([
    ['a b  c', ['a', 'b', 'c']],
    ['', []],
    ['a\u0000b \u0000 c', ['ab', 'c']],
    [
      ['a\u0000', '\ud800', '\u0000'],
      ['a', '\ufffd'],
    ],
    [
      ['a', 'b', 7],
      ['a', 'b'],
    ],
    [null, null],
    [7, null],
  ])('takes the scopes %j as %j', (given, expected) => {
    expect(readTokens(judge({ access_token: 'at', scope: given })).scopes).toEqual(expected);
  });

  it('splits scopes by the separator of the answer, which may differ from that of the request', () => {
    const github = acmeProvider({ tokenResponse: { scopeSeparator: ',' } });
    expect(
      readTokens(judge({ access_token: 'at', scope: 'repo,user' }, { provider: github })).scopes,
    ).toEqual(['repo', 'user']);
    expect(
      readTokens(judge({ ok: true, access_token: 'at', scope: 'a,b' }, { provider: slack })).scopes,
    ).toEqual(['a', 'b']);
  });

  it.each([[12], [''], ['two words'], ['äöü'], ['line\nbreak'], ['x'.repeat(12_001)], [{}], [null]])(
    'has no refresh token where it is %j',
    (refreshToken) => {
      expect(readTokens(judge({ access_token: 'at', refresh_token: refreshToken })).refreshToken).toBeNull();
    },
  );

  it.each(['Bearer', 'bearer', 'BEARER'])('may call its type %s', (type) => {
    expect(judge({ access_token: 'at', token_type: type }).ok).toBe(true);
  });

  it('may call its type what the catalog says, or by the scheme of its API calls', () => {
    expect(judge({ ok: true, access_token: 'at', token_type: 'bot' }, { provider: slack }).ok).toBe(true);
    const zoho = acmeProvider({
      accessTokenHeader: { name: 'Authorization', template: 'Zoho-oauthtoken {accessToken}' },
    });
    expect(judge({ access_token: 'at', token_type: 'zoho-oauthtoken' }, { provider: zoho }).ok).toBe(true);
  });
});

describe('the moment of expiry, where no lifetime is told', () => {
  const NOW_MS = Date.parse('2026-01-31T09:00:00Z');
  const entry = acmeProvider({ tokenResponse: { expiresAt: 'token.until' }, accessTokenLifetimeSeconds: 99 });
  const lifetimeOf = (until: unknown, more: object = {}) => {
    const body = Buffer.from(JSON.stringify({ access_token: 'at', token: { until }, ...more }));
    const response = { status: 200, headers: JSON_TYPE, body };
    return readTokens(judgeTokenResponse(entry, response, { use: 'issue', secrets: [], nowMs: NOW_MS }))
      .expiresInSeconds;
  };

  it.each([
    ['seconds', NOW_MS / 1000 + 600, 600],
    ['seconds as text', String(NOW_MS / 1000 + 600), 600],
    ['milliseconds', NOW_MS + 600_000, 600],
    ['a date', '2026-01-31T10:10:00+01:00', 600],
    ['a moment that has passed', '2026-01-31T08:00:00Z', 1],
    ['no moment at all', 'soon', 99],
    ['nothing', undefined, 99],
    ['zero', 0, 99],
  ])('is read from %s', (_what, until, expected) => {
    expect(lifetimeOf(until)).toBe(expected);
  });

  it('gives way to a lifetime', () => {
    expect(lifetimeOf(NOW_MS + 600_000, { expires_in: 60 })).toBe(60);
  });
});

describe('success told by a number', () => {
  const entry = acmeProvider({
    tokenResponse: {
      accessToken: 'data.token',
      okMember: { path: 'code', value: 0 },
      errorCode: 'code',
      errorMeanings: { '40100': 'invalid_grant' },
    },
  });

  it('is success in JSON', () => {
    expect(readTokens(judge({ code: 0, data: { token: 'at' } }, { provider: entry })).accessToken).toBe('at');
  });

  it('is a failure with another number, under 200, in the words of RFC 6749', () => {
    expect(judge({ code: 40100, data: {} }, { provider: entry })).toEqual({
      ok: false,
      kind: 'invalid_grant',
      errorCode: '40100',
    });
    expect(judge({ data: { token: 'at' } }, { provider: entry })).toMatchObject({ ok: false });
  });

  it('is success also in a form, and where the same member has a code for it', () => {
    const form = acmeProvider({
      tokenResponse: { okMember: { path: 'status', value: 200 }, errorCode: 'status' },
    });
    const type = 'application/x-www-form-urlencoded';
    expect(readTokens(judge('access_token=at&status=200', { type, provider: form })).accessToken).toBe('at');
    expect(judge('access_token=at&status=500', { type, provider: form })).toMatchObject({ errorCode: '500' });
  });
});
