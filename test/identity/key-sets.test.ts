import { generateKeyPairSync } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import jwt from 'jsonwebtoken';
import { HttpError } from '../../src/http/errors.ts';
import {
  first,
  MINUTE_MS,
  OTHER,
  PROJECT,
  readErrorCode,
  START_MS,
  second,
  setUp,
  stored,
  USER,
  unreachable,
} from './key-sets-world.ts';

/** `none` where the user was identified at once or later, else the code of the refusal. */
const verdictOf = (outcome: unknown) => readErrorCode(Promise.resolve(outcome));

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

  it('judges a thousand tokens of one project at a time, while another project waits for a few only', async () => {
    const { world, keySets, mint } = setUp();
    world.projects.set(OTHER, [stored(second)]);
    await keySets.verifyUserToken(PROJECT, mint());
    await keySets.verifyUserToken(OTHER, mint(second, { projectId: OTHER }));
    const order: string[] = [];
    const note = (name: string) => (user: unknown) => {
      order.push(name);
      return user;
    };
    const mine = Array.from({ length: 1_200 }, (_, index) =>
      verdictOf(keySets.verifyUserToken(PROJECT, mint(first, { subject: `user-${index}` }))).then(
        note('mine'),
      ),
    );
    const theirs = Promise.resolve(
      keySets.verifyUserToken(OTHER, mint(second, { projectId: OTHER, subject: 'late' })),
    ).then(note('theirs'));
    expect(await theirs).toMatchObject({ subject: 'late' });
    const outcomes = await Promise.all(mine);
    // Four are being judged, a thousand wait, the rest gets Retry-After.
    expect(outcomes.filter((code) => code === 'none')).toHaveLength(1_004);
    expect(outcomes.filter((code) => code === 'overloaded')).toHaveLength(196);
    expect(
      order.filter((name, index) => name === 'mine' && index < order.indexOf('theirs')).length,
    ).toBeLessThan(196 + 20);
  });

  it('reads the keys of four projects at a time, taking turns between callers', async () => {
    const { world, keySets, mint } = setUp();
    world.projects.set(OTHER, [stored(second)]);
    const held = Promise.withResolvers<void>();
    world.gate = held.promise;
    const made = (index: number) => `${OTHER.slice(0, -4)}${String(index).padStart(4, '0')}`;
    const strangers = Array.from({ length: 300 }, (_, index) =>
      readErrorCode(
        (async () =>
          keySets.verifyUserToken(made(index), mint(first, { projectId: made(index) }), 'stranger'))(),
      ),
    );
    const honest = keySets.verifyUserToken(OTHER, mint(second, { projectId: OTHER }), 'honest');
    await turn();
    expect(world.loads).toBe(4);
    held.resolve();
    expect(await honest).toMatchObject({ projectId: OTHER });
    expect(world.loaded.indexOf(OTHER)).toBeLessThan(10);
    const codes = await Promise.all(strangers);
    expect(codes.filter((code) => code === 'token_invalid')).toHaveLength(204);
    expect(codes.filter((code) => code === 'overloaded')).toHaveLength(96);
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
      expect(await readErrorCode(verify(garbage))).toBe('token_invalid');
    }
    expect(await readErrorCode(verify('a.b.c', 'not-a-uuid'))).toBe('token_invalid');
    expect(world.loads).toBe(0);
  });

  it('tells expiry, cached or not, after 30 s of skew', async () => {
    const { world, mint, verify } = setUp();
    const token = mint(first, { expiresInSeconds: 60 });
    world.nowMs += 89_000;
    expect(await verify(token)).toEqual(USER);
    world.nowMs += 1000;
    expect(await readErrorCode(verify(token))).toBe('token_expired');
    expect(await readErrorCode(verify(token))).toBe('token_expired');
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
    expect(await readErrorCode(verify(token, OTHER))).toBe('token_invalid');
    expect(await verify(token)).toEqual(USER);
  });

  it('refuses a cached token on the path of another project that trusts the same key', async () => {
    const { world, mint, verify } = setUp();
    world.projects.set(OTHER, [stored(first)]);
    await verify(mint(first, { projectId: OTHER }), OTHER);
    const token = mint();
    expect(await verify(token)).toEqual(USER);
    expect(await readErrorCode(verify(token, OTHER))).toBe('token_invalid');
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
    expect(await readErrorCode(verify(mint(second)))).toBe('token_invalid');
    expect(await verify(mint())).toEqual(USER);
  });

  it('lets no stored key verify anything that is too weak to be taken today', async () => {
    const { world, verify } = setUp();
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const publicKeyPem = weak.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    world.projects.set(PROJECT, [stored(first, { kid: 'weak', alg: 'RS256', publicKeyPem })]);
    const seconds = START_MS / 1000;
    const claims = { sub: 'user-1', aud: PROJECT, iat: seconds, exp: seconds + 60 };
    const options = { algorithm: 'RS256', keyid: 'weak', allowInsecureKeySizes: true } as const;
    expect(await readErrorCode(verify(jwt.sign(claims, weak.privateKey, options)))).toBe('token_invalid');
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
    expect(await readErrorCode(verify(token))).toBe('token_invalid');
    expect(await verify(mint(second))).toEqual(USER);
    expect(await readErrorCode(verify(token))).toBe('token_invalid');
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
    expect(await readErrorCode(verify(mint()))).toBe('token_invalid');
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
    expect(await readErrorCode(verify(token))).toBe('token_invalid');
    expect(world.loads).toBe(2);
  });

  it('are waited for by the first caller after a quiet time', async () => {
    const { world, mint, verify } = setUp();
    const token = mint();
    await verify(token);
    world.projects.set(PROJECT, [stored(second)]);
    world.nowMs += 60_000;
    expect(await readErrorCode(verify(token))).toBe('token_invalid');
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
    expect(await readErrorCode(verify(mint()))).toBe('token_invalid');
    expect(await verify(mint(second))).toEqual(USER);
    expect(world.loads).toBe(2);
  });

  it('are all read again after announcements may have been lost', async () => {
    const { world, keySets, mint, verify } = setUp();
    const token = mint();
    await verify(token);
    world.projects.delete(PROJECT);
    keySets.markAllStale();
    expect(await readErrorCode(verify(token))).toBe('token_invalid');
  });

  it('make a project known that was unknown a moment ago', async () => {
    const { world, keySets, mint, verify } = setUp();
    world.projects.delete(PROJECT);
    expect(await readErrorCode(verify(mint()))).toBe('token_invalid');
    expect(await readErrorCode(verify(mint()))).toBe('token_invalid');
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
    keySets.markAllStale();
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
    expect(await readErrorCode(verify(token))).toBe('token_invalid');
  });

  it('keys of more projects than may wait to be read serve on', async () => {
    const { world, keySets, mint, verify } = setUp();
    const tokens = Array.from({ length: 300 }, (_, index) => {
      const projectId = `${OTHER.slice(0, -4)}${String(index).padStart(4, '0')}`;
      world.projects.set(projectId, [stored(first)]);
      return { projectId, token: mint(first, { projectId }) };
    });
    for (const { projectId, token } of tokens) await verify(token, projectId);
    world.gate = Promise.withResolvers<void>().promise;
    keySets.markAllStale();
    const verdicts = tokens.map(({ projectId, token }) => readErrorCode(verify(token, projectId)));
    expect(new Set(await Promise.all(verdicts))).toEqual(new Set(['none']));
  });

  it('keys that are not in memory, or known to have changed, make it store_unavailable', async () => {
    const { world, keySets, mint, verify } = setUp();
    world.storeError = unreachable();
    expect(await readErrorCode(verify(mint()))).toBe('store_unavailable');
    world.storeError = undefined;
    await verify(mint());
    world.storeError = unreachable();
    keySets.invalidate(PROJECT);
    expect(await readErrorCode(verify(mint()))).toBe('store_unavailable');
  });

  it('an error that is no outage is not hidden', async () => {
    const { world, mint, verify } = setUp();
    world.storeError = new Error('column does not exist');
    expect(await readErrorCode(verify(mint()))).toMatch('column does not exist');
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
    expect(await readErrorCode(keySets.verifyManagementToken(sign([...strangers, PROJECT])))).toBe(
      'token_invalid',
    );
    expect(world.loads).toBe(3);
  });

  it.each([['none'], [''], [['a', 'b']], [{ aud: PROJECT }], [[PROJECT, 1]], [7]])(
    'are refused with the audience %j',
    async (aud) => {
      const { keySets, world } = setUp();
      const header = Buffer.from(JSON.stringify({ alg: 'ES256' })).toString('base64url');
      const payload = Buffer.from(JSON.stringify({ sub: 'u', aud, exp: 1 })).toString('base64url');
      expect(await readErrorCode(keySets.verifyManagementToken(`${header}.${payload}.AAAA`))).toBe(
        'token_invalid',
      );
      expect(world.loads).toBe(0);
    },
  );

  it('tell expiry, and an outage', async () => {
    const { keySets, world } = setUp();
    const old = sign([OTHER, PROJECT], first, { exp: START_MS / 1000 - 31 });
    expect(await readErrorCode(keySets.verifyManagementToken(old))).toBe('token_expired');
    world.storeError = unreachable();
    keySets.invalidate(PROJECT);
    expect(await readErrorCode(keySets.verifyManagementToken(sign(PROJECT)))).toBe('store_unavailable');
  });
});
