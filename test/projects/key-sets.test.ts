import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import jwt from 'jsonwebtoken';
import { HttpError } from '../../src/http/errors.ts';
import { parseJwks } from '../../src/projects/jwks.ts';
import { generateManagedKey } from '../../src/projects/key-material.ts';
import { createKeySets, type StoredKey } from '../../src/projects/key-sets.ts';
import { signUserToken } from '../../src/projects/user-jwt.ts';

const PROJECT = '0190b1e2-0000-7000-8000-0000000000aa';
const OTHER = '0190b1e2-0000-7000-8000-0000000000bb';
const START_MS = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const USER = { projectId: PROJECT, subject: 'user-1' };

type Managed = ReturnType<typeof generateManagedKey>;
const first = generateManagedKey();
const second = generateManagedKey();

function stored(key: Managed, more: Partial<StoredKey> = {}): StoredKey {
  return {
    id: `row-${key.kid}`,
    kid: key.kid,
    kind: 'public_key',
    alg: 'ES256',
    publicKeyPem: key.publicKeyPem,
    jwksUrl: null,
    issuer: null,
    audience: null,
    ...more,
  };
}

/** A gateway's view of its store and of identity providers, with a clock and a store that can be steered. */
function setUp(
  fetchJwks: (url: string) => Promise<unknown> = () => Promise.reject(new Error('no JWKS here')),
) {
  const world = {
    nowMs: START_MS,
    projects: new Map<string, StoredKey[]>([[PROJECT, [stored(first)]]]),
    storeError: undefined as Error | undefined,
    loads: 0,
    fetches: 0,
    /** Awaited by each load after it has read its answer. */
    gate: Promise.resolve(),
  };
  const keySets = createKeySets({
    loadProjectKeys: async (projectId) => {
      world.loads += 1;
      const keys = world.projects.get(projectId)?.slice();
      const error = world.storeError;
      await world.gate;
      if (error) throw error;
      return keys;
    },
    fetchJwks: (url) => {
      world.fetches += 1;
      return fetchJwks(url);
    },
    now: () => world.nowMs,
    log: { warn: () => undefined, error: () => undefined },
  });
  const mint = (
    key = first,
    more: { subject?: string; projectId?: string; expiresInSeconds?: number } = {},
  ) =>
    signUserToken({
      ...key,
      projectId: PROJECT,
      subject: 'user-1',
      expiresInSeconds: 3600,
      now: world.nowMs,
      ...more,
    }).token;
  const verify = async (token: string, projectId = PROJECT) => keySets.verifyUserToken(projectId, token);
  const isSync = (token: string) => !(keySets.verifyUserToken(PROJECT, token) instanceof Promise);
  return { world, keySets, mint, verify, isSync };
}

async function codeOf(attempt: Promise<unknown>): Promise<string | undefined> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof HttpError ? error.code : error === undefined ? 'none' : String(error);
}

const unreachable = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('verifying user tokens', () => {
  it('names the user, and does it without waiting once the token was verified', async () => {
    const { keySets, mint, world } = setUp();
    const token = mint();
    expect(await keySets.verifyUserToken(PROJECT, token)).toEqual(USER);
    expect(keySets.verifyUserToken(PROJECT, token)).toEqual(USER);
    expect(await keySets.verifyUserToken(PROJECT, mint(first, { subject: 'user-2' }))).toEqual({
      projectId: PROJECT,
      subject: 'user-2',
    });
    expect(world.loads).toBe(1);
  });

  it('verifies a token once for all calls that bring it together', async () => {
    const { keySets, mint } = setUp();
    const token = mint();
    const [one, other] = [keySets.verifyUserToken(PROJECT, token), keySets.verifyUserToken(PROJECT, token)];
    expect(one).toBe(other);
    expect(await one).toEqual(USER);
  });

  it('takes a thousand unknown tokens at a time, and none beyond until some are judged', async () => {
    const { keySets, mint } = setUp();
    const good = mint();
    const forged = (index: number) => `${good.slice(0, -8)}${String(index).padStart(8, '0')}`;
    const refusals = Array.from({ length: 1_000 }, (_, index) =>
      keySets.verifyUserToken(PROJECT, forged(index)),
    );
    expect(() => keySets.verifyUserToken(PROJECT, good)).toThrow(
      expect.objectContaining({ code: 'overloaded' }),
    );
    for (const refusal of await Promise.allSettled(refusals)) expect(refusal.status).toBe('rejected');
    expect(await keySets.verifyUserToken(PROJECT, good)).toEqual(USER);
  });

  it('counts a token that is sent to many projects as often as it has to be judged', async () => {
    const { keySets, mint } = setUp();
    const token = mint();
    const projectOf = (index: number) => `${OTHER.slice(0, -4)}${String(index).padStart(4, '0')}`;
    const attempts = Array.from({ length: 1_000 }, (_, index) =>
      keySets.verifyUserToken(projectOf(index), token),
    );
    expect(() => keySets.verifyUserToken(projectOf(1_000), token)).toThrow(
      expect.objectContaining({ code: 'overloaded' }),
    );
    await Promise.allSettled(attempts);
  });

  it('takes the project id in either case', async () => {
    const { keySets, mint } = setUp();
    expect(await keySets.verifyUserToken(PROJECT.toUpperCase(), mint())).toEqual(USER);
  });

  it('refuses with one and the same error: another project, an unknown one, another key, garbage', async () => {
    const { world, mint, verify } = setUp();
    world.projects.set(OTHER, [stored(second)]);
    const attempts = [
      verify(mint(), OTHER),
      verify(mint(), '0190b1e2-0000-7000-8000-0000000000cc'),
      verify(mint(), 'no-uuid'),
      verify(mint(second)),
      verify(mint({ ...second, kid: first.kid })),
      verify('garbage'),
      verify('a.b.c'),
      verify(''),
    ];
    for (const outcome of await Promise.allSettled(attempts)) {
      expect(outcome).toEqual({ status: 'rejected', reason: new HttpError('token_invalid') });
    }
  });

  it('spends nothing on garbage: neither a load nor a fetch', async () => {
    const { world, verify } = setUp();
    for (const garbage of ['', 'x', 'a.b.c', `${'x'.repeat(9000)}.y.z`, 'eyJhbGciOiJub25lIn0.e30.']) {
      expect(await codeOf(verify(garbage))).toBe('token_invalid');
    }
    expect(await codeOf(verify('a.b.c', 'not-a-uuid'))).toBe('token_invalid');
    expect(world.loads).toBe(0);
  });

  it('tells expiry, cached or not, after 30 s of skew', async () => {
    const { world, mint, verify } = setUp();
    const token = mint(first, { expiresInSeconds: 60 });
    world.nowMs += 89_000;
    expect(await verify(token)).toEqual(USER);
    world.nowMs += 1000;
    expect(await codeOf(verify(token))).toBe('token_expired');
    expect(await codeOf(verify(token))).toBe('token_expired');
  });

  it('refuses a token that another project verified, even one meant for both', async () => {
    const { world, verify } = setUp();
    world.projects.set(OTHER, [stored(second)]);
    const claims = { sub: 'user-1', aud: [PROJECT, OTHER], exp: START_MS / 1000 + 60 };
    const token = jwt.sign(claims, first.privateKeyPem, {
      algorithm: 'ES256',
      keyid: first.kid,
      noTimestamp: true,
    });
    expect(await verify(token)).toEqual(USER);
    expect(await codeOf(verify(token, OTHER))).toBe('token_invalid');
    expect(await verify(token)).toEqual(USER);
  });

  it('refuses a cached token on the path of another project that trusts the same key', async () => {
    const { world, mint, verify } = setUp();
    world.projects.set(OTHER, [stored(first)]);
    await verify(mint(first, { projectId: OTHER }), OTHER);
    const token = mint();
    expect(await verify(token)).toEqual(USER);
    expect(await codeOf(verify(token, OTHER))).toBe('token_invalid');
  });

  it('never lets unusable stored keys verify anything, and keeps the others working', async () => {
    const { world, mint, verify } = setUp();
    world.projects.set(PROJECT, [
      stored(second, { publicKeyPem: second.publicKeyPem.replace('-----BEGIN', '----BEGIN') }),
      stored(second, { id: 'x', alg: 'RS256' }),
      stored(second, { id: 'y', alg: null }),
      stored(second, { id: 'z', publicKeyPem: null }),
      stored(first, { kind: 'managed', alg: null }),
    ]);
    expect(await codeOf(verify(mint(second)))).toBe('token_invalid');
    expect(await verify(mint())).toEqual(USER);
  });
});

describe('changes of keys', () => {
  it('take effect at once when they are announced: a revoked key dies, cached tokens included', async () => {
    const { world, keySets, mint, verify } = setUp();
    const token = mint();
    expect(await verify(token)).toEqual(USER);
    world.projects.set(PROJECT, [stored(second)]);
    expect(await verify(token)).toEqual(USER);
    keySets.invalidate(PROJECT);
    expect(await codeOf(verify(token))).toBe('token_invalid');
    expect(await verify(mint(second))).toEqual(USER);
    expect(await codeOf(verify(token))).toBe('token_invalid');
  });

  it('keep cached tokens of keys that stay', async () => {
    const { world, keySets, mint, verify, isSync } = setUp();
    const token = mint();
    await verify(token);
    world.projects.set(PROJECT, [stored(first), stored(second)]);
    keySets.invalidate(PROJECT);
    await verify(mint(second));
    expect(isSync(token)).toBe(true);
  });

  it('make a cached token void when the key now asks for an issuer', async () => {
    const { world, keySets, mint, verify } = setUp();
    await verify(mint());
    world.projects.set(PROJECT, [stored(first, { issuer: 'https://idp.example' })]);
    keySets.invalidate(PROJECT);
    expect(await codeOf(verify(mint()))).toBe('token_invalid');
  });

  it('are found within 30 to 60 s when no announcement came', async () => {
    const { world, mint, verify } = setUp();
    const token = mint();
    await verify(token);
    world.projects.set(PROJECT, [stored(second)]);
    world.nowMs += 29_999;
    expect(await verify(token)).toEqual(USER);
    expect(world.loads).toBe(1);
    world.nowMs += 1;
    // Served once more while the keys are read behind its back.
    expect(await verify(token)).toEqual(USER);
    await turn();
    expect(await codeOf(verify(token))).toBe('token_invalid');
    expect(world.loads).toBe(2);
  });

  it('are waited for by the first caller after a quiet time', async () => {
    const { world, mint, verify } = setUp();
    const token = mint();
    await verify(token);
    world.projects.set(PROJECT, [stored(second)]);
    world.nowMs += 60_000;
    expect(await codeOf(verify(token))).toBe('token_invalid');
  });

  it('that are announced while an older load is under way are not undone by it', async () => {
    const { world, keySets, mint, verify } = setUp();
    let open = () => {};
    world.gate = new Promise((resolve) => {
      open = resolve;
    });
    const overtaken = verify(mint());
    world.projects.set(PROJECT, [stored(second)]);
    keySets.invalidate(PROJECT);
    world.gate = Promise.resolve();
    const later = verify(mint(second));
    open();
    await overtaken;
    expect(await later).toEqual(USER);
    expect(await codeOf(verify(mint()))).toBe('token_invalid');
    expect(await verify(mint(second))).toEqual(USER);
    expect(world.loads).toBe(2);
  });

  it('are all read anew after announcements may have been lost', async () => {
    const { world, keySets, mint, verify } = setUp();
    const token = mint();
    await verify(token);
    world.projects.delete(PROJECT);
    keySets.distrustAll();
    expect(await codeOf(verify(token))).toBe('token_invalid');
  });

  it('make a project known that was unknown a moment ago', async () => {
    const { world, keySets, mint, verify } = setUp();
    world.projects.delete(PROJECT);
    expect(await codeOf(verify(mint()))).toBe('token_invalid');
    expect(await codeOf(verify(mint()))).toBe('token_invalid');
    expect(world.loads).toBe(1);
    world.projects.set(PROJECT, [stored(first)]);
    keySets.invalidate(PROJECT);
    expect(await verify(mint())).toEqual(USER);
  });

  it('are loaded once for callers that come together', async () => {
    const { world, mint, verify } = setUp();
    await Promise.all(Array.from({ length: 20 }, () => verify(mint())));
    expect(world.loads).toBe(1);
  });
});

describe('with the store away', () => {
  it('keys in memory serve on, cached tokens without waiting, and one load a second is tried', async () => {
    const { world, keySets, mint, verify, isSync } = setUp();
    const token = mint();
    await verify(token);
    world.storeError = unreachable();
    keySets.distrustAll();
    expect(await verify(token)).toEqual(USER);
    const loads = world.loads;
    expect(isSync(token)).toBe(true);
    expect(await verify(mint(first, { subject: 'new' }))).toMatchObject({ subject: 'new' });
    expect(world.loads).toBe(loads);
    world.nowMs += 1000;
    expect(isSync(token)).toBe(true);
    expect(world.loads).toBe(loads + 1);
    world.nowMs += 10 * MINUTE_MS;
    expect(await verify(token)).toEqual(USER);
    world.storeError = undefined;
    world.projects.set(PROJECT, []);
    world.nowMs += MINUTE_MS;
    expect(await codeOf(verify(token))).toBe('token_invalid');
  });

  it('keys that are not in memory, or known to have changed, make it store_unavailable', async () => {
    const { world, keySets, mint, verify } = setUp();
    world.storeError = unreachable();
    expect(await codeOf(verify(mint()))).toBe('store_unavailable');
    world.storeError = undefined;
    await verify(mint());
    world.storeError = unreachable();
    keySets.invalidate(PROJECT);
    expect(await codeOf(verify(mint()))).toBe('store_unavailable');
  });

  it('an error that is no outage is not hidden', async () => {
    const { world, mint, verify } = setUp();
    world.storeError = new Error('column does not exist');
    expect(await codeOf(verify(mint()))).toMatch('column does not exist');
  });
});

describe('tokens for the management API', () => {
  const sign = (aud: unknown, key = first, more: object = {}) =>
    jwt.sign({ sub: 'user-1', aud, exp: START_MS / 1000 + 60, ...more } as object, key.privateKeyPem, {
      algorithm: 'ES256',
      keyid: key.kid,
      noTimestamp: true,
    });

  it('find their project in aud', async () => {
    const { keySets } = setUp();
    expect(await keySets.verifyManagementToken(sign(PROJECT))).toEqual(USER);
    expect(await keySets.verifyManagementToken(sign(['https://api.example', OTHER, PROJECT]))).toEqual(USER);
  });

  it('are tried for at most three projects', async () => {
    const { keySets, world } = setUp();
    const strangers = [1, 2, 3].map((digit) => `0190b1e2-0000-7000-8000-00000000000${digit}`);
    expect(await codeOf(keySets.verifyManagementToken(sign([...strangers, PROJECT])))).toBe('token_invalid');
    expect(world.loads).toBe(3);
  });

  it.each([['none'], [''], [['a', 'b']], [{ aud: PROJECT }], [[PROJECT, 1]], [7]])(
    'are refused with the audience %j',
    async (aud) => {
      const { keySets, world } = setUp();
      const header = Buffer.from(JSON.stringify({ alg: 'ES256' })).toString('base64url');
      const payload = Buffer.from(JSON.stringify({ sub: 'u', aud, exp: 1 })).toString('base64url');
      expect(await codeOf(keySets.verifyManagementToken(`${header}.${payload}.AAAA`))).toBe('token_invalid');
      expect(world.loads).toBe(0);
    },
  );

  it('tell expiry, and an outage', async () => {
    const { keySets, world } = setUp();
    const old = sign([OTHER, PROJECT], first, { exp: START_MS / 1000 - 31 });
    expect(await codeOf(keySets.verifyManagementToken(old))).toBe('token_expired');
    world.storeError = unreachable();
    keySets.invalidate(PROJECT);
    expect(await codeOf(keySets.verifyManagementToken(sign(PROJECT)))).toBe('store_unavailable');
  });
});

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
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}/jwks`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

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
    expect(await codeOf(verify(sign()))).toBe('token_invalid');
    expect(await codeOf(verify(sign({ claims: { aud: 'my-app', iss: 'https://evil.example' } })))).toBe(
      'token_invalid',
    );
  });

  it('with an audience of its own serves management requests that name the project', async () => {
    answer = { keys: [RSA_JWK] };
    const { keySets, sign } = withJwks({ audience: 'my-app' });
    const token = sign({ claims: { aud: 'my-app' } });
    expect(await keySets.verifyManagementToken(token, PROJECT)).toEqual(USER);
    expect(await codeOf(keySets.verifyManagementToken(token))).toBe('token_invalid');
    expect(await codeOf(keySets.verifyManagementToken(token, OTHER))).toBe('token_invalid');
  });

  it('is not fetched for tokens of the project’s own keys, other issuers or other projects', async () => {
    answer = { keys: [RSA_JWK] };
    const { verify, sign, mint } = withJwks();
    expect(await verify(mint())).toEqual(USER);
    expect(await codeOf(verify(sign({ claims: { iss: 'https://evil.example' } })))).toBe('token_invalid');
    expect(await codeOf(verify(sign({ claims: { aud: OTHER } })))).toBe('token_invalid');
    expect(requests).toBe(0);
  });

  it('is fetched anew for an unknown kid, at most once a minute', async () => {
    answer = { keys: [RSA_JWK] };
    const { world, verify, sign } = withJwks();
    await verify(sign());
    answer = { keys: [RSA_JWK, EC_JWK] };
    const rotated = () => verify(sign({ key: next.privateKey, kid: 'ec-2', alg: 'ES384' }));
    expect(await rotated()).toEqual(USER);
    expect(requests).toBe(2);
    for (let count = 0; count < 50; count += 1) await codeOf(verify(sign({ kid: `made-up-${count}` })));
    expect(requests).toBe(2);
    world.nowMs += MINUTE_MS;
    await Promise.all(
      Array.from({ length: 20 }, (_, count) => codeOf(verify(sign({ kid: `more-${count}` })))),
    );
    expect(requests).toBe(3);
  });

  it('is fetched once for a first token whose kid it does not have', async () => {
    answer = { keys: [RSA_JWK] };
    const { verify, sign } = withJwks();
    expect(await codeOf(verify(sign({ kid: 'made-up' })))).toBe('token_invalid');
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
    expect(await codeOf(verify(token))).toBe('token_invalid');
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
    expect(await codeOf(verify(token))).toBe('store_unavailable');
    world.nowMs += 100 * MINUTE_MS;
    expect(await codeOf(verify(token))).toBe('store_unavailable');
    answer = { keys: [RSA_JWK] };
    world.nowMs += MINUTE_MS;
    expect(await verify(token)).toEqual(USER);
  });

  it('that cannot be fetched is not asked again at once, and does no harm to other keys', async () => {
    answer = undefined;
    const { verify, sign, mint } = withJwks();
    for (let count = 0; count < 10; count += 1)
      expect(await codeOf(verify(sign()))).toBe('store_unavailable');
    expect(requests).toBe(1);
    expect(await verify(mint())).toEqual(USER);
  });

  it('that cannot be fetched proves nothing about tokens of other issuers, or that can be seen to be no good', async () => {
    answer = undefined;
    const { keySets, verify, sign } = withJwks();
    expect(await codeOf(verify(sign({ claims: { iss: 'https://evil.example' } })))).toBe('token_invalid');
    expect(await codeOf(verify(sign({ claims: { sub: '' } })))).toBe('token_invalid');
    expect(await codeOf(keySets.verifyManagementToken(sign()))).toBe('store_unavailable');
  });

  it('stops verifying when its row is revoked', async () => {
    answer = { keys: [RSA_JWK] };
    const { world, keySets, verify, sign } = withJwks();
    const token = sign();
    await verify(token);
    world.projects.set(PROJECT, [stored(first)]);
    keySets.invalidate(PROJECT);
    expect(await codeOf(verify(token))).toBe('token_invalid');
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

    it.each([null, [], 'keys', {}, { keys: {} }])('is refused as a whole when it is %j', (document) => {
      expect(() => parseJwks(document, row)).toThrow('no JWK Set');
    });
  });
});
