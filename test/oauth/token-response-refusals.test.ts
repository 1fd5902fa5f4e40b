import { judge, readTokens, slack } from './response-judgement.ts';

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

  it.each([
    ['JSON', '{"access_token":"at"}', 'text/html; charset=utf-8'],
    ['a form', 'access_token=at&token_type=bearer', 'text/html'],
    ['JSON', '{"access_token":"at"}', 'application/x-www-form-urlencoded'],
    ['a form', 'access_token=at&expires_in=60', 'application/json'],
    ['JSON after a byte order mark', '\ufeff{"access_token":"at"}', 'application/json'],
    ['JSON', '{"access_token":"at"}', ''],
  ])('is read as %s although it is labelled otherwise', (_name, body, type) => {
    expect(readTokens(judge(body, { type })).accessToken).toBe('at');
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
      const smiling = refresh({ code: 'nope', message: `No ${'x '.repeat(98)}😀` });
      expect(smiling.ok ? '' : smiling.words).toBe(`No ${'x '.repeat(98)}`);
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
