import { createHash, generateKeyPairSync } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { JwtPerCallRules } from '../../src/catalog/schema/provider-signing.schema.ts';
import { createJwtPerCallSigner } from '../../src/request-signing/jwt-per-call.ts';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const privateKey = ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const provider = {
  variables: [],
  accessTokenHeader: { name: 'Authorization', template: 'Bearer {accessToken}' },
};
const NOW_MS = Date.UTC(2026, 10, 22);
const rules: JwtPerCallRules = {
  alg: 'ES256',
  key: '{privateKey}',
  keyEncoding: 'utf8',
  header: { kid: '{keyName}', nonce: '{random}' },
  claims: {
    iss: 'cdp',
    sub: '{keyName}',
    nbf: '{now}',
    uri: '{method} {host}{path}',
    digest: '{bodySha256}',
  },
  lifetimeSeconds: 120,
  issuedSecondsAgo: 0,
  parts: {},
  bodyBytesMax: 100,
};
const request = {
  method: 'POST',
  origin: 'https://api.example.com',
  host: 'api.example.com',
  target: '/v2/accounts?limit=1',
  fields: ['Host', 'api.example.com', 'Authorization', 'Bearer client'],
  hostName: undefined,
  body: Buffer.from('{}'),
  values: { keyName: 'the-key', privateKey },
  nowMs: NOW_MS,
};
const tokenIn = (fields: readonly string[]) =>
  (fields[fields.indexOf('Authorization') + 1] ?? '').split(' ')[1] ?? '';
const clock = { clockTimestamp: NOW_MS / 1000, complete: true } as const;

describe('a JWT for a call', () => {
  it('names the call and its body, and is signed with the user’s key', () => {
    const { fields } = createJwtPerCallSigner(rules, provider, {}).sign(request);
    const { header, payload } = jwt.verify(tokenIn(fields), ec.publicKey, {
      algorithms: ['ES256'],
      ...clock,
    });
    expect(header).toMatchObject({ kid: 'the-key', nonce: expect.stringMatching(/^[\w-]{36}$/) });
    expect(payload).toMatchObject({
      sub: 'the-key',
      uri: 'POST api.example.com/v2/accounts',
      digest: createHash('sha256').update('{}').digest('hex'),
      exp: NOW_MS / 1000 + 120,
    });
    expect(fields.filter((name) => name === 'Authorization')).toHaveLength(1);
  });

  it('is another one for every call', () => {
    const signer = createJwtPerCallSigner(rules, provider, {});
    expect(tokenIn(signer.sign(request).fields)).not.toBe(tokenIn(signer.sign(request).fields));
  });

  it('serves for half of its life where it says nothing of the call', () => {
    const signer = createJwtPerCallSigner({ ...rules, header: {}, claims: { iss: 'x' } }, provider, {});
    const at = (nowMs: number) => tokenIn(signer.sign({ ...request, nowMs }).fields);
    const first = at(NOW_MS);
    expect(at(NOW_MS + 59_000)).toBe(first);
    expect(at(NOW_MS + 60_000)).not.toBe(first);
  });

  it('is signed with a part of a pasted key, in the encoding that it has', () => {
    const ghost: JwtPerCallRules = {
      ...rules,
      alg: 'HS256',
      key: '{secret}',
      keyEncoding: 'hex',
      header: { kid: '{id}' },
      claims: { aud: '/admin/' },
      parts: {
        id: { of: 'adminKey', separator: ':', index: 0 },
        secret: { of: 'adminKey', separator: ':', index: 1 },
      },
    };
    const scheme = {
      ...provider,
      accessTokenHeader: { name: 'Authorization', template: 'Ghost {accessToken}' },
    };
    const signer = createJwtPerCallSigner(ghost, scheme, {});
    const { fields } = signer.sign({ ...request, values: { adminKey: 'the-id:00ff' } });
    expect(fields.at(-1)).toMatch(/^Ghost /);
    const { header } = jwt.verify(tokenIn(fields), Buffer.from('00ff', 'hex'), {
      audience: '/admin/',
      ...clock,
    });
    expect(header.kid).toBe('the-id');
  });

  it('covers the body where a claim holds its hash, and lets it stream otherwise', () => {
    const signer = createJwtPerCallSigner(rules, provider, {});
    expect(signer.bodyUse({ fields: [], announcedBytes: 100 })).toBe('whole');
    expect(() => signer.bodyUse({ fields: [], announcedBytes: 101 })).toThrow(/100 bytes/);
    const open = createJwtPerCallSigner({ ...rules, claims: {} }, provider, {});
    expect(open.bodyUse({ fields: [], announcedBytes: 101 })).toBe('streams');
  });

  it('is not made with a key of another kind', () => {
    const rsa = createJwtPerCallSigner({ ...rules, alg: 'RS256' }, provider, {});
    expect(() => rsa.sign(request)).toThrow(/cannot be signed/);
    expect(() => rsa.sign({ ...request, values: { ...request.values, privateKey: 'no key' } })).toThrow(
      /signed/,
    );
  });
});
