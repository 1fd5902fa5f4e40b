import { buildResponseFields, isRelayable } from '../../src/proxy/response-headers.ts';

const OWN = [
  ...['Vary', 'Authorization, Origin', 'X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', "sandbox; default-src 'none'", 'Gateway-Request-Id', 'req-1'],
];

function fieldsOf(raw: string[], allowedOrigin?: string): string[] {
  return [...buildResponseFields(raw, { requestId: 'req-1', allowedOrigin }).fields];
}

describe('the header section for the caller', () => {
  it('keeps order, case and duplicates of what passes and adds the gateway’s own fields', () => {
    const raw = ['X-B', '1', 'link', '<a>', 'X-B', '2', 'Link', '<b>', 'Cache-Control', 'no-store'];
    expect(fieldsOf(raw)).toEqual([...raw, ...OWN]);
  });

  it.each([
    ...['Connection', 'Keep-Alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'Proxy-Authenticate'],
    ...['Set-Cookie', 'Set-Cookie2', 'Access-Control-Allow-Origin', 'access-control-expose-headers'],
    ...['Strict-Transport-Security', 'Alt-Svc', 'Clear-Site-Data', 'Gateway-Error', 'GATEWAY-Request-Id'],
    ...['CDN-Cache-Control', 'Cloudflare-CDN-Cache-Control', 'Surrogate-Control', 'X-Accel-Redirect'],
    ...['X-Content-Type-Options'],
  ])('has no %s of the provider', (name) => {
    expect(fieldsOf([name, 'x', 'Cache-Control', 'private'])).toEqual(['Cache-Control', 'private', ...OWN]);
  });

  it('loses the fields that the provider’s Connection names, but not the length', () => {
    const raw = ['Connection', 'close, X-Hop, Content-Length', 'X-Hop', '1', 'Content-Length', '5'];
    expect(fieldsOf([...raw, 'Cache-Control', 'no-store'])).toEqual([
      ...['Content-Length', '5', 'Cache-Control', 'no-store', ...OWN],
    ]);
  });

  it.each(['X-Hop, close', 'keep-alive, X-Hop', 'close,x-hop', 'X-HOP'])(
    'loses a field that Connection names: %s',
    (connection) => {
      const raw = ['Connection', connection, 'X-Hop', '1', 'X-Own', '2', 'Cache-Control', 'no-store'];
      expect(fieldsOf(raw)).toEqual(['X-Own', '2', 'Cache-Control', 'no-store', ...OWN]);
    },
  );

  it.each([
    ['no-store', ['Cache-Control', 'no-store']],
    ['private, max-age=60', ['Cache-Control', 'private, max-age=60']],
    ['max-age=60', ['Cache-Control', 'max-age=60', 'Cache-Control', 'private']],
    ['public, max-age=60', ['Cache-Control', 'max-age=60', 'Cache-Control', 'private']],
    ['Public', ['Cache-Control', 'private']],
    ['s-maxage=9, immutable', ['Cache-Control', 'immutable', 'Cache-Control', 'private']],
    ['private="set-cookie"', ['Cache-Control', 'private="set-cookie"', 'Cache-Control', 'private']],
    ['no-cache', ['Cache-Control', 'no-cache', 'Cache-Control', 'private']],
    ['ext="a, private, b"', ['Cache-Control', 'ext="a, private, b"', 'Cache-Control', 'private']],
    ['ext="a, public, b"', ['Cache-Control', 'ext="a, public, b"', 'Cache-Control', 'private']],
    ['ext="a\\", private, b"', ['Cache-Control', 'ext="a\\", private, b"', 'Cache-Control', 'private']],
    ['ext="a, b", no-store, public', ['Cache-Control', 'ext="a, b", no-store']],
    ['max-age=1, ext="private', ['Cache-Control', 'private']],
    ['x-private, privately', ['Cache-Control', 'x-private, privately', 'Cache-Control', 'private']],
  ])('turns Cache-Control %j into one that no shared cache keeps', (value, expected) => {
    expect(fieldsOf(['Cache-Control', value])).toEqual([...expected, ...OWN]);
  });

  it('has the gateway’s own policy alone, and what the provider’s answer varies by', () => {
    const fields = fieldsOf(['Content-Security-Policy', 'report-uri https://evil.example', 'Vary', 'Accept']);
    expect(fields.filter((field) => field === 'Content-Security-Policy')).toHaveLength(1);
    expect(fields.filter((field) => field === 'Vary')).toHaveLength(2);
  });

  it('tells an allowed origin what it may read', () => {
    const fields = fieldsOf([], 'https://app.example.com');
    expect(fields.slice(-4, -2)).toEqual(['Access-Control-Allow-Origin', 'https://app.example.com']);
    expect(fields.at(-1)).toContain('Gateway-Error');
  });

  it('reads the announced length', () => {
    expect(buildResponseFields(['content-length', '12'], { requestId: 'r' }).contentLength).toBe(12);
    expect(buildResponseFields([], { requestId: 'r' }).contentLength).toBeUndefined();
  });
});

describe('a status line', () => {
  it.each([
    [200, 'OK', true],
    [204, '', true],
    [299, undefined, true],
    [404, 'Nicht gefunden \xe4', true],
    [799, 'x', true],
    [99, 'x', false],
    [101, 'x', false],
    [1000, 'x', false],
    [undefined, 'x', false],
    [200, 'a\x01b', false],
    [200, 'a\x7fb', false],
  ])('%j %j can be relayed: %j', (status, reason, expected) => {
    expect(isRelayable(status, reason)).toBe(expected);
  });
});
