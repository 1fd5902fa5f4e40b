import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import jwt from 'jsonwebtoken';
import { parseJwks } from '../../src/identity/signing-keys/jwks.ts';
import type { StoredKey } from '../../src/identity/verification/key-sets.ts';
import { closeServer, listen } from '../support/listen.ts';
import {
  first,
  MINUTE_MS,
  OTHER,
  PROJECT,
  readErrorCode,
  START_MS,
  setUp,
  stored,
  USER,
} from './key-sets-world.ts';

describe('a JWKS', () => {
  const ISSUER = 'https://idp.example';
  let server: Server;
  let url: string;
  /** What the identity provider answers; undefined: 500. */
  let answer: object | undefined;
  let requests: number;

  beforeEach(async () => {
    requests = 0;
    server = createServer((_request, response) => {
      requests += 1;
      response.statusCode = answer ? 200 : 500;
      response.end(JSON.stringify(answer ?? {}));
    });
    url = `http://127.0.0.1:${await listen(server)}/jwks`;
  });
  afterEach(() => closeServer(server));

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const next = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const jwk = (key: KeyObject, more: object) => ({ ...key.export({ format: 'jwk' }), ...more });
  const RSA_JWK = jwk(rsa.publicKey, { kid: 'rsa-1', use: 'sig' });
  const EC_JWK = jwk(next.publicKey, { kid: 'ec-2' });

  const fetchJwks = async (from: string) => {
    const response = await fetch(from);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return response.json();
  };

  function withJwks(more: Partial<StoredKey> = {}) {
    const all = setUp(fetchJwks);
    const source: StoredKey = {
      id: 'row-jwks',
      kid: 'row-jwks',
      kind: 'jwks',
      alg: null,
      publicKeyPem: null,
      jwksUrl: url,
      issuer: ISSUER,
      audience: null,
      ...more,
    };
    all.world.projects.set(PROJECT, [stored(first), source]);
    const sign = (
      options: { key?: KeyObject; kid?: string | undefined; alg?: jwt.Algorithm; claims?: object } = {},
    ) => {
      const { key = rsa.privateKey, alg = 'RS256', claims = {} } = options;
      const kid = 'kid' in options ? options.kid : 'rsa-1';
      const iat = all.world.nowMs / 1000;
      const payload = { sub: 'user-1', aud: PROJECT, iss: ISSUER, iat, exp: iat + 3600, ...claims };
      return jwt.sign(payload, key, { algorithm: alg, ...(kid && { keyid: kid }) });
    };
    return { ...all, sign };
  }

  it('verifies by kid or without one, fetched once, and without waiting when it is in memory', async () => {
    answer = { keys: [RSA_JWK, EC_JWK] };
    const { verify, sign, isSync } = withJwks();
    expect(await verify(sign())).toEqual(USER);
    expect(await verify(sign({ kid: undefined }))).toEqual(USER);
    expect(await verify(sign({ key: next.privateKey, kid: 'ec-2', alg: 'ES384' }))).toEqual(USER);
    expect(isSync(sign())).toBe(true);
    expect(requests).toBe(1);
  });

  it('holds its tokens to the issuer, and to the audience where one is set', async () => {
    answer = { keys: [RSA_JWK] };
    const { verify, sign } = withJwks({ audience: 'my-app' });
    expect(await verify(sign({ claims: { aud: 'my-app' } }))).toEqual(USER);
    expect(await readErrorCode(verify(sign()))).toBe('token_invalid');
    expect(
      await readErrorCode(verify(sign({ claims: { aud: 'my-app', iss: 'https://evil.example' } }))),
    ).toBe('token_invalid');
  });

  it('with an audience of its own serves management requests that name the project', async () => {
    answer = { keys: [RSA_JWK] };
    const { keySets, sign } = withJwks({ audience: 'my-app' });
    const token = sign({ claims: { aud: 'my-app' } });
    expect(await keySets.verifyManagementToken(token, PROJECT)).toEqual(USER);
    expect(await readErrorCode(keySets.verifyManagementToken(token))).toBe('token_invalid');
    expect(await readErrorCode(keySets.verifyManagementToken(token, OTHER))).toBe('token_invalid');
  });

  it('is not fetched for tokens of the project’s own keys, other issuers or other projects', async () => {
    answer = { keys: [RSA_JWK] };
    const { verify, sign, mint } = withJwks();
    expect(await verify(mint())).toEqual(USER);
    expect(await readErrorCode(verify(sign({ claims: { iss: 'https://evil.example' } })))).toBe(
      'token_invalid',
    );
    expect(await readErrorCode(verify(sign({ claims: { aud: OTHER } })))).toBe('token_invalid');
    expect(requests).toBe(0);
  });

  it('is fetched again for an unknown kid, at most once a minute', async () => {
    answer = { keys: [RSA_JWK] };
    const { world, verify, sign } = withJwks();
    await verify(sign());
    answer = { keys: [RSA_JWK, EC_JWK] };
    const rotated = () => verify(sign({ key: next.privateKey, kid: 'ec-2', alg: 'ES384' }));
    expect(await rotated()).toEqual(USER);
    expect(requests).toBe(2);
    for (let count = 0; count < 50; count += 1)
      await readErrorCode(verify(sign({ kid: `made-up-${count}` })));
    expect(requests).toBe(2);
    world.nowMs += MINUTE_MS;
    await Promise.all(
      Array.from({ length: 20 }, (_, count) => readErrorCode(verify(sign({ kid: `more-${count}` })))),
    );
    expect(requests).toBe(3);
  });

  it('is fetched once for a first token whose kid it does not have', async () => {
    answer = { keys: [RSA_JWK] };
    const { verify, sign } = withJwks();
    expect(await readErrorCode(verify(sign({ kid: 'made-up' })))).toBe('token_invalid');
    expect(requests).toBe(1);
  });

  it('is fetched again after ten minutes, so that a withdrawn key dies with its cached tokens', async () => {
    answer = { keys: [RSA_JWK] };
    const { world, verify, sign } = withJwks();
    const token = sign();
    await verify(token);
    answer = { keys: [EC_JWK] };
    world.nowMs += 10 * MINUTE_MS - 1;
    expect(await verify(token)).toEqual(USER);
    expect(requests).toBe(1);
    world.nowMs += MINUTE_MS + 1;
    expect(await readErrorCode(verify(token))).toBe('token_invalid');
    expect(requests).toBe(2);
  });

  it('serves an hour from its last keys while it fails, then nothing, then again', async () => {
    answer = { keys: [RSA_JWK] };
    const { world, verify, sign } = withJwks();
    const token = sign({ claims: { exp: START_MS / 1000 + 86_000 } });
    await verify(token);
    answer = undefined;
    for (let minute = 0; minute < 59; minute += 7) {
      world.nowMs = START_MS + minute * MINUTE_MS;
      expect(await verify(token)).toEqual(USER);
    }
    world.nowMs = START_MS + 60 * MINUTE_MS;
    expect(await readErrorCode(verify(token))).toBe('key_set_unavailable');
    world.nowMs += 100 * MINUTE_MS;
    expect(await readErrorCode(verify(token))).toBe('key_set_unavailable');
    answer = { keys: [RSA_JWK] };
    world.nowMs += MINUTE_MS;
    expect(await verify(token)).toEqual(USER);
  });

  it('that cannot be fetched is not asked again at once, and does no harm to other keys', async () => {
    answer = undefined;
    const { verify, sign, mint } = withJwks();
    for (let count = 0; count < 10; count += 1)
      expect(await readErrorCode(verify(sign()))).toBe('key_set_unavailable');
    expect(requests).toBe(1);
    await expect(verify(sign())).rejects.toMatchObject({
      detail: expect.stringContaining('key set'),
      headers: { 'Retry-After': '10' },
    });
    expect(await verify(mint())).toEqual(USER);
  });

  it('that cannot be fetched condemns no token that the project’s own keys do not verify', async () => {
    answer = undefined;
    const { world, verify, sign } = withJwks();
    const es256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const token = sign({ key: es256.privateKey, kid: undefined, alg: 'ES256' });
    expect(await readErrorCode(verify(token))).toBe('key_set_unavailable');
    answer = { keys: [jwk(es256.publicKey, {})] };
    world.nowMs += MINUTE_MS;
    expect(await verify(token)).toEqual(USER);
  });

  it('that cannot be fetched does not affect tokens of other issuers, or invalid ones', async () => {
    answer = undefined;
    const { keySets, verify, sign } = withJwks();
    expect(await readErrorCode(verify(sign({ claims: { iss: 'https://evil.example' } })))).toBe(
      'token_invalid',
    );
    expect(await readErrorCode(verify(sign({ claims: { sub: '' } })))).toBe('token_invalid');
    expect(await readErrorCode(keySets.verifyManagementToken(sign()))).toBe('key_set_unavailable');
  });

  describe('that does not answer', () => {
    /** Every fetch waits until the test gives the key set. */
    function withSilence() {
      const asked = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<unknown>();
      const all = setUp((from) => {
        if (from !== url) return fetchJwks(from);
        asked.resolve();
        return answered.promise;
      });
      const source = (id: string, jwksUrl: string): StoredKey => ({
        ...stored(first),
        id,
        kid: id,
        kind: 'jwks',
        alg: null,
        publicKeyPem: null,
        jwksUrl,
        issuer: ISSUER,
      });
      all.world.projects.set(PROJECT, [stored(first), source('silent', url)]);
      all.world.projects.set(OTHER, [source('answering', `${url}?other`)]);
      const iat = all.world.nowMs / 1000;
      const sign = (sub: string, projectId = PROJECT) =>
        jwt.sign({ sub, aud: projectId, iss: ISSUER, iat, exp: iat + 3600 }, rsa.privateKey, {
          algorithm: 'RS256',
          keyid: 'rsa-1',
        });
      return { ...all, sign, asked: asked.promise, answer: answered.resolve };
    }

    it('holds up its own tokens, two hundred at most, and no others', async () => {
      answer = { keys: [RSA_JWK] };
      const silent = withSilence();
      const { mint, verify, sign } = silent;
      await verify(mint());
      const waiting = Array.from({ length: 210 }, (_, index) => verify(sign(`user-${index}`)));
      const codes = waiting.map((attempt) => readErrorCode(attempt));
      await silent.asked;
      // While all of them wait: the project's own keys, and an identity provider that another project has.
      expect(await verify(mint(first, { subject: 'new' }))).toMatchObject({ subject: 'new' });
      expect(await verify(sign('theirs', OTHER), OTHER)).toMatchObject({ subject: 'theirs' });
      await expect(verify(sign('one-more'))).rejects.toMatchObject({
        code: 'overloaded',
        detail: expect.stringContaining('key set'),
        headers: { 'Retry-After': '5' },
      });
      silent.answer({ keys: [RSA_JWK] });
      const outcomes = await Promise.all(codes);
      expect(outcomes.filter((code) => code === 'none')).toHaveLength(200);
      expect(outcomes.filter((code) => code === 'overloaded')).toHaveLength(10);
      expect(await verify(sign('one-more'))).toMatchObject({ subject: 'one-more' });
    });

    it('makes room again when the fetch has failed', async () => {
      const silent = withSilence();
      const { world, verify, sign } = silent;
      const codes = Array.from({ length: 200 }, (_, index) => readErrorCode(verify(sign(`user-${index}`))));
      await silent.asked;
      silent.answer(Promise.reject(new Error('time-out')));
      expect(new Set(await Promise.all(codes))).toEqual(new Set(['key_set_unavailable']));
      world.nowMs += MINUTE_MS;
      expect(await readErrorCode(verify(sign('later')))).toBe('key_set_unavailable');
    });
  });

  it('stops verifying when its row is revoked', async () => {
    answer = { keys: [RSA_JWK] };
    const { world, keySets, verify, sign } = withJwks();
    const token = sign();
    await verify(token);
    world.projects.set(PROJECT, [stored(first)]);
    keySets.invalidate(PROJECT);
    expect(await readErrorCode(verify(token))).toBe('token_invalid');
  });

  describe('when it is read', () => {
    const row = { signingKeyId: 'r', issuer: null, audience: null };
    const read = (...keys: unknown[]) => parseJwks({ keys }, row).map(({ kid, alg }) => [kid, alg]);

    it('takes the algorithm from the key, or from its type and curve', () => {
      expect(read(RSA_JWK, { ...RSA_JWK, alg: 'PS512' }, EC_JWK, jwk(rsa.publicKey, {}))).toEqual([
        ['rsa-1', 'RS256'],
        ['rsa-1', 'PS512'],
        ['ec-2', 'ES384'],
        [null, 'RS256'],
      ]);
    });

    it.each<[string, unknown]>([
      ['a shared secret', { kty: 'oct', k: 'c2VjcmV0', alg: 'HS256', kid: 'h' }],
      ['an HMAC algorithm', { ...RSA_JWK, alg: 'HS256' }],
      ['none', { ...RSA_JWK, alg: 'none' }],
      ['a private key', rsa.privateKey.export({ format: 'jwk' })],
      ['a key for encryption', { ...RSA_JWK, use: 'enc' }],
      ['a key that may not verify', { ...RSA_JWK, key_ops: ['encrypt'] }],
      ['an algorithm that does not fit', { ...EC_JWK, alg: 'ES256' }],
      [
        'RSA of 1024 bits',
        generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }),
      ],
      ['Ed25519', generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })],
      ['a kid that is no string', { ...RSA_JWK, kid: 1 }],
      ['nothing', null],
      ['a text', 'key'],
    ])('passes over %s', (_what, key) => {
      expect(read(key, EC_JWK)).toEqual([['ec-2', 'ES384']]);
    });

    it('takes at most 20 keys', () => {
      expect(read(...Array.from({ length: 30 }, () => EC_JWK))).toHaveLength(20);
    });

    it('reads no more than the first hundred entries', () => {
      const useless = (count: number) => Array.from({ length: count }, () => ({ kty: 'oct' }));
      expect(read(...useless(99), EC_JWK)).toHaveLength(1);
      expect(read(...useless(100), EC_JWK)).toHaveLength(0);
    });

    it('tells keys apart by the row, the key itself, algorithm, kid, issuer and audience', () => {
      const identityOf = (jwk: object, more: object = {}) =>
        parseJwks({ keys: [jwk] }, { ...row, ...more })[0]?.identity;
      const identities = [
        identityOf(RSA_JWK),
        identityOf({ ...RSA_JWK, alg: 'PS512' }),
        identityOf({ ...RSA_JWK, kid: 'rsa-2' }),
        identityOf(EC_JWK),
        identityOf(RSA_JWK, { signingKeyId: 'another' }),
        identityOf(RSA_JWK, { issuer: 'https://another.example' }),
        identityOf(RSA_JWK, { audience: 'another' }),
      ];
      expect(new Set(identities).size).toBe(identities.length);
      expect(identityOf({ ...RSA_JWK })).toBe(identities[0]);
    });

    it.each([null, [], 'keys', {}, { keys: {} }])('is refused as a whole when it is %j', (document) => {
      expect(() => parseJwks(document, row)).toThrow('no JWK Set');
    });
  });
});
