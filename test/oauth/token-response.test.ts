import type { Provider } from '../../src/catalog/provider.schema.ts';
import type { TokenUse } from '../../src/oauth/token-error.ts';
import { judgeTokenResponse } from '../../src/oauth/token-response.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

type Options = { status?: number; type?: string; provider?: Provider; use?: TokenUse };

function judge(body: unknown, options: Options = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = options.type === undefined ? JSON_TYPE : { 'content-type': options.type };
  const { provider = acmeProvider(), status = 200, use = 'issue' } = options;
  return judgeTokenResponse(provider, { status, headers, body: Buffer.from(text) }, { use });
}

function tokensOf(judgement: ReturnType<typeof judge>) {
  if (!judgement.ok) throw new Error(`refused: ${judgement.kind} ${judgement.errorCode}`);
  return judgement.tokens;
}

const slack = acmeProvider({
  scopeSeparator: ',',
  tokenResponse: {
    okMember: { path: 'ok', value: true },
    tokenTypes: ['bot'],
    accessToken: ['access_token', 'authed_user.access_token'],
    errorMeanings: { code_expired: 'invalid_grant', ratelimited: 'transient', bad_client_secret: 'client' },
  },
});

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
    expect(tokensOf(judge(body))).toEqual({
      accessToken: 'at',
      refreshToken: 'rt',
      expiresInSeconds: 3600,
      scopes: ['a', 'b'],
      tokenType: 'Bearer',
      raw: body,
    });
  });

  it('needs nothing but the access token', () => {
    expect(tokensOf(judge({ access_token: 'at' }))).toMatchObject({
      refreshToken: null,
      expiresInSeconds: null,
      scopes: null,
      tokenType: null,
    });
  });

  it('is read from a form as well, whatever it is called', () => {
    const form = 'access_token=at&expires_in=60&scope=a%20b';
    for (const type of ['application/x-www-form-urlencoded; charset=utf-8', 'text/plain', '']) {
      expect(tokensOf(judge(form, { type }))).toMatchObject({
        accessToken: 'at',
        expiresInSeconds: 60,
        scopes: ['a', 'b'],
      });
    }
  });

  it('is read as JSON whatever its content type says', () => {
    expect(tokensOf(judge('{"access_token":"at"}', { type: 'text/javascript' })).accessToken).toBe('at');
  });

  it('is read from the places that the catalog names, in their order', () => {
    const nested = { ok: true, authed_user: { access_token: 'user' } };
    expect(tokensOf(judge(nested, { provider: slack })).accessToken).toBe('user');
    expect(tokensOf(judge({ ...nested, access_token: 'bot' }, { provider: slack })).accessToken).toBe('bot');
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
    expect(tokensOf(judge({ access_token: 'at', expires_in: given })).expiresInSeconds).toBe(expected);
  });

  it('has the lifetime of the catalog where it tells none', () => {
    const known = acmeProvider({ accessTokenLifetimeSeconds: 1800 });
    expect(tokensOf(judge({ access_token: 'at' }, { provider: known })).expiresInSeconds).toBe(1800);
    expect(
      tokensOf(judge({ access_token: 'at', expires_in: 60 }, { provider: known })).expiresInSeconds,
    ).toBe(60);
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
    expect(tokensOf(judge({ access_token: 'at', scope: given })).scopes).toEqual(expected);
  });

  it('splits scopes by the separator of the answer, which may differ from that of the request', () => {
    const github = acmeProvider({ tokenResponse: { scopeSeparator: ',' } });
    expect(tokensOf(judge({ access_token: 'at', scope: 'repo,user' }, { provider: github })).scopes).toEqual([
      'repo',
      'user',
    ]);
    expect(
      tokensOf(judge({ ok: true, access_token: 'at', scope: 'a,b' }, { provider: slack })).scopes,
    ).toEqual(['a', 'b']);
  });

  it.each([[12], [''], ['two words'], ['äöü'], ['line\nbreak'], ['x'.repeat(12_001)], [{}], [null]])(
    'has no refresh token where it is %j',
    (refreshToken) => {
      expect(tokensOf(judge({ access_token: 'at', refresh_token: refreshToken })).refreshToken).toBeNull();
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

describe('an answer without tokens', () => {
  it.each([
    ['no access token', {}, 'missing_access_token'],
    ['null for it', { access_token: null }, 'missing_access_token'],
    ['a number for it', { access_token: 42 }, 'invalid_access_token'],
    ['the empty text for it', { access_token: '' }, 'invalid_access_token'],
    ['a line break in it', { access_token: 'a\r\nX-Evil: 1' }, 'invalid_access_token'],
    ['a NUL in it', { access_token: 'a\u0000b' }, 'invalid_access_token'],
    ['letters beyond ASCII in it', { access_token: 'tökén' }, 'invalid_access_token'],
    ['one that fits into no header', { access_token: 'x'.repeat(12_001) }, 'invalid_access_token'],
    [
      'a type that needs proof of possession',
      { access_token: 'at', token_type: 'DPoP' },
      'unsupported_token_type',
    ],
    ['an unknown type', { access_token: 'at', token_type: 'mac' }, 'unsupported_token_type'],
  ])('is rejected with %s', (_name, body, errorCode) => {
    expect(judge(body)).toEqual({ ok: false, kind: 'rejected', errorCode });
  });

  it.each([
    ['invalid_grant', 'invalid_grant'],
    ['invalid_client', 'client'],
    ['unauthorized_client', 'client'],
    ['server_error', 'transient'],
    ['temporarily_unavailable', 'transient'],
    ['invalid_scope', 'rejected'],
    ['unsupported_grant_type', 'rejected'],
    ['something_of_their_own', 'rejected'],
    ['__proto__', 'rejected'],
    ['constructor', 'rejected'],
  ])('with the error %s means %s, under 400 and under 200', (error, kind) => {
    for (const status of [200, 400, 401, 403]) {
      expect(judge({ error, error_description: 'no' }, { status })).toEqual({
        ok: false,
        kind,
        errorCode: error,
      });
    }
  });

  it('is an error even if it has an access token too', () => {
    expect(judge({ error: 'invalid_grant', access_token: 'at' })).toMatchObject({
      ok: false,
      kind: 'invalid_grant',
    });
  });

  it.each([[null], [''], [false], [0]])('reports no error by %j', (error) => {
    expect(judge({ error, access_token: 'at' }).ok).toBe(true);
  });

  it('is judged by the member that means success, and by the meanings in the catalog', () => {
    const judgeSlack = (body: object) => judge(body, { provider: slack });
    expect(judgeSlack({ ok: false, error: 'code_expired' })).toMatchObject({ kind: 'invalid_grant' });
    expect(judgeSlack({ ok: false, error: 'ratelimited' })).toMatchObject({ kind: 'transient' });
    expect(judgeSlack({ ok: false, error: 'bad_client_secret' })).toMatchObject({ kind: 'client' });
    expect(judgeSlack({ ok: false })).toMatchObject({ kind: 'rejected', errorCode: 'unspecified_error' });
    expect(judgeSlack({ access_token: 'at' })).toMatchObject({ ok: false });
  });

  it('has its code taken out of an error object', () => {
    expect(judge({ error: { code: 190, message: 'no' } }, { status: 400 })).toMatchObject({
      errorCode: '190',
    });
    expect(judge({ error: { type: 'OAuthException' } }, { status: 400 })).toMatchObject({
      errorCode: 'OAuthException',
    });
    expect(judge({ error: { message: 'no' } }, { status: 400 })).toMatchObject({
      errorCode: 'unspecified_error',
    });
  });

  it('never passes on a text in place of a code', () => {
    const secrets = [
      'The token abc.def.ghi is not one of ours, sorry',
      '<script>alert(1)</script>',
      'x'.repeat(61),
      'a\nb',
    ];
    for (const error of secrets) {
      expect(judge({ error }, { status: 400 })).toMatchObject({
        ok: false,
        kind: 'rejected',
        errorCode: 'unspecified_error',
      });
    }
  });

  it.each([408, 425, 429, 500, 502, 503, 504])('is transient under %i, whatever it says', (status) => {
    expect(judge({ error: 'invalid_grant' }, { status })).toEqual({
      ok: false,
      kind: 'transient',
      errorCode: `http_${status}`,
    });
  });

  it.each([301, 302, 303, 307, 308])('is transient under %i, even with tokens in it', (status) => {
    expect(judge({ access_token: 'at' }, { status })).toMatchObject({ ok: false, kind: 'transient' });
  });

  const unreadable = [
    ['an HTML page', '<html>down</html>', 'text/html', 'transient'],
    ['prose', 'Service unavailable, please come back', 'text/plain', 'transient'],
    ['broken JSON', '{"access_token":', 'application/json', 'lost'],
    ['a JSON array', '[{"access_token":"at"}]', 'application/json', 'lost'],
    ['a JSON text', '"access_token=at"', 'application/json', 'lost'],
    ['nothing', '', 'application/json', 'lost'],
  ] as const;

  it.each(unreadable)(
    'that is %s under 200 may have spent the token, or is a service that is down',
    (...row) => {
      const [, body, type, kind] = row;
      expect(judge(body, { type })).toEqual({ ok: false, kind, errorCode: 'unreadable_response' });
    },
  );

  it.each(unreadable)('that is %s under 400 is a refusal', (_name, body, type) => {
    expect(judge(body, { type, status: 400 })).toEqual({
      ok: false,
      kind: 'rejected',
      errorCode: 'http_400',
    });
  });

  it('has lost its tokens where it is larger than 64 KiB', () => {
    const body = { access_token: 'at', padding: 'x'.repeat(64 * 1024) };
    expect(judge(body)).toEqual({ ok: false, kind: 'lost', errorCode: 'response_too_large' });
  });

  it.each([
    ['JSON', '{"access_token":"at"}', 'text/html; charset=utf-8'],
    ['a form', 'access_token=at&token_type=bearer', 'text/html'],
    ['JSON', '{"access_token":"at"}', 'application/x-www-form-urlencoded'],
    ['a form', 'access_token=at&expires_in=60', 'application/json'],
    ['JSON after a byte order mark', '\ufeff{"access_token":"at"}', 'application/json'],
    ['JSON', '{"access_token":"at"}', ''],
  ])('is read as %s although it is labelled otherwise', (_name, body, type) => {
    expect(tokensOf(judge(body, { type })).accessToken).toBe('at');
  });

  it.each(['', ' ', 'Bearer ', ' bearer'])('may call its type %j', (type) => {
    expect(judge({ access_token: 'at', token_type: type }).ok).toBe(true);
  });

  describe('to a refresh', () => {
    const refresh = (body: unknown, status = 400, type = 'application/json') =>
      judge(body, { status, type, use: 'refresh' });

    it.each([
      [{ status: 'BAD_REFRESH_TOKEN', message: 'missing or invalid refresh token' }],
      [{ error: 'INVALID_GRANT' }],
      [{ error: 'InvalidGrant' }],
      [{ error: 'invalid grant' }],
      [{ error: 'invalid_token' }],
      [{ errors: [{ code: 'invalid_grant' }] }],
      [{ errors: ['invalid_grant'] }],
      [{ error: { code: 400, status: 'invalid_grant' } }],
      [{ code: 'refresh_token_expired' }],
      [{ type: 'refresh-token-revoked' }],
      [{ message: 'Invalid refresh token' }],
      [{ error: 'invalid_request', error_description: 'The refresh token has expired.' }],
      [{ fault: { faultstring: 'Refresh token not found', detail: { errorcode: 'oauth' } } }],
    ])('says by %j that the token is dead', (body) => {
      expect(refresh(body)).toMatchObject({ ok: false, kind: 'invalid_grant' });
    });

    it('says so under 403 access_denied, and whatever the answer is labelled', () => {
      expect(refresh({ error: 'access_denied' }, 403)).toMatchObject({ kind: 'invalid_grant' });
      expect(refresh({ error: 'invalid_grant' }, 400, 'text/html')).toMatchObject({ kind: 'invalid_grant' });
    });

    it.each([
      ['an empty refusal', '', 400],
      ['a bare 401', '', 401],
      ['words that name no token', { message: 'Computer says no' }, 400],
      ['a parameter that is missing', { message: 'The refresh_token parameter is required' }, 400],
      ['words that blame the client as well', { message: 'Invalid client or refresh token' }, 400],
    ])('is not understood as a dead token where it is %s', (_name, body, status) => {
      expect(refresh(body, status)).toMatchObject({ ok: false, kind: 'rejected' });
    });

    it('blames the client by its own code, in any spelling', () => {
      expect(refresh({ error: 'INVALID_CLIENT' }, 401)).toMatchObject({ kind: 'client' });
      expect(refresh({ errors: [{ code: 'invalid_client' }] }, 401)).toMatchObject({ kind: 'client' });
    });

    it('tells what the provider says, in one line of at most 200 characters without control characters', () => {
      const message = `No\u0000 such\r\nuser ${'x '.repeat(200)}`;
      const judged = refresh({ code: 'nope', message });
      expect(judged).toMatchObject({ kind: 'rejected', errorCode: 'nope' });
      const words = judged.ok ? '' : (judged.words ?? '');
      expect(words).toMatch(/^No such user x x/);
      expect(words.length).toBeLessThanOrEqual(200);
    });

    it('does not take a success for a failure for members that say so elsewhere', () => {
      const body = { access_token: 'at', status: 'invalid_grant', code: 'invalid_token', type: 'x' };
      expect(judge(body, { use: 'refresh' }).ok).toBe(true);
    });
  });

  it('points at the client under 401 without an error code, and is rejected under other refusals', () => {
    expect(judge({}, { status: 401 })).toEqual({ ok: false, kind: 'client', errorCode: 'http_401' });
    expect(judge({}, { status: 404 })).toEqual({ ok: false, kind: 'rejected', errorCode: 'http_404' });
  });
});

describe('the moment of expiry, where no lifetime is told', () => {
  const NOW_MS = Date.parse('2026-01-31T09:00:00Z');
  const entry = acmeProvider({ tokenResponse: { expiresAt: 'token.until' }, accessTokenLifetimeSeconds: 99 });
  const lifetimeOf = (until: unknown, more: object = {}) => {
    const body = Buffer.from(JSON.stringify({ access_token: 'at', token: { until }, ...more }));
    const response = { status: 200, headers: JSON_TYPE, body };
    return tokensOf(judgeTokenResponse(entry, response, { use: 'issue', nowMs: NOW_MS })).expiresInSeconds;
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
    expect(tokensOf(judge({ code: 0, data: { token: 'at' } }, { provider: entry })).accessToken).toBe('at');
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
    expect(tokensOf(judge('access_token=at&status=200', { type, provider: form })).accessToken).toBe('at');
    expect(judge('access_token=at&status=500', { type, provider: form })).toMatchObject({ errorCode: '500' });
  });
});
