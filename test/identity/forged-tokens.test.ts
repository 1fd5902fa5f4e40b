import {
  first,
  OTHER,
  PROJECT,
  readErrorCode,
  START_MS,
  second,
  setUp,
  stored,
  USER,
} from './key-sets-world.ts';

const ATTACKER = '198.51.100.7';

/** The token with a signature that is wrong in another way for each number. */
function forged(token: string, number: number): string {
  return `${token.slice(0, -10)}${String(number).padStart(8, '0')}${token.slice(-2)}`;
}

const HEADER = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'JWT', kid: first.kid })).toString(
  'base64url',
);

/** A token that only its signature gives away, without the cost of signing one. */
function made(number: number, projectId = PROJECT): string {
  const claims = { sub: `user-${number}`, aud: projectId, exp: START_MS / 1000 + 3600 };
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return forged(`${HEADER}.${payload}.${'A'.repeat(86)}`, number);
}

/** What each of the tokens is answered, one after the other. */
async function answers(count: number, send: (number: number) => Promise<unknown>): Promise<string[]> {
  const codes: string[] = [];
  for (let number = 0; number < count; number += 1) codes.push((await readErrorCode(send(number))) ?? '');
  return codes;
}

describe('a flood of forged tokens', () => {
  it('in the name of one user is refused unchecked after sixty, and not held against other users', async () => {
    const { mint, verify } = setUp();
    const known = mint();
    await verify(known);
    const target = mint(first, { subject: 'victim' });
    const codes = await answers(200, (number) => verify(forged(target, number), PROJECT, ATTACKER));
    expect(codes.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 'token_invalid'));
    expect(new Set(codes.slice(60))).toEqual(new Set(['rate_limited']));
    // Users behind the same address: known, unknown, and the victim itself from elsewhere.
    expect(await verify(known, PROJECT, ATTACKER)).toEqual(USER);
    const newcomer = mint(first, { subject: 'newcomer' });
    expect(await verify(newcomer, PROJECT, ATTACKER)).toMatchObject({ subject: 'newcomer' });
    expect(await verify(target, PROJECT)).toMatchObject({ subject: 'victim' });
  });

  it('in the name of many users is refused unchecked by address, and known users stay untouched', async () => {
    const { mint, verify, isSync } = setUp();
    const known = mint();
    await verify(known);
    const codes = await answers(400, (number) => verify(made(number), PROJECT, ATTACKER));
    expect(codes.indexOf('rate_limited')).toBe(300);
    expect(new Set(codes.slice(300))).toEqual(new Set(['rate_limited']));
    expect(isSync(known)).toBe(true);
    expect(await verify(mint(first, { subject: 'elsewhere' }))).toMatchObject({ subject: 'elsewhere' });
  });

  it('lets an unknown user of the same address in who comes again after the wait', async () => {
    const { world, mint, verify, keySets } = setUp();
    const flood = (from: number, count: number) =>
      answers(count, (number) => verify(made(from + number), PROJECT, ATTACKER));
    await flood(0, 310);
    const honest = mint(first, { subject: 'honest' });
    const refusal = await Promise.resolve()
      .then(() => keySets.verifyUserToken(PROJECT, honest, ATTACKER))
      .catch((error: { code: string; headers: Record<string, string> }) => error);
    expect(refusal).toMatchObject({ code: 'rate_limited', headers: { 'Retry-After': '1' } });
    expect(await readErrorCode(verify(honest, PROJECT, ATTACKER))).toBe('rate_limited');
    await flood(1_000, 500);
    world.nowMs += 1_000;
    // Takes what the address regained within the second.
    await flood(2_000, 10);
    expect(await verify(honest, PROJECT, ATTACKER)).toMatchObject({ subject: 'honest' });
  });

  it('keeps no known user from showing a new token, unless it is in their name', async () => {
    const { mint, verify } = setUp();
    await verify(mint(first, { subject: 'known' }));
    await verify(mint(first, { subject: 'victim' }));
    await answers(310, (number) => verify(made(number), PROJECT, ATTACKER));
    const fresh = (subject: string) => mint(first, { subject, expiresInSeconds: 1_800 });
    expect(await verify(fresh('known'), PROJECT, ATTACKER)).toMatchObject({ subject: 'known' });
    expect(await readErrorCode(verify(fresh('unknown'), PROJECT, ATTACKER))).toBe('rate_limited');
    const inTheirName = fresh('victim');
    await answers(70, (number) => verify(forged(inTheirName, number), PROJECT, ATTACKER));
    expect(await readErrorCode(verify(inTheirName, PROJECT, ATTACKER))).toBe('rate_limited');
    expect(await verify(inTheirName, PROJECT)).toMatchObject({ subject: 'victim' });
  });

  it('in the names of many known users is bounded in all', async () => {
    const { mint, verify } = setUp(undefined, { refusedPerNetworkPerMinute: 0 });
    const subjects = Array.from({ length: 60 }, (_, index) => `known-${index}`);
    const tokens = subjects.map((subject) => mint(first, { subject }));
    for (const token of tokens) await verify(token);
    const codes = await answers(3_500, (number) =>
      verify(forged(tokens[number % 60] ?? '', number), PROJECT, ATTACKER),
    );
    expect(codes.indexOf('rate_limited')).toBe(3_000);
  });

  it('gains nothing by sending every forged token twice', async () => {
    const { world, verify } = setUp();
    const send = (number: number) => verify(made(number), PROJECT, ATTACKER);
    await answers(310, send);
    await answers(1_000, (number) => send(2_000 + number));
    world.nowMs += 1_000;
    const codes = await answers(1_000, (number) => send(2_000 + number));
    // The allowance of second tries, and what was regained within the second.
    expect(codes.filter((code) => code === 'token_invalid').length).toBeLessThanOrEqual(620);
    expect(codes.filter((code) => code === 'rate_limited').length).toBeGreaterThanOrEqual(380);
  });

  it('from many addresses is bounded by project, and other projects go on', async () => {
    const { world, mint, verify } = setUp();
    world.projects.set(OTHER, [stored(second)]);
    const codes = await answers(1_300, (number) => verify(made(number), PROJECT, `2001:db8:${number}::/64`));
    expect(codes.indexOf('rate_limited')).toBe(1_200);
    const theirs = mint(second, { projectId: OTHER });
    expect(await verify(theirs, OTHER)).toMatchObject({ projectId: OTHER });
  });

  it('for projects that do not exist is bounded, by address and in all', async () => {
    const { world, mint, verify } = setUp();
    await verify(mint());
    const project = (number: number) => `${OTHER.slice(0, -4)}${String(number).padStart(4, '0')}`;
    const send = (number: number, network: string) =>
      verify(made(number, project(number)), project(number), network);
    expect((await answers(400, (number) => send(number, ATTACKER))).indexOf('rate_limited')).toBe(300);
    expect(world.loads).toBe(301);
    expect(
      (await answers(1_500, (number) => send(1_000 + number, `net-${number}`))).indexOf('rate_limited'),
    ).toBe(900);
    expect(await verify(mint(first, { subject: 'new' }))).toMatchObject({ subject: 'new' });
    // A project that is not in memory is read for a token that comes again after the wait.
    world.projects.set(OTHER, [stored(second)]);
    const cold = mint(second, { projectId: OTHER });
    expect(await readErrorCode(verify(cold, OTHER))).toBe('rate_limited');
    world.nowMs += 1_000;
    expect(await verify(cold, OTHER)).toMatchObject({ projectId: OTHER });
  });

  it('does not count tokens that are good: a restart may bring any number of them', async () => {
    const { mint, verify } = setUp();
    const users = Array.from({ length: 900 }, (_, index) => mint(first, { subject: `user-${index}` }));
    const outcomes = await Promise.all(users.map((token) => readErrorCode(verify(token, PROJECT, ATTACKER))));
    expect(new Set(outcomes)).toEqual(new Set(['none']));
  });

  it('has no limit by address where that is switched off', async () => {
    const { verify } = setUp(undefined, { refusedPerNetworkPerMinute: 0 });
    const codes = await answers(400, (number) => verify(made(number), PROJECT, ATTACKER));
    expect(new Set(codes)).toEqual(new Set(['token_invalid']));
  });
});

describe('a refused token', () => {
  it('is refused from memory for a minute, and counted once', async () => {
    const { mint, verify } = setUp();
    const token = forged(mint(first, { subject: 'loop' }), 1);
    const codes = await answers(500, () => verify(token, PROJECT, ATTACKER));
    expect(new Set(codes)).toEqual(new Set(['token_invalid']));
  });

  it('is judged again with other keys', async () => {
    const { world, keySets, mint, verify } = setUp();
    const early = mint(second);
    const named = mint({ ...second, kid: first.kid });
    expect([await readErrorCode(verify(early)), await readErrorCode(verify(named))]).toEqual([
      'token_invalid',
      'token_invalid',
    ]);
    world.projects.set(PROJECT, [stored({ ...second, kid: first.kid }), stored(second)]);
    keySets.invalidate(PROJECT);
    // So that the new keys are in memory when the refused ones come again.
    await verify(mint(second, { subject: 'another' }));
    expect(await verify(named)).toEqual(USER);
    expect(await verify(early)).toEqual(USER);
  });

  it('says nothing about another token with the same signature', async () => {
    const { mint, verify } = setUp();
    const good = mint(first, { subject: 'mia' });
    const [header = '', , signature = ''] = good.split('.');
    const [, otherPayload = ''] = mint(first, { subject: 'zoe' }).split('.');
    expect(await readErrorCode(verify(`${header}.${otherPayload}.${signature}`))).toBe('token_invalid');
    expect(await verify(good)).toMatchObject({ subject: 'mia' });
  });

  it('for its claims alone costs no allowance, whatever its signature', async () => {
    const { mint, verify } = setUp();
    const meantForOther = mint(first, { projectId: OTHER });
    const unknownKid = mint(second);
    for (let number = 0; number < 400; number += 1) {
      expect(await readErrorCode(verify(forged(meantForOther, number), PROJECT, ATTACKER))).toBe(
        'token_invalid',
      );
      expect(await readErrorCode(verify(forged(unknownKid, number), PROJECT, ATTACKER))).toBe(
        'token_invalid',
      );
    }
    expect(await verify(mint(), PROJECT, ATTACKER)).toEqual(USER);
  });
});
