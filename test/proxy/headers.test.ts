import fc from 'fast-check';
import {
  callerPlaces,
  nominatedFields,
  outgoingFields,
  readFields,
  readToken,
} from '../../src/proxy/headers.ts';

const TOKEN = 'header.payload.signature';
const BEARER = ['Authorization', `Bearer ${TOKEN}`];
const REPLACEMENT = {
  host: 'api.provider.test',
  credential: { name: 'Authorization', value: 'Bearer real' },
  apiHeaders: [],
  token: TOKEN,
  method: 'GET',
};
const NO_PLACES = callerPlaces([]);

function forwarded(raw: string[], replacement: Partial<typeof REPLACEMENT> = {}): string[] {
  return outgoingFields(readFields(raw, []), { ...REPLACEMENT, ...replacement });
}

describe('the header section for the provider', () => {
  it('keeps order, case and duplicates, and exchanges Host and credential where they stood', () => {
    const raw = [
      'X-B',
      '1',
      'host',
      'gateway.test',
      'x-a',
      '2',
      'authorization',
      `bearer ${TOKEN}`,
      'X-B',
      '3',
    ];
    expect(forwarded(raw)).toEqual([
      ...['X-B', '1', 'host', 'api.provider.test', 'x-a', '2', 'authorization', 'Bearer real', 'X-B', '3'],
    ]);
  });

  it.each([
    ...['Connection', 'Keep-Alive', 'TE', 'Trailer', 'Upgrade', 'HTTP2-Settings', 'Proxy-Connection'],
    ...[
      'Proxy-Authorization',
      'Proxy-Authenticate',
      'Expect',
      'Cookie',
      'Cookie2',
      'Forwarded',
      'Via',
      'Origin',
    ],
    ...['Referer', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-FORWARDED-ANYTHING', 'Gateway-Connection'],
    ...[
      'Gateway-Retry',
      'gateway-anything',
      'X_Forwarded_For',
      'Gateway_Retry',
      'Content_Length',
      'Transfer_Encoding',
    ],
  ])('has no %s', (name) => {
    expect(forwarded(['Host', 'g', ...BEARER, name, 'x', 'X-Kept', 'y'])).toEqual([
      ...['Host', 'api.provider.test', 'Authorization', 'Bearer real', 'X-Kept', 'y'],
    ]);
  });

  it.each([
    'User-Agent',
    'Accept-Encoding',
    'Idempotency-Key',
    'traceparent',
    'Range',
    'If-None-Match',
    'X_Custom',
  ])('keeps %s', (name) => {
    expect(forwarded(['Host', 'g', ...BEARER, name, 'x'])).toEqual([
      ...['Host', 'api.provider.test', 'Authorization', 'Bearer real', name, 'x'],
    ]);
  });

  it('loses the fields that Connection names, but never Host, length or credential', () => {
    const raw = [
      'Host',
      'g',
      ...BEARER,
      'Connection',
      'close, X-One, content-length',
      'X-One',
      '1',
      'X-Two',
      '2',
    ];
    const named = [...raw, 'connection', 'Host, authorization', 'Content-Length', '3'];
    expect(forwarded(named)).toEqual([
      ...['Host', 'api.provider.test', 'Authorization', 'Bearer real', 'X-Two', '2', 'Content-Length', '3'],
    ]);
  });

  it('loses every field in which the user token stands a second time', () => {
    const raw = [
      'Host',
      'g',
      ...BEARER,
      'X-Copy',
      TOKEN,
      'X-Other',
      `before ${TOKEN} after`,
      'X-Long',
      'l'.repeat(99),
    ];
    expect(forwarded(raw).join('\n')).not.toContain(TOKEN);
    expect(forwarded(raw)).toContain('X-Long');
  });

  it('puts a credential of another name into the slot and drops what the caller sent under that name', () => {
    const raw = ['Host', 'g', 'x-api-key', 'mine', ...BEARER, 'X-Last', '1'];
    expect(forwarded(raw, { credential: { name: 'X-Api-Key', value: 'real' } })).toEqual([
      ...['Host', 'api.provider.test', 'X-Api-Key', 'real', 'X-Last', '1'],
    ]);
  });

  it('adds the headers of the provider that the caller did not send', () => {
    const apiHeaders: [string, string][] = [
      ['Notion-Version', '2022-06-28'],
      ['X-Api-Version', '1'],
    ];
    const out = outgoingFields(readFields(['Host', 'g', ...BEARER, 'notion-version', '2025-01-01'], []), {
      ...REPLACEMENT,
      apiHeaders,
    });
    expect(out.slice(4)).toEqual(['notion-version', '2025-01-01', 'X-Api-Version', '1']);
  });

  it.each([
    ['POST', ['Content-Length', '0']],
    ['PUT', ['Content-Length', '0']],
    ['REPORT', ['Content-Length', '0']],
    ['GET', []],
    ['DELETE', []],
  ])('frames a %s without a body explicitly', (method, expected) => {
    expect(forwarded(['Host', 'g', ...BEARER], { method }).slice(4)).toEqual(expected);
  });

  it('ends the connection after a chunked upload, so that nothing can be smuggled behind it', () => {
    const raw = ['Host', 'g', ...BEARER, 'Transfer-Encoding', 'chunked'];
    expect(forwarded(raw, { method: 'POST' }).slice(4)).toEqual([
      ...['Transfer-Encoding', 'chunked', 'Connection', 'close'],
    ]);
  });

  it('holds the caller’s fields in order, less the dropped ones, for any header section', () => {
    const name = fc.constantFrom(
      'Accept',
      'X-A',
      'x-a',
      'Cookie',
      'X-Forwarded-For',
      'Via',
      'ETag',
      'Gateway-X',
      'X_Y',
    );
    const fields = fc.array(fc.tuple(name, fc.string({ maxLength: 10 })), { maxLength: 12 });
    const dropped = new Set(['Cookie', 'X-Forwarded-For', 'Via', 'Gateway-X']);
    fc.assert(
      fc.property(fields, (list) => {
        const out = forwarded(['Host', 'g', ...BEARER, ...list.flat()]);
        expect(out.slice(4)).toEqual(list.filter(([field]) => !dropped.has(field)).flat());
      }),
    );
  });
});

describe('the user token', () => {
  const places = callerPlaces([
    { in: 'scheme', scheme: 'Zoho-oauthtoken' },
    { in: 'header', name: 'X-Shopify-Access-Token' },
    { in: 'basic', part: 'password' },
  ]);
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

  it.each([
    ['Authorization', `Bearer ${TOKEN}`, { in: 'scheme' }],
    ['authorization', `bearer  ${TOKEN}`, { in: 'scheme' }],
    ['Authorization', `zoho-oauthtoken ${TOKEN}`, { in: 'scheme' }],
    ['x-shopify-access-token', TOKEN, { in: 'header', name: 'x-shopify-access-token' }],
    ['Authorization', basic(`ada:${TOKEN}`), { in: 'basic', part: 'password', otherHalf: 'ada' }],
  ])('is found in %s: %s', (name, value, place) => {
    const reading = readToken(readFields([name, value], places.headers), places);
    expect(reading).toEqual({ kind: 'token', token: TOKEN, place });
  });

  it.each([
    [[]],
    [['Authorization', TOKEN]],
    [['Authorization', 'Digest x']],
    [['Authorization', 'Bearer ']],
  ])('is missing in %j', (raw) => {
    expect(readToken(readFields(raw, places.headers), places)).toEqual({ kind: 'missing' });
  });

  it('is not looked for where the catalog names no place', () => {
    const raw = ['X-Shopify-Access-Token', TOKEN];
    expect(readToken(readFields(raw, NO_PLACES.headers), NO_PLACES)).toEqual({ kind: 'missing' });
    const inBasic = ['Authorization', basic(`ada:${TOKEN}`)];
    expect(readToken(readFields(inBasic, []), NO_PLACES)).toEqual({ kind: 'missing' });
  });

  it.each([
    [[...BEARER, ...BEARER]],
    [[...BEARER, 'authorization', 'Basic eDp5']],
    [[...BEARER, 'X-Shopify-Access-Token', 'shpat_1']],
  ])('is refused beside another credential: %j', (raw) => {
    expect(readToken(readFields(raw, places.headers), places)).toEqual({ kind: 'several' });
  });
});

describe('names in Connection', () => {
  it.each([
    [undefined, []],
    ['close', ['close']],
    ['X-A, x-b ,,', ['x-a', 'x-b']],
    ['Content-Length, HOST', []],
  ])('of %j are %j', (value, expected) => {
    expect([...nominatedFields(value)]).toEqual(expected);
  });
});
