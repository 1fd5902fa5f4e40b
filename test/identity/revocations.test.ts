import jwt from 'jsonwebtoken';
import type { StoredRevocation } from '../../src/identity/revocations/revocations.ts';
import { first, PROJECT, readErrorCode, START_MS, second, setUp, stored, USER } from './key-sets-world.ts';

const NOTHING: StoredRevocation = { jti: null, subject: null, issuedBefore: null };

function world() {
  const all = setUp();
  let version = 0;
  return {
    ...all,
    /** Changes the project's revocations; replicas hear of it, or not. */
    revoke(stored: Partial<StoredRevocation>[], isAnnounced = true): void {
      version += 1;
      const revocations = stored.map((one) => ({ ...NOTHING, ...one }));
      all.world.revocations.set(PROJECT, { version, stored: revocations });
      if (isAnnounced) all.keySets.invalidate(PROJECT);
    },
    sign: (claims: object) =>
      jwt.sign({ sub: 'user-1', aud: PROJECT, exp: START_MS / 1000 + 3600, ...claims }, first.privateKeyPem, {
        algorithm: 'ES256',
        keyid: first.kid,
        // Which would take away an `iat` that is given.
        noTimestamp: !Object.hasOwn(claims, 'iat'),
      }),
  };
}

const seconds = (offset: number) => START_MS / 1000 + offset;
const at = (offsetSeconds: number) => new Date(START_MS + offsetSeconds * 1000);

describe('a revoked token', () => {
  it('is refused by its jti, verified before or not, and no other is', async () => {
    const { revoke, sign, verify } = world();
    const [one, other, third] = ['a', 'b', 'c'].map((jti) => sign({ jti, iat: seconds(0) }));
    expect(await verify(one ?? '')).toEqual(USER);
    revoke([{ jti: 'a' }, { jti: 'b' }]);
    expect(await readErrorCode(verify(one ?? ''))).toBe('token_revoked');
    expect(await readErrorCode(verify(one ?? ''))).toBe('token_revoked');
    expect(await readErrorCode(verify(other ?? ''))).toBe('token_revoked');
    expect(await verify(third ?? '')).toEqual(USER);
    expect(await verify(sign({ iat: seconds(0) }))).toEqual(USER);
  });

  it('is refused by its user and time of issue: earlier ones only, and of that user only', async () => {
    const { revoke, sign, verify } = world();
    revoke([
      { subject: 'user-1', issuedBefore: at(-10) },
      { subject: 'user-1', issuedBefore: at(-60) },
    ]);
    expect(await readErrorCode(verify(sign({ iat: seconds(-11) })))).toBe('token_revoked');
    expect(await verify(sign({ iat: seconds(-10) }))).toEqual(USER);
    expect(await verify(sign({ sub: 'user-2', iat: seconds(-11) }))).toMatchObject({ subject: 'user-2' });
  });

  it('is refused with everyone’s', async () => {
    const { revoke, sign, verify } = world();
    revoke([{ issuedBefore: at(-20) }, { issuedBefore: at(-10) }, { issuedBefore: at(-30) }]);
    for (const sub of ['user-1', 'user-2']) {
      expect(await readErrorCode(verify(sign({ sub, iat: seconds(-10.5) })))).toBe('token_revoked');
      expect(await verify(sign({ sub, iat: seconds(-10) }))).toMatchObject({ subject: sub });
    }
  });

  it('without iat counts as issued at the beginning of time', async () => {
    const { revoke, sign, verify } = world();
    const token = sign({});
    expect(await verify(token)).toEqual(USER);
    revoke([{ subject: 'user-1', issuedBefore: at(-86_000) }]);
    expect(await readErrorCode(verify(token))).toBe('token_revoked');
  });

  it('that is expired or forged is refused as that, not as revoked', async () => {
    const { revoke, sign, verify, mint } = world();
    revoke([{ issuedBefore: at(0) }]);
    expect(await readErrorCode(verify(sign({ iat: seconds(-90), exp: seconds(-60) })))).toBe('token_expired');
    expect(await readErrorCode(verify(mint({ ...second, kid: first.kid })))).toBe('token_invalid');
  });

  it('is good again when its revocation is taken back', async () => {
    const { revoke, sign, verify, isSync } = world();
    const token = sign({ jti: 'a' });
    revoke([{ jti: 'a' }]);
    expect(await readErrorCode(verify(token))).toBe('token_revoked');
    revoke([]);
    expect(await verify(token)).toEqual(USER);
    expect(isSync(token)).toBe(true);
  });
});

describe('revocations in memory', () => {
  it('cost known tokens nothing: no read, no wait, and the rows are read once for each change', async () => {
    const { world: state, revoke, sign, verify, isSync } = world();
    revoke([{ jti: 'z' }]);
    const token = sign({ jti: 'a' });
    await verify(token);
    expect([state.loads, state.revocationLoads]).toEqual([1, 1]);
    for (let count = 0; count < 5; count += 1) expect(isSync(token)).toBe(true);
    state.nowMs += 70_000;
    await verify(token);
    expect([state.loads, state.revocationLoads]).toEqual([2, 1]);
  });

  it('are noticed within half a second while change notices are lost', async () => {
    const { world: state, keySets, revoke, sign, verify } = world();
    const token = sign({ jti: 'a' });
    await verify(token);
    keySets.setHasNotices(false);
    keySets.markAllStale();
    expect(await verify(token)).toEqual(USER);
    revoke([{ jti: 'a' }], false);
    state.nowMs += 500;
    expect(await readErrorCode(verify(token))).toBe('token_revoked');
    keySets.setHasNotices(true);
    keySets.markAllStale();
    revoke([], false);
    await readErrorCode(verify(token));
    state.nowMs += 10_000;
    const loads = state.loads;
    await verify(token);
    expect(state.loads).toBe(loads);
  });

  it('serve on while the store is away', async () => {
    const { world: state, keySets, revoke, sign, verify } = world();
    revoke([{ jti: 'a' }]);
    await readErrorCode(verify(sign({ jti: 'a' })));
    state.storeError = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    keySets.markAllStale();
    expect(await readErrorCode(verify(sign({ jti: 'a' })))).toBe('token_revoked');
    expect(await verify(sign({ jti: 'b' }))).toEqual(USER);
  });

  it('are those of the project: another one with the same keys takes the token', async () => {
    const { world: state, keySets, revoke, mint, verify } = world();
    const other = '0190b1e2-0000-7000-8000-0000000000bb';
    state.projects.set(other, [stored(first)]);
    revoke([{ issuedBefore: at(60) }]);
    expect(await verify(mint(first, { projectId: other }), other)).toMatchObject({ projectId: other });
    expect(await readErrorCode(verify(mint()))).toBe('token_revoked');
    await expect(keySets.verifyManagementToken(mint())).rejects.toMatchObject({ code: 'token_revoked' });
  });
});
