import type { CredentialPlacement } from '../../src/lib/credential-placement.ts';
import { callCredential } from '../../src/proxy/call-credential.ts';

const OAUTH = { version: 1, values: { accessToken: 'at-1' } };
const KEY = { version: 1, values: { apiKey: 'key/1', email: 'ada@example.com' } };
const PASSWORD = { version: 1, values: { username: 'svc', password: 'pw:1' } };
const BEARER: CredentialPlacement = { in: 'header', name: 'Authorization', template: 'Bearer {accessToken}' };
const HEADER: CredentialPlacement = { in: 'header', name: 'X-Api-Key', template: '{apiKey}' };
const BASIC: CredentialPlacement = { in: 'basic', username: '{username}', password: '{password}' };
const TOKEN_BASIC: CredentialPlacement = { in: 'basic', username: '{email}/token', password: '{apiKey}' };
const QUERY: CredentialPlacement = { in: 'query', name: 'key', template: '{apiKey}' };
const PATH: CredentialPlacement = { in: 'path', template: '/bot{apiKey}' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the real credential', () => {
  it.each([
    ['a bearer token', BEARER, OAUTH, { in: 'header', name: 'Authorization', value: 'Bearer at-1' }],
    ['a key in a header', HEADER, KEY, { in: 'header', name: 'X-Api-Key', value: 'key/1' }],
    ['Basic', BASIC, PASSWORD, { in: 'header', name: 'Authorization', value: `Basic ${base64('svc:pw:1')}` }],
    [
      'Basic by templates',
      TOKEN_BASIC,
      KEY,
      { in: 'header', name: 'Authorization', value: `Basic ${base64('ada@example.com/token:key/1')}` },
    ],
    ['a query parameter', QUERY, KEY, { in: 'query', name: 'key', value: 'key/1' }],
    ['the path', PATH, KEY, { in: 'path', basePath: '/botkey%2F1' }],
  ] as const)('stands where the provider wants it: %s', (_where, placement, credential, expected) => {
    expect(callCredential(placement, credential, undefined)).toEqual(expected);
  });

  it('stands in the carrier alone where there is one', () => {
    expect(callCredential(BEARER, OAUTH, 'X-Session')).toEqual({
      in: 'header',
      name: 'X-Session',
      value: 'at-1',
    });
  });

  it('is made again for a newer one of the same connection', () => {
    callCredential(BEARER, { version: 1, values: { accessToken: 'old' } }, undefined);
    const newer = { version: 2, values: { accessToken: 'new' } };
    expect(callCredential(BEARER, newer, undefined)).toMatchObject({ value: 'Bearer new' });
  });

  it.each(['', 'a\r\nX-Injected: 1', 'a\nb', 'a\0b', 'snow☃'])('is not sent with the value %j', (apiKey) => {
    const credential = { version: 1, values: { apiKey, accessToken: apiKey } };
    expect(callCredential(HEADER, credential, undefined)).toBeUndefined();
    expect(callCredential(BEARER, credential, 'X-Session')).toBeUndefined();
  });

  it('is not sent without a value that its placement names', () => {
    expect(
      [BEARER, BASIC, TOKEN_BASIC].map((one) => callCredential(one, { version: 1, values: {} }, undefined)),
    ).toEqual([undefined, undefined, undefined]);
    expect(callCredential(HEADER, { version: 1, values: {} }, 'X-Session')).toBeUndefined();
  });
});
