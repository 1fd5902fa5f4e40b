import { createHmac, sign as signBytes } from 'node:crypto';
import { HttpError, problem } from '../../src/http/errors.ts';
import { TOKEN_FAULTS, type TokenRefusal } from '../../src/http/token-refusal.ts';
import { first, MINUTE_MS, OTHER, PROJECT, START_MS, second, setUp, stored } from './key-sets-world.ts';

const NOW = START_MS / 1000;
const GOOD = { sub: 'user-1', aud: PROJECT, iat: NOW, exp: NOW + 3600 };

type Changes = { readonly claims?: object; readonly header?: object; readonly key?: typeof first };

/** A token signed with ES256 by the project's key, but for the changes. */
function sign({ claims = {}, header = {}, key = first }: Changes): string {
  const signed = `${encode({ alg: 'ES256', kid: first.kid, ...header })}.${encode({ ...GOOD, ...claims })}`;
  const signature = signBytes('sha256', Buffer.from(signed), {
    key: key.privateKeyPem,
    dsaEncoding: 'ieee-p1363',
  });
  return `${signed}.${signature.toString('base64url')}`;
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

function hmac(): string {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(GOOD)}`;
  return `${signed}.${createHmac('sha256', 'shared').update(signed).digest('base64url')}`;
}

/** The error that a caller with this token gets. */
async function refuse(verify: (token: string) => Promise<unknown>, token: string): Promise<HttpError> {
  const error = await verify(token).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof HttpError)) throw new Error(`${token} was not refused`);
  return error;
}

const CASES: [name: string, token: () => string, refusal: TokenRefusal][] = [
  ['the text "undefined"', () => 'undefined', { fault: 'not_a_jwt', isSigned: false }],
  ['HS256', hmac, { fault: 'algorithm', isSigned: false }],
  ['a key in its header', () => sign({ header: { jku: 'https://x' } }), refusal('header_refused', false)],
  ['an unknown kid', () => sign({ header: { kid: 'other' } }), refusal('unknown_kid', false)],
  ['another private key', () => sign({ key: second }), refusal('signature', false)],
  ['another aud', () => sign({ claims: { aud: 'https://api.example' } }), refusal('audience', true)],
  ['no aud', () => sign({ claims: { aud: undefined } }), refusal('audience', true)],
  ['a number as sub', () => sign({ claims: { sub: 17 } }), refusal('subject', true)],
  ['an operator as sub', () => sign({ claims: { sub: 'operator:1' } }), refusal('subject_reserved', true)],
  ['no exp', () => sign({ claims: { exp: undefined } }), refusal('no_expiry', true)],
  ['a month to live', () => sign({ claims: { exp: NOW + 30 * 86_400 } }), refusal('lifetime', true)],
  ['a clock ahead', () => sign({ claims: { iat: NOW + 600 } }), refusal('issued_in_future', true)],
  ['an nbf ahead', () => sign({ claims: { nbf: NOW + 600 } }), refusal('not_yet_valid', true)],
  [
    'nothing of the project',
    () => sign({ claims: { aud: OTHER }, header: { kid: 'x' } }),
    refusal('unrelated', false),
  ],
];

function refusal(fault: TokenRefusal['fault'], isSigned: boolean): TokenRefusal {
  return { fault, isSigned };
}

describe('a refused user token', () => {
  it.each(CASES)(
    'with %s has its reason for operators, and one answer for callers',
    async (_name, token, expected) => {
      const { verify, world, mint } = setUp();
      await verify(mint());
      const error = await refuse(verify, token());
      expect(error.refusal).toEqual(expected);
      const context = { requestId: 'r', publicUrl: 'https://gw.test' };
      expect(problem(error, context)).toEqual(problem(new HttpError('token_invalid'), context));
      expect(error.headers).toEqual({});
      const noted = expected.fault === 'unrelated' ? [] : [{ projectId: PROJECT, ...expected }];
      expect(world.refusals).toEqual(noted);
    },
  );

  it('with another iss than its key asks for has that reason', async () => {
    const { verify, world } = setUp();
    world.projects.set(PROJECT, [stored(first, { issuer: 'https://id.example' })]);
    const error = await refuse(verify, sign({ claims: { iss: 'https://other.example' } }));
    expect(error.refusal).toEqual(refusal('issuer', true));
  });

  it('that ended says so to both, whether it was known before or not', async () => {
    const { verify, world, mint } = setUp();
    const known = mint();
    await verify(known);
    world.nowMs += 61 * MINUTE_MS;
    for (const token of [known, sign({ claims: { iat: NOW - 1 } })]) {
      const error = await refuse(verify, token);
      expect(error).toMatchObject({ code: 'token_expired', refusal: refusal('expired', true) });
    }
  });

  it('is counted for the project that the management API is asked about', async () => {
    const { keySets, world } = setUp();
    await expect(keySets.verifyManagementToken(sign({ claims: { sub: 17 } }))).rejects.toMatchObject({
      code: 'token_invalid',
    });
    expect(world.refusals).toEqual([{ projectId: PROJECT, ...refusal('subject', true) }]);
  });

  it('has no reason where the project does not exist', async () => {
    const { verify, world } = setUp();
    const error = await refuse((token) => verify(token, OTHER), sign({ claims: { aud: OTHER } }));
    expect(error).toMatchObject({ code: 'token_invalid', refusal: undefined });
    expect(world.refusals).toEqual([]);
  });

  it('is looked at thirty times a minute from one address, and sixty for one project', async () => {
    const { keySets, world } = setUp(undefined, { refusedPerNetworkPerMinute: 0 });
    const verify = async (token: string, network: string) => keySets.verifyUserToken(PROJECT, token, network);
    await verify(sign({}), '192.0.2.9');
    for (let number = 0; number < 300; number += 1) {
      const token = sign({ claims: { exp: 'never', jti: `${number}` } });
      const error = await refuse((text) => verify(text, `192.0.2.${1 + (number % 3)}`), token);
      expect(error.code).toBe('token_invalid');
    }
    expect(world.refusals).toHaveLength(60);
    world.nowMs += 60 * MINUTE_MS;
    world.refusals.length = 0;
    for (let number = 0; number < 100; number += 1) {
      await refuse((text) => verify(text, '192.0.2.1'), sign({ claims: { exp: `${number}` } }));
    }
    expect(world.refusals).toHaveLength(30);
  });

  it('has a case here for every reason', () => {
    const tried = new Set([...CASES.map(([, , { fault }]) => fault), 'issuer', 'expired']);
    expect([...tried].sort()).toEqual([...TOKEN_FAULTS].sort());
  });
});
