import { createHmac } from 'node:crypto';
import { createOAuth1Signer, oauth1Authorization } from '../../src/request-signing/oauth1.ts';

/** Printer and photos of RFC 5849 section 1.2. */
const RFC = {
  consumer: { key: 'dpf43f3p2l4k3l03', secret: 'kd94hf93k423kf44' },
  url: 'http://photos.example.net/photos',
};
const signatureOf = (field: string) => decodeURIComponent(/oauth_signature="([^"]*)"/.exec(field)?.[1] ?? '');

describe('the signature is the published one of', () => {
  it('the example of OAuth Core 1.0a, appendix A.5', () => {
    const field = oauth1Authorization({
      signatureMethod: 'HMAC-SHA1',
      consumer: RFC.consumer,
      token: { key: 'nnch734d00sl2jdk', secret: 'pfkkdhi9sl3r4s00' },
      method: 'GET',
      url: RFC.url,
      parameters: [
        ['file', 'vacation.jpg'],
        ['size', 'original'],
      ],
      nowMs: 1_191_242_096_000,
      nonce: 'kllo9940pd9333jh',
    });
    expect(signatureOf(field)).toBe('tR3+Ty81lMeYAr/Fid0kMTYa/WM=');
  });

  it('the example of X’s documentation, with a form', () => {
    const field = oauth1Authorization({
      signatureMethod: 'HMAC-SHA1',
      consumer: { key: 'xvz1evFS4wEEPTGEFPHBog', secret: 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw' },
      token: {
        key: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
        secret: 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE',
      },
      method: 'POST',
      url: 'https://api.twitter.com/1.1/statuses/update.json',
      parameters: [
        ['include_entities', 'true'],
        ['status', 'Hello Ladies + Gentlemen, a signed OAuth request!'],
      ],
      nowMs: 1_318_622_958_000,
      nonce: 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg',
    });
    expect(signatureOf(field)).toBe('hCtSmYh+iHYCEqBWrE7C7hYmtUk=');
  });

  it('a request as in RFC 5849 section 3.4.1.1, with duplicates, blanks and reserved characters', () => {
    const query: [string, string][] = [
      ['b5', '=%3D'],
      ['a3', 'a'],
      ['c@', ''],
      ['a2', 'r b'],
    ];
    const form: [string, string][] = [
      ['c2', ''],
      ['a3', '2 q'],
    ];
    const field = oauth1Authorization({
      signatureMethod: 'HMAC-SHA1',
      consumer: { key: '9djdj82h48djs9d2', secret: 'j49sk3j29djd' },
      token: { key: 'kkk9d7dh3k39sjv7', secret: 'dh893hdasih9' },
      realm: 'Example',
      method: 'POST',
      url: 'http://example.com/request',
      parameters: [...query, ...form],
      nowMs: 137_131_201_000,
      nonce: '7d8f3e4a',
    });
    expect(field).toMatch(/^OAuth realm="Example", /);
    const expected = expectedOf('POST', 'http://example.com/request', field, 'dh893hdasih9', [
      ...query,
      ...form,
    ]);
    expect(signatureOf(field)).toBe(expected);
  });

  it('a request with parameters that are called like members of every object', () => {
    const parameters: [string, string][] = [
      ['toString', 'no'],
      ['constructor', 'a'],
      ['constructor', 'b'],
    ];
    const field = oauth1Authorization({
      signatureMethod: 'HMAC-SHA1',
      consumer: RFC.consumer,
      method: 'GET',
      ...{ url: RFC.url, parameters, nowMs: 137_131_201_000, nonce: '7d8f3e4a' },
    });
    expect(signatureOf(field)).toBe(expectedOf('GET', RFC.url, field, '', parameters));
  });
});

/** The signature as sections 3.4.1 and 3.4.2 have it, written apart from the library that signs. */
function expectedOf(
  method: string,
  url: string,
  field: string,
  tokenSecret: string,
  parameters: readonly (readonly [string, string])[],
  hash = 'sha1',
): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const own = [...field.matchAll(/(oauth_\w+)="([^"]*)"/g)]
    .map(([, name = '', value = '']) => [name, decodeURIComponent(value)] as const)
    .filter(([name]) => name !== 'oauth_signature');
  const inQuery = new Set(parameters.map(([name]) => name));
  const all = [...own.filter(([name]) => !inQuery.has(name)), ...parameters]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, b], [c, d]) => (a === c ? (b < d ? -1 : 1) : a < c ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const secret = field.includes('9djdj82h48djs9d2') ? 'j49sk3j29djd' : 'kd94hf93k423kf44';
  return createHmac(hash, `${encode(secret)}&${encode(tokenSecret)}`)
    .update(`${method}&${encode(url)}&${encode(all)}`)
    .digest('base64');
}

describe('a signed call', () => {
  const rules = {
    signatureMethod: 'HMAC-SHA256',
    consumerKey: '{clientId}',
    consumerSecret: '{clientSecret}',
    token: '{tokenId}',
    tokenSecret: '{tokenSecret}',
    realm: { value: '{accountId}', upperCase: true, replace: { '-': '_' } },
    bodyBytesMax: 100,
  } as const;
  const values = {
    clientId: RFC.consumer.key,
    clientSecret: RFC.consumer.secret,
    tokenId: 'the-token',
    tokenSecret: 'the&secret',
    accountId: '1234567-sb1',
  };
  const request = {
    method: 'GET',
    origin: 'https://api.example.com:8443',
    host: 'api.example.com:8443',
    target: '/a%20b?x=1&x=a+b&y=%2B',
    fields: ['Host', 'api.example.com:8443', 'Authorization', 'OAuth oauth_token="stand-in"'],
    hostName: undefined,
    body: undefined,
    values,
    nowMs: Date.UTC(2026, 10, 22),
  };
  const signer = createOAuth1Signer(rules, {});
  const authorizationOf = (fields: readonly string[]) => fields[fields.indexOf('Authorization') + 1] ?? '';

  it('is signed over address and query as the server reads them, with the realm beside', () => {
    const { target, fields } = signer.sign(request);
    const field = authorizationOf(fields);
    expect(target).toBe(request.target);
    expect(fields.filter((name) => name === 'Authorization')).toHaveLength(1);
    expect(field).toContain('realm="1234567_SB1"');
    const query = [
      ['x', '1'],
      ['x', 'a b'],
      ['y', '+'],
    ] as const;
    const url = 'https://api.example.com:8443/a%20b';
    expect(signatureOf(field)).toBe(expectedOf('GET', url, field, 'the&secret', query, 'sha256'));
  });

  it('covers a form, and no other body', () => {
    const form = ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8'];
    expect(signer.bodyUse({ fields: form, announcedBytes: 100 })).toBe('whole');
    expect(signer.bodyUse({ fields: ['Content-Type', 'text/plain'], announcedBytes: 9999 })).toBe('streams');
    expect(() => signer.bodyUse({ fields: form, announcedBytes: 101 })).toThrow(/100 bytes/);
    const { fields } = signer.sign({
      ...request,
      method: 'POST',
      target: '/',
      fields: form,
      body: Buffer.from('status=Hello+Ladies+%2B+Gentlemen'),
    });
    const field = authorizationOf(fields);
    const sent = [['status', 'Hello Ladies + Gentlemen']] as const;
    const url = 'https://api.example.com:8443/';
    expect(signatureOf(field)).toBe(expectedOf('POST', url, field, 'the&secret', sent, 'sha256'));
  });

  it('has a nonce of its own each time', () => {
    const [first, second] = [signer.sign(request), signer.sign(request)];
    expect(authorizationOf(first.fields)).not.toBe(authorizationOf(second.fields));
  });

  it('shows both secrets in plain text only where the provider asks for PLAINTEXT', () => {
    const plain = createOAuth1Signer({ ...rules, signatureMethod: 'PLAINTEXT' }, {}).sign(request);
    expect(signatureOf(authorizationOf(plain.fields))).toBe(`${RFC.consumer.secret}&the%26secret`);
    expect(authorizationOf(signer.sign(request).fields)).not.toContain(RFC.consumer.secret);
  });

  it('is not made with a missing token or a realm that would end its quotes', () => {
    const { tokenId: _none, ...lacking } = values;
    expect(() => signer.sign({ ...request, values: lacking })).toThrow(/cannot be signed/);
    expect(() => signer.sign({ ...request, values: { ...values, accountId: '1"' } })).toThrow(
      /cannot be signed/,
    );
  });
});
