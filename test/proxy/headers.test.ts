import fc from 'fast-check';
import { indexCallerPlaces, readToken } from '../../src/proxy/caller-token.ts';
import { nominatedFields } from '../../src/proxy/field-list.ts';
import { outgoingFields } from '../../src/proxy/outgoing-fields.ts';
import { readFields } from '../../src/proxy/request-fields.ts';

const TOKEN = 'header.payload.signature';
const BEARER = ['Authorization', `Bearer ${TOKEN}`];
const REPLACEMENT = {
  host: 'api.provider.test',
  credential: { name: 'Authorization', value: 'Bearer real' },
  apiHeaders: [],
  token: TOKEN,
  method: 'GET',
};
const NO_PLACES = indexCallerPlaces([]);

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
    ...['X-Real-IP', 'X-Original-URL', 'X-Rewrite-URL', 'X-Client-IP', 'True-Client-IP', 'CF-Connecting-IP'],
    ...['X_Real_IP', 'X-Cluster-Client-IP', 'Fastly-Client-IP', 'X-Azure-ClientIP', 'X-Originating-IP'],
    ...[
      'X-Original-Host',
      'X-Original-Forwarded-For',
      'X-Remote-Addr',
      'X-Forwarded',
      'Forwarded-For',
      'CF-Ray',
    ],
    ...['X-Envoy-External-Address', 'CF-IPCountry', 'Client-IP', 'X-ProxyUser-Ip', 'X-Host'],
    ...['Real-IP', 'ClientIP', 'Connecting-IP', 'Originating_IP'],
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
    'X-Recipient',
    'X-Shipping-Ip-Id',
    'CF-Access-Client-Id',
    'Client-Request-Id',
    'X-HTTP-Method-Override',
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

  it('loses a field that is exactly the user token, however short the others are', () => {
    expect(forwarded(['Host', 'g', ...BEARER, 'X-Copy', TOKEN, 'X-A', '1']).slice(4)).toEqual(['X-A', '1']);
  });

  it.each([
    ...['Content-Length', 'Traceparent', 'Sec-Fetch-Site', 'Sec-Fetch-Mode', 'Sec-Fetch-Dest'],
    ...['Access-Control-Request-Method', 'Access-Control-Request-Headers', 'Accept', 'User-Agent'],
  ])('keeps %s where the caller put it', (name) => {
    const raw = ['Host', 'g', ...BEARER, 'X-A', '1', name, '2', 'X-B', '3'];
    expect(forwarded(raw).slice(4)).toEqual(['X-A', '1', name, '2', 'X-B', '3']);
  });

  it.each([
    ['percent-encoded', TOKEN.replaceAll('.', '%2E')],
    ['percent-encoded throughout', [...Buffer.from(TOKEN)].map((byte) => `%${byte.toString(16)}`).join('')],
    ['percent-encoded twice', TOKEN.replaceAll('.', '%252e')],
    ['in Base64', Buffer.from(TOKEN).toString('base64')],
    ['in Base64 behind one byte', `Basic ${Buffer.from(`:${TOKEN}`).toString('base64')}`],
    ['in Base64 behind two', `Basic ${Buffer.from(`a:${TOKEN}`).toString('base64')}`],
    ['in Base64 twice over', `Basic ${Buffer.from(`${TOKEN}:${TOKEN}`).toString('base64')}`],
    ['in Base64 of JSON', Buffer.from(JSON.stringify({ token: TOKEN })).toString('base64')],
    ['in Base64url', Buffer.from(`???${TOKEN}>>>`).toString('base64url')],
    ['in Base64, percent-encoded', encodeURIComponent(Buffer.from(`x:${TOKEN}`).toString('base64'))],
  ])('loses a field with the user token %s', (_how, value) => {
    expect(forwarded(['Host', 'g', ...BEARER, 'X-Copy', value, 'X-A', '1']).slice(4)).toEqual(['X-A', '1']);
  });

  it('loses the user token in Base64 with anything around it, and nothing that only looks like it', () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(
        bytes,
        bytes,
        fc.constantFrom<BufferEncoding>('base64', 'base64url'),
        (before, after, encoding) => {
          const value = Buffer.concat([before, Buffer.from(TOKEN), after]).toString(encoding);
          const other = Buffer.concat([before, Buffer.from(TOKEN.replace('p', 'q')), after]).toString(
            encoding,
          );
          const raw = ['Host', 'g', ...BEARER, 'X-Copy', value, 'X-Other', other];
          expect(forwarded(raw).slice(4)).toEqual(['X-Other', other]);
        },
      ),
    );
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

  it('frames a chunked upload again, on a connection that stays', () => {
    const raw = ['Host', 'g', ...BEARER, 'Transfer-Encoding', 'chunked'];
    expect(forwarded(raw, { method: 'POST' }).slice(4)).toEqual(['Transfer-Encoding', 'chunked']);
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
  const places = indexCallerPlaces([
    { in: 'scheme', scheme: 'Zoho-oauthtoken' },
    { in: 'header', name: 'X-Shopify-Access-Token' },
    { in: 'header', name: 'X-SFDC-Session', carriesCredential: true },
    { in: 'basic', part: 'password' },
  ]);
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

  it.each([
    ['Authorization', `Bearer ${TOKEN}`, undefined],
    ['authorization', `bearer  ${TOKEN}`, undefined],
    ['Authorization', `zoho-oauthtoken ${TOKEN}`, undefined],
    ['x-shopify-access-token', TOKEN, undefined],
    ['x-sfdc-session', TOKEN, 'x-sfdc-session'],
    ['Authorization', basic(`ada:${TOKEN}`), undefined],
  ])('is found in %s: %s', (name, value, carrier) => {
    const reading = readToken(readFields([name, value], places.headers), places);
    expect(reading).toEqual({ kind: 'token', token: TOKEN, carrier });
  });

  it.each([
    [[]],
    [['Authorization', TOKEN]],
    [['Authorization', 'Digest x']],
    [['Authorization', basic(TOKEN)]],
    [['X-Other-Token', TOKEN]],
  ])('is missing in %j', (raw) => {
    expect(readToken(readFields(raw, places.headers), places)).toEqual({ kind: 'missing' });
  });

  it.each([
    [['Authorization', 'Bearer']],
    [['Authorization', 'Bearer ']],
    [['X-Shopify-Access-Token', '']],
    [['X-SFDC-Session', '']],
    [['Authorization', basic('ada:')]],
  ])('has a place, which is empty, in %j', (raw) => {
    expect(readToken(readFields(raw, places.headers), places)).toEqual({ kind: 'empty' });
  });

  it.each([
    [basic(`${TOKEN}:`), 'token'],
    [basic(`key:${TOKEN}`), 'token'],
    [basic(`${TOKEN}:${TOKEN}`), 'token'],
    [basic(`${TOKEN}:${TOKEN}x`), 'several'],
    [basic('key:secret'), 'empty'],
  ])('is found once in either half of Basic: %s', (value, kind) => {
    const either = indexCallerPlaces([
      { in: 'basic', part: 'username' },
      { in: 'basic', part: 'password' },
    ]);
    expect(readToken(readFields(['Authorization', value], []), either)).toMatchObject({ kind });
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
