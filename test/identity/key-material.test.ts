import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { parsePublicKey, thumbprint } from '../../src/identity/signing-keys/key-material.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const base64url = (number: bigint) => {
  const hex = number.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
};

describe('a pasted public key', () => {
  const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
  const pkcs1 = rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const jwk = { ...ec.publicKey.export({ format: 'jwk' }) };
  const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey;

  it.each([
    ['SPKI PEM', 'RS256', spki(rsa.publicKey)],
    ['PKCS#1 PEM', 'PS512', pkcs1],
    ['PEM with CRLF and spaces around', 'RS256', `\n ${spki(rsa.publicKey).replaceAll('\n', '\r\n')} \n`],
    ['a JWK', 'ES256', jwk],
    ['a JWK as text', 'ES256', JSON.stringify(jwk)],
    ['a JWK that names its alg and use', 'ES256', { ...jwk, alg: 'ES256', use: 'sig' }],
    ['a P-384 key', 'ES384', spki(curve('P-384'))],
    ['a P-521 key', 'ES512', spki(curve('P-521'))],
  ])('is taken as %s', async (_what, alg, publicKey) => {
    const parsed = parsePublicKey({ alg, publicKey });
    expect(parsed).toMatchObject({ ok: true, alg });
    expect(parsed.ok && parsed.kid).toBe(parsed.ok && thumbprint(createPublicKey(parsed.pem)));
  });

  it('keeps the kid that a JWK brings', async () => {
    expect(parsePublicKey({ alg: 'ES256', publicKey: { ...jwk, kid: 'mine-1' } })).toMatchObject({
      kid: 'mine-1',
    });
  });

  it('has the thumbprint of RFC 7638 section 3.1', async () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3okn' +
      'jhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qM' +
      'QvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJ' +
      'zKnqDKgw';
    const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
    expect(thumbprint(key)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
  });

  const privatePem = ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const rsaJwk = rsa.publicKey.export({ format: 'jwk' });
  it.each([
    ['an unknown algorithm', 'HS256', spki(rsa.publicKey), /one of RS256/],
    ['none', 'none', spki(rsa.publicKey), /one of RS256/],
    ['a private PEM key', 'ES256', privatePem, /private key/],
    ['a private PEM key after a public one', 'ES256', spki(ec.publicKey) + privatePem, /private key/],
    ['a private JWK', 'ES256', ec.privateKey.export({ format: 'jwk' }), /private key/],
    [
      'a private JWK as text',
      'RS256',
      JSON.stringify(rsa.privateKey.export({ format: 'jwk' })),
      /private key/,
    ],
    ['a shared secret', 'ES256', { kty: 'oct', k: 'c2VjcmV0' }, /shared secret/],
    [
      'RSA of 1024 bits',
      'RS256',
      spki(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey),
      /1024 bits/,
    ],
    [
      'an exponent that makes work',
      'RS256',
      { ...rsaJwk, e: Buffer.alloc(9, 0x7f).toString('base64url') },
      /too large/,
    ],
    ['an exponent of 33 bits', 'RS256', { ...rsaJwk, e: base64url(2n ** 32n + 1n) }, /65537 is usual/],
    [
      'a long key with a long exponent',
      'RS256',
      { kty: 'RSA', n: base64url(2n ** 8192n - 1n), e: base64url(65_539n) },
      /65537 is usual/,
    ],
    ['a curve that does not fit', 'ES256', spki(curve('P-384')), /needs an EC key on prime256v1/],
    ['secp256k1', 'ES256', spki(curve('secp256k1')), /needs an EC key on prime256v1/],
    ['an EC key for RS256', 'RS256', spki(ec.publicKey), /needs an RSA key/],
    ['an RSA key for ES256', 'ES256', spki(rsa.publicKey), /needs an EC key/],
    ['Ed25519', 'ES256', spki(generateKeyPairSync('ed25519').publicKey), /needs an EC key/],
    ['another alg than the JWK’s', 'ES256', { ...jwk, alg: 'ES384' }, /not the algorithm/],
    ['a JWK for encryption', 'ES256', { ...jwk, use: 'enc' }, /not meant for signatures/],
    ['a JWK with a bad kid', 'ES256', { ...jwk, kid: 'a b' }, /`kid`/],
    ['a JWK whose kid is no text', 'ES256', { ...jwk, kid: 7 }, /`kid`/],
    ['a JWK without coordinates', 'ES256', { kty: 'EC', crv: 'P-256' }, /cannot be read/],
    ['a JWK off the curve', 'ES256', { ...jwk, y: jwk.x }, /cannot be read/],
    ['mangled PEM', 'RS256', spki(rsa.publicKey).replace('-----BEGIN', '----BEGIN'), /must be PEM/],
    ['PEM with lost characters', 'RS256', spki(rsa.publicKey).replace(/A.{9}/, ''), /cannot be read/],
    ['PEM on one line', 'RS256', spki(rsa.publicKey).replaceAll('\n', ''), /cannot be read|must be PEM/],
    ['a certificate', 'RS256', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', /certificate/],
    ['a text', 'RS256', 'secret', /must be PEM/],
    ['a number', 'RS256', 7, /must be PEM/],
    ['null', 'RS256', null, /must be PEM/],
    ['a list', 'RS256', [jwk], /must be PEM/],
    ['broken JSON', 'ES256', '{"kty":', /must be PEM/],
  ])('is refused as %s', async (_what, alg, publicKey, message) => {
    const parsed = parsePublicKey({ alg, publicKey });
    expect(parsed.ok ? '' : parsed.message).toMatch(message);
  });

  it.each([
    ['an exponent of 32 bits', { ...rsaJwk, e: base64url(2n ** 32n - 5n) }],
    ['8192 bits', { kty: 'RSA', n: base64url(2n ** 8192n - 1n), e: 'AQAB' }],
  ])('is taken with %s', (_what, publicKey) => {
    expect(parsePublicKey({ alg: 'RS256', publicKey })).toMatchObject({ ok: true });
  });

  it('is refused without a throw, whatever comes', async () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.jsonValue(), fc.object()), (publicKey) => {
        expect(parsePublicKey({ alg: 'ES256', publicKey }).ok).toBe(false);
      }),
    );
  });

  it('never shows a pasted private key in its message', async () => {
    const parsed = parsePublicKey({ alg: 'ES256', publicKey: privatePem });
    expect(JSON.stringify(parsed)).not.toContain(privatePem.split('\n')[1]);
  });
});
