import type { CredentialPlacement } from '../../src/proxy/contract.ts';
import { credentialField } from '../../src/proxy/credential-field.ts';
import type { TokenPlace } from '../../src/proxy/headers.ts';

const OAUTH = { version: 1, values: { accessToken: 'at-1' } };
const KEY = { version: 1, values: { apiKey: 'key-1', email: 'ada@example.com' } };
const PASSWORD = { version: 1, values: { username: 'svc', password: 'pw:1' } };
const BEARER: CredentialPlacement = { in: 'header', name: 'Authorization', template: 'Bearer {accessToken}' };
const HEADER: CredentialPlacement = { in: 'header', name: 'X-Api-Key', template: '{apiKey}' };
const BASIC: CredentialPlacement = { in: 'basic', username: '{username}', password: '{password}' };
const TOKEN_BASIC: CredentialPlacement = { in: 'basic', username: '{email}/token', password: '{apiKey}' };
const QUERY: CredentialPlacement = { in: 'query', name: 'key', template: '{apiKey}' };
const SCHEME: TokenPlace = { in: 'scheme' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the field with the real credential', () => {
  it.each([
    ['a scheme', SCHEME, BEARER, OAUTH, { name: 'Authorization', value: 'Bearer at-1' }],
    ['a scheme', SCHEME, HEADER, KEY, { name: 'X-Api-Key', value: 'key-1' }],
    ['a scheme', SCHEME, BASIC, PASSWORD, { name: 'Authorization', value: `Basic ${base64('svc:pw:1')}` }],
    [
      'a scheme',
      SCHEME,
      TOKEN_BASIC,
      KEY,
      { name: 'Authorization', value: `Basic ${base64('ada@example.com/token:key-1')}` },
    ],
    ['a scheme', SCHEME, QUERY, KEY, undefined],
    [
      'its own header',
      { in: 'header', name: 'x-api-key' },
      HEADER,
      KEY,
      { name: 'X-Api-Key', value: 'key-1' },
    ],
    ['another header', { in: 'header', name: 'X-Shop' }, BEARER, OAUTH, { name: 'X-Shop', value: 'at-1' }],
    [
      'another header',
      { in: 'header', name: 'X-Goog-Api-Key' },
      QUERY,
      KEY,
      { name: 'X-Goog-Api-Key', value: 'key-1' },
    ],
    [
      'the Basic password',
      { in: 'basic', part: 'password', otherHalf: 'x' },
      BEARER,
      OAUTH,
      { name: 'Authorization', value: `Basic ${base64('x:at-1')}` },
    ],
    [
      'the Basic user name',
      { in: 'basic', part: 'username', otherHalf: '' },
      HEADER,
      KEY,
      { name: 'Authorization', value: `Basic ${base64('key-1:')}` },
    ],
    [
      'the Basic password',
      { in: 'basic', part: 'password', otherHalf: 'x' },
      BASIC,
      PASSWORD,
      { name: 'Authorization', value: `Basic ${base64('svc:pw:1')}` },
    ],
  ] as const)('replaces a token in %s', (_where, place, placement, credential, field) => {
    expect(credentialField(place, placement, credential)).toEqual({ kind: 'field', field });
  });

  it('is the precomputed value where there is one', () => {
    const credential = { version: 1, values: {}, headerValue: 'Zoho-oauthtoken z' };
    expect(credentialField(SCHEME, BEARER, credential)).toEqual({
      kind: 'field',
      field: { name: 'Authorization', value: 'Zoho-oauthtoken z' },
    });
  });

  it('is computed anew for a newer credential of the same connection', () => {
    const older = { version: 1, values: { accessToken: 'old' } };
    credentialField(SCHEME, BEARER, older);
    const newer = { version: 2, values: { accessToken: 'new' } };
    expect(credentialField(SCHEME, BEARER, newer)).toMatchObject({ field: { value: 'Bearer new' } });
  });

  it.each(['', 'a\r\nX-Injected: 1', 'a\nb', 'a\0b', 'snow☃'])(
    'is a fault for the value %j',
    (accessToken) => {
      expect(credentialField(SCHEME, HEADER, { version: 1, values: { apiKey: accessToken } })).toEqual({
        kind: 'fault',
      });
    },
  );

  it('is a fault when a value is missing', () => {
    expect(credentialField(SCHEME, BEARER, KEY)).toEqual({ kind: 'fault' });
  });
});
