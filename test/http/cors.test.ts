import { corsHeaders, isPreflight, preflightHeaders } from '../../src/http/cors.ts';

const allowedOrigins = ['https://app.example', 'http://localhost:5173'];

describe('an origin', () => {
  it.each(allowedOrigins)('%s in the list may read, without credentials', (origin) => {
    const headers = corsHeaders({ origin, allowedOrigins });
    expect(headers).toMatchObject({ Vary: 'Origin', 'Access-Control-Allow-Origin': origin });
    expect(headers).not.toHaveProperty('Access-Control-Allow-Credentials');
    for (const name of [
      'Gateway-Error',
      'Gateway-Request-Id',
      'Retry-After',
      'RateLimit',
      'ETag',
      'Location',
    ])
      expect(headers['Access-Control-Expose-Headers']?.split(', ')).toContain(name);
  });

  it.each([
    undefined,
    'null',
    '*',
    'https://app.example.evil.test',
    'https://evil.test/https://app.example',
    'https://app.example:443',
    'https://APP.example',
    'http://app.example',
    'https://sub.app.example',
    '',
  ])('%s may not', (origin) => {
    expect(corsHeaders({ origin, allowedOrigins })).toEqual({ Vary: 'Origin' });
    expect(corsHeaders({ origin, allowedOrigins: new Set(allowedOrigins) })).toEqual({ Vary: 'Origin' });
    expect(
      preflightHeaders({ origin, allowedOrigins, requestedHeaders: 'authorization' }),
    ).not.toHaveProperty('Access-Control-Allow-Origin');
  });

  it('"null" may not even when it is in the list', () => {
    expect(corsHeaders({ origin: 'null', allowedOrigins: ['null'] })).toEqual({ Vary: 'Origin' });
  });
});

describe('a preflight', () => {
  it('is OPTIONS with an origin and a method asked for', () => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'PUT' };
    expect(isPreflight({ method: 'OPTIONS', headers })).toBe(true);
    expect(isPreflight({ method: 'GET', headers })).toBe(false);
    expect(isPreflight({ method: 'OPTIONS', headers: { origin: 'https://app.example' } })).toBe(false);
    expect(isPreflight({ method: 'OPTIONS', headers: { 'access-control-request-method': 'PUT' } })).toBe(
      false,
    );
  });

  it('is remembered for ten minutes at most and echoes well-formed names only', () => {
    const headers = preflightHeaders({
      origin: 'https://app.example',
      allowedOrigins,
      requestedHeaders: 'authorization,x-y, bad name,\u00fc',
    });
    expect(headers['Access-Control-Allow-Headers']).toBe('authorization, x-y');
    expect(Number(headers['Access-Control-Max-Age'])).toBeLessThanOrEqual(600);
    expect(headers.Vary).toContain('Access-Control-Request-Headers');
  });
});
