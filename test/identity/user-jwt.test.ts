import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import jwt from 'jsonwebtoken';
import { generateManagedKey } from '../../src/identity/signing-keys/key-material.ts';
import {
  readUserToken,
  signUserToken,
  TOKEN_LENGTH_MAX,
  type TokenVerdict,
  verifyUserToken,
} from '../../src/identity/user-jwt/user-jwt.ts';
import type { UserTokenAlgorithm, VerificationKey } from '../../src/identity/user-jwt/verification-key.ts';

const PROJECT = '0190b1e2-0000-7000-8000-0000000000aa';
const NOW_MS = 1_800_000_000_000;
const NOW = NOW_MS / 1000;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function verificationKey(
  alg: UserTokenAlgorithm,
  key: KeyObject,
  more: Partial<VerificationKey> = {},
): VerificationKey {
  return {
    identity: `id-${alg}`,
    kid: 'k',
    alg,
    key,
    issuer: null,
    audience: null,
    isManaged: false,
    ...more,
  };
}

const ES256 = verificationKey('ES256', ec.publicKey);
const RS256 = verificationKey('RS256', rsa.publicKey);
const CLAIMS = { sub: 'user-1', aud: PROJECT, iat: NOW, exp: NOW + 3600 };
const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

it('takes a token in one spelling alone, since others would be tokens that no list knows', () => {
  const text = jwt.sign(CLAIMS, ec.privateKey, { algorithm: 'ES256', keyid: 'k' });
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const bytesOf = (token: string) => Buffer.from(token.slice(token.lastIndexOf('.') + 1), 'base64url');
  const same = [...alphabet]
    .map((last) => text.slice(0, -1) + last)
    .filter((other) => bytesOf(other).equals(bytesOf(text)));
  // 64 bytes leave four bits of the last character.
  expect(same).toHaveLength(16);
  expect(same.filter((other) => readUserToken(other) !== undefined)).toEqual([text]);
});

/** A token with any header and payload whatever, correctly signed with ES256 unless the test asks otherwise. */
function token(payload: unknown, header: object = {}, privateKey = ec.privateKey): string {
  return signed(`${b64({ alg: 'ES256', kid: 'k', ...header })}.${b64(payload)}`, privateKey);
}

function signed(input: string, key: KeyObject): string {
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

async function verdict(
  text: string,
  keys: readonly VerificationKey[] = [ES256],
  nowMs = NOW_MS,
): Promise<TokenVerdict['verdict']> {
  const read = readUserToken(text);
  return read ? (await verifyUserToken(read, keys, { projectId: PROJECT, nowMs })).verdict : 'invalid';
}

describe('a good token', () => {
  it('tells the subject, the expiry and the key', async () => {
    const read = readUserToken(token(CLAIMS));
    expect(read && (await verifyUserToken(read, [ES256], { projectId: PROJECT, nowMs: NOW_MS }))).toEqual({
      verdict: 'valid',
      subject: 'user-1',
      expiresAtMs: (NOW + 3600) * 1000,
      keyIdentity: 'id-ES256',
      jti: null,
      issuedAtMs: NOW_MS,
    });
  });

  it.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const)(
    'may be signed with %s',
    async (alg) => {
      const text = jwt.sign(CLAIMS, rsa.privateKey, { algorithm: alg, keyid: 'k' });
      expect(await verdict(text, [verificationKey(alg, rsa.publicKey)])).toBe('valid');
    },
  );

  it.each([
    ['ES256', 'P-256'],
    ['ES384', 'P-384'],
    ['ES512', 'P-521'],
  ] as const)('may be signed with %s', async (alg, namedCurve) => {
    const pair = generateKeyPairSync('ec', { namedCurve });
    const text = jwt.sign(CLAIMS, pair.privateKey, { algorithm: alg, keyid: 'k' });
    expect(await verdict(text, [verificationKey(alg, pair.publicKey)])).toBe('valid');
  });

  it.each([
    ['no typ', {}],
    ['typ JWT', { typ: 'JWT' }],
    ['typ jwt', { typ: 'jwt' }],
    ['typ at+jwt', { typ: 'at+jwt' }],
    ['typ application/at+jwt', { typ: 'application/at+jwt' }],
    ['an x5t', { x5t: 'abc' }],
  ])('may have %s', async (_what, header) => {
    expect(await verdict(token(CLAIMS, header))).toBe('valid');
  });

  it('may be the one that the gateway mints', async () => {
    const key = generateManagedKey();
    const minted = signUserToken({
      ...key,
      projectId: PROJECT,
      subject: 'user-1',
      expiresInSeconds: 3600,
      now: NOW_MS + 999,
    });
    expect(minted.expiresAt).toEqual(new Date((NOW + 3600) * 1000));
    const keys = [verificationKey('ES256', createPublicKey(key.publicKeyPem), { kid: key.kid })];
    expect(await verdict(minted.token, keys)).toBe('valid');
    expect(await verdict(minted.token, keys, minted.expiresAt.getTime() + 30_000)).toBe('expired');
  });

  it.each([0, -1, 86_401, 1.5, Number.NaN])('is not minted for %d seconds', async (expiresInSeconds) => {
    const key = generateManagedKey();
    const input = { ...key, projectId: PROJECT, subject: 'u', expiresInSeconds, now: NOW_MS };
    expect(() => signUserToken(input)).toThrow(RangeError);
  });
});

describe('claims', () => {
  it.each([
    ['a subject with a colon', { sub: 'operators:1' }],
    ['the longest subject', { sub: 'x'.repeat(255) }],
    ['a subject of 255 characters outside the BMP', { sub: '😀'.repeat(255) }],
    ['aud in an array', { aud: ['other', PROJECT] }],
    ['an expiry of exactly 24 h', { exp: NOW + 86_400 }],
    ['an expiry with fractions', { exp: NOW + 10.5 }],
    ['no iat and an expiry within 24 h', { iat: undefined, exp: NOW + 86_400 }],
    ['iat up to 30 s ahead', { iat: NOW + 30 }],
    ['nbf up to 30 s ahead', { nbf: NOW + 30 }],
    ['an expiry less than 30 s ago', { iat: NOW - 60, exp: NOW - 29 }],
  ])('are taken with %s', async (_what, claims) => {
    expect(await verdict(token({ ...CLAIMS, ...claims }))).toBe('valid');
  });

  it.each([
    ['no sub', { sub: undefined }],
    ['an empty sub', { sub: '' }],
    ['a number as sub', { sub: 7 }],
    ['an object as sub', { sub: { id: 1 } }],
    ['an array as sub', { sub: ['u'] }],
    ['null as sub', { sub: null }],
    ['a sub that names an operator', { sub: 'operator:01890000-0000-7000-8000-0000000000ff' }],
    ['a sub of 256 characters', { sub: 'x'.repeat(256) }],
    ['a sub with NUL', { sub: 'a\0b' }],
    ['a sub with a line break', { sub: 'a\nb' }],
    ['a sub with DEL', { sub: 'a\x7fb' }],
    ['a sub with a C1 control', { sub: 'a\x85b' }],
    ['a sub with a lone surrogate', { sub: 'a\ud800b' }],
    ['no aud', { aud: undefined }],
    ['another aud', { aud: '0190b1e2-0000-7000-8000-0000000000bb' }],
    ['an aud that only begins with the project', { aud: `${PROJECT} ` }],
    ['an array without the project', { aud: ['x', 'y'] }],
    ['an empty array', { aud: [] }],
    ['a nested array', { aud: [[PROJECT]] }],
    ['an array with other than strings', { aud: [PROJECT, 1] }],
    ['an object as aud', { aud: { [PROJECT]: true } }],
    ['no exp', { exp: undefined }],
    ['exp as a string', { exp: String(NOW + 60) }],
    ['exp as null', { exp: null }],
    ['exp as a boolean', { exp: true }],
    ['an expiry of more than 24 h', { exp: NOW + 86_401 }],
    ['an expiry of years', { exp: 1e300 }],
    ['no iat and an expiry far away', { iat: undefined, exp: NOW + 86_431 }],
    ['iat more than 30 s ahead', { iat: NOW + 31 }],
    ['iat as a string', { iat: String(NOW) }],
    ['iat as null', { iat: null }],
    ['an old iat and an expiry of days', { iat: NOW - 100_000, exp: NOW + 60 }],
    ['nbf more than 30 s ahead', { nbf: NOW + 31 }],
    ['nbf as a string', { nbf: '0' }],
    ['nbf as null', { nbf: null }],
  ])('are refused with %s', async (_what, claims) => {
    expect(await verdict(token({ ...CLAIMS, ...claims }))).toBe('invalid');
  });

  it.each([
    ['an array', [CLAIMS]],
    ['a string', 'user-1'],
    ['null', null],
    ['a number', 1],
  ])('are refused as %s', async (_what, payload) => {
    expect(await verdict(token(payload))).toBe('invalid');
  });

  it('are not taken from a prototype that the payload names', async () => {
    const payload = Buffer.from(`{"__proto__":${JSON.stringify(CLAIMS)}}`).toString('base64url');
    expect(await verdict(signed(`${b64({ alg: 'ES256' })}.${payload}`, ec.privateKey))).toBe('invalid');
  });

  it('are refused when they are not UTF-8', async () => {
    const payload = Buffer.concat([
      Buffer.from(`{"aud":"${PROJECT}","exp":${NOW + 60},"sub":"`),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]).toString('base64url');
    expect(await verdict(signed(`${b64({ alg: 'ES256' })}.${payload}`, ec.privateKey))).toBe('invalid');
  });

  it('must name the issuer and the audience that the key names', async () => {
    const strict = verificationKey('ES256', ec.publicKey, {
      issuer: 'https://idp.example',
      audience: 'my-app',
    });
    const good = { ...CLAIMS, iss: 'https://idp.example', aud: ['my-app'] };
    expect(await verdict(token(good), [strict])).toBe('valid');
    for (const bad of [
      { iss: undefined },
      { iss: 'https://idp.example/' },
      { iss: [good.iss] },
      { aud: PROJECT },
    ]) {
      expect(await verdict(token({ ...good, ...bad }), [strict])).toBe('invalid');
    }
  });
});

describe('expiry', () => {
  const old = { ...CLAIMS, iat: NOW - 3600, exp: NOW - 30 };

  it('is told when nothing else is wrong', async () => {
    expect(await verdict(token(old))).toBe('expired');
  });

  it.each([
    ['the signature', token(old, {}, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)],
    ['the audience', token({ ...old, aud: 'other' })],
    ['the subject', token({ ...old, sub: '' })],
    ['the lifetime', token({ ...old, iat: NOW - 100_000 })],
  ])('is not told when %s is wrong too', async (_what, text) => {
    expect(await verdict(text)).toBe('invalid');
  });
});

describe('headers', () => {
  it.each([
    ['crit', { crit: ['exp'] }],
    ['an empty crit', { crit: [] }],
    ['b64', { b64: false, crit: ['b64'] }],
    ['b64 alone', { b64: true }],
    ['jku', { jku: 'https://evil.example/keys' }],
    ['x5u', { x5u: 'https://evil.example/cert' }],
    ['an embedded jwk', { jwk: ec.publicKey.export({ format: 'jwk' }) }],
    ['jku null', { jku: null }],
    ['another typ', { typ: 'logout+jwt' }],
    ['a typ that is no string', { typ: ['JWT'] }],
    ['a kid that is no string', { kid: 1 }],
    ['an empty kid', { kid: '' }],
    ['a long kid', { kid: 'k'.repeat(129) }],
    ['an SQL kid', { kid: "k' OR '1'='1" }],
    ['a URL kid', { kid: 'https://evil.example/k' }],
    ['alg none', { alg: 'none' }],
    ['alg nOnE', { alg: 'nOnE' }],
    ['no alg', { alg: undefined }],
    ['alg HS256', { alg: 'HS256' }],
    ['alg in a list', { alg: ['ES256'] }],
    ['alg es256', { alg: 'es256' }],
    ['alg EdDSA', { alg: 'EdDSA' }],
  ])('are refused with %s', async (_what, header) => {
    expect(await verdict(token(CLAIMS, header))).toBe('invalid');
  });

  it.each(['../../k', '/dev/null', '__proto__', 'constructor', 'K', 'k.', 'k='])(
    'with the kid %s find no key, and cost no signature check',
    async (kid) => {
      expect(['invalid', 'unknown_key']).toContain(await verdict(token(CLAIMS, { kid })));
    },
  );

  it('without kid are tried against at most five keys of their algorithm', async () => {
    const others = Array.from({ length: 5 }, () =>
      verificationKey('ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey),
    );
    const text = token(CLAIMS, { kid: undefined });
    expect(await verdict(text, [...others.slice(1), RS256, ES256])).toBe('valid');
    expect(await verdict(text, [...others, ES256])).toBe('invalid');
  });

  it('with a kid are never tried against a key of another kid', async () => {
    expect(await verdict(token(CLAIMS, { kid: 'k' }), [{ ...ES256, kid: 'other' }])).toBe('unknown_key');
    expect(await verdict(token(CLAIMS, { kid: 'k' }), [{ ...ES256, kid: null }])).toBe('unknown_key');
  });
});

describe('the algorithm', () => {
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();

  it.each([pem, pem.trim(), pem.replace(/-----BEGIN/, '----BEGIN'), pem.replaceAll('\n', '')])(
    'cannot be turned to HMAC with the public key as the secret',
    async (secret) => {
      const input = `${b64({ alg: 'HS256', typ: 'JWT', kid: 'k' })}.${b64(CLAIMS)}`;
      const forged = `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
      expect(await verdict(forged, [RS256])).toBe('invalid');
      const disguised = `${b64({ alg: 'RS256', kid: 'k' })}.${b64(CLAIMS)}`;
      const mac = createHmac('sha256', secret).update(disguised).digest('base64url');
      expect(await verdict(`${disguised}.${mac}`, [RS256])).toBe('invalid');
    },
  );

  it('is the key’s: a token signed by the right key with another algorithm is refused', async () => {
    const text = jwt.sign(CLAIMS, rsa.privateKey, { algorithm: 'RS512', keyid: 'k' });
    expect(await verdict(text, [RS256])).toBe('invalid');
    const pss = jwt.sign(CLAIMS, rsa.privateKey, { algorithm: 'PS256', keyid: 'k' });
    expect(await verdict(pss, [RS256])).toBe('invalid');
  });
});

describe('the form', () => {
  const good = token(CLAIMS);
  const [header, payload, signature] = good.split('.');

  it.each([
    ['an empty text', ''],
    ['one part', 'abc'],
    ['two parts', `${header}.${payload}`],
    ['an empty signature', `${header}.${payload}.`],
    ['an empty payload', `${header}..${signature}`],
    ['four parts', `${good}.x`],
    ['five parts', `${good}.x.y`],
    ['padding', `${good}=`],
    ['a space', `${header}. ${payload}.${signature}`],
    ['a trailing newline', `${good}\n`],
    ['a header that is no JSON', `abc.${payload}.${signature}`],
    ['a header that is an array', `${b64([])}.${payload}.${signature}`],
    ['another token’s signature', `${header}.${payload}.${token({ ...CLAIMS, sub: 'x' }).split('.')[2]}`],
    ['a cut signature', good.slice(0, -4)],
    ['another subject', `${header}.${b64({ ...CLAIMS, sub: 'admin' })}.${signature}`],
  ])('is refused with %s', async (_what, text) => {
    expect(await verdict(text)).toBe('invalid');
  });

  it('may be 8 KiB long and no longer', async () => {
    const spare = TOKEN_LENGTH_MAX - token({ ...CLAIMS, pad: '' }).length;
    const fitting = token({ ...CLAIMS, pad: 'x'.repeat(Math.floor((spare * 3) / 4) - 2) });
    expect(fitting.length).toBeLessThanOrEqual(TOKEN_LENGTH_MAX);
    expect(await verdict(fitting)).toBe('valid');
    const longer = token({ ...CLAIMS, pad: 'x'.repeat(Math.ceil((spare * 3) / 4) + 4) });
    expect(longer.length).toBeGreaterThan(TOKEN_LENGTH_MAX);
    expect(await verdict(longer)).toBe('invalid');
  });

  it('is refused without a throw, whatever comes', async () => {
    const part = fc.oneof(
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
      fc.base64String(),
      fc.string({ unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
        expect(await verdict(parts.join('.'))).toBe('invalid');
      }),
    );
  });

  it('is refused when any one character of a good token is another', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // The last character has spare bits that decode to nothing.
    const property = fc.asyncProperty(
      fc.nat(good.length - 2),
      fc.constantFrom(...alphabet),
      async (index, character) => {
        fc.pre(good[index] !== character);
        const changed = good.slice(0, index) + character + good.slice(index + 1);
        expect(await verdict(changed)).not.toBe('valid');
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });
});
