import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { HttpError, problem } from '../../src/http/errors.ts';
import { TOKEN_FAULTS, type TokenRefusal } from '../../src/http/token-refusal.ts';
import { USER_TOKEN_ALGORITHMS } from '../../src/identity/user-jwt/verification-key.ts';
import type { CheckKey } from '../../src/web/dashboard/src/pages/settings/tokens/check/check-signature.ts';
import {
  checkToken,
  isAccepted,
} from '../../src/web/dashboard/src/pages/settings/tokens/check/check-token.ts';
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
  ['an org that is no text', () => sign({ claims: { org: 17 } }), refusal('organization', true)],
  ['an operator as sub', () => sign({ claims: { sub: 'operator:1' } }), refusal('subject_reserved', true)],
  ['no exp', () => sign({ claims: { exp: undefined } }), refusal('no_expiry', true)],
  ['a month to live', () => sign({ claims: { exp: NOW + 30 * 86_400 } }), refusal('lifetime', true)],
  ['a clock ahead', () => sign({ claims: { iat: NOW + 600 } }), refusal('issued_in_future', true)],
  ['an nbf ahead', () => sign({ claims: { nbf: NOW + 600 } }), refusal('not_yet_valid', true)],
  [
    'nothing of the project',
    () => sign({ claims: { aud: 'https://elsewhere.example' }, header: { kid: 'x' } }),
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

/** Which line of the dashboard's check names the fault. */
const LINES: Readonly<Record<string, string[]>> = {
  not_a_jwt: ['token'],
  header_refused: ['header'],
  algorithm: ['alg'],
  unknown_kid: ['kid'],
  signature: ['signature'],
  audience: ['aud'],
  subject: ['sub'],
  subject_reserved: ['sub'],
  organization: ['org'],
  no_expiry: ['exp'],
  lifetime: ['exp'],
  issued_in_future: ['iat'],
  not_yet_valid: ['nbf'],
  unrelated: ['kid', 'aud'],
};

describe('the dashboard’s check of a token', () => {
  const key: CheckKey = {
    kid: first.kid,
    alg: 'ES256',
    publicKey: first.publicKeyPem,
    issuer: null,
    audience: null,
    isManaged: false,
  };
  const check = (text: string, keys: readonly CheckKey[] = [key], nowMs = START_MS) =>
    checkToken(text, keys, { projectId: PROJECT, nowMs });
  const findBad = (lines: Awaited<ReturnType<typeof check>>) =>
    lines.filter(({ state }) => state === 'bad').map(({ name }) => name);

  it.each(CASES)('finds %s where the gateway does', async (_name, token, { fault }) => {
    const lines = await check(token());
    expect(findBad(lines)).toEqual(LINES[fault]);
    expect(isAccepted(lines)).toBe(false);
  });

  it('takes what the gateway takes, as it stands in a header field or in code', async () => {
    const { verify } = setUp();
    const token = sign({ claims: { role: 'admin', nbf: NOW - 5 } });
    await verify(token);
    for (const pasted of [token, `Bearer ${token}`, ` Authorization: Bearer ${token}\n`, `"${token}"`]) {
      const lines = await check(pasted);
      expect([isAccepted(lines), findBad(lines)]).toEqual([true, []]);
    }
    expect(await check(token)).toContainEqual({
      name: 'claims',
      state: 'info',
      code: 'others',
      value: 'role',
    });
  });

  it('names how far the clock is ahead, and how long ago a token ended', async () => {
    const token = sign({});
    const early = await check(token, [key], START_MS - 600_000);
    expect(early).toContainEqual({ name: 'iat', state: 'bad', code: 'iatAhead', seconds: 600 });
    const late = await check(token, [key], START_MS + 7_200_000);
    expect(late).toContainEqual({ name: 'exp', state: 'bad', code: 'expPast', seconds: 3_600 });
  });

  it('asks for the iss and the aud that the key asks for', async () => {
    const ofProvider = { ...key, issuer: 'https://id.example/', audience: 'https://api.example' };
    const lines = await check(sign({ claims: { iss: 'https://id.example' } }), [ofProvider]);
    expect(findBad(lines)).toEqual(['iss', 'aud']);
    const good = { iss: 'https://id.example/', aud: ['x', 'https://api.example'] };
    expect(isAccepted(await check(sign({ claims: good }), [ofProvider]))).toBe(true);
  });

  it.each(USER_TOKEN_ALGORITHMS)('verifies %s', async (alg) => {
    const { privateKey, publicKey } = makePair(alg);
    const token = jwt.sign({ ...GOOD }, privateKey, { algorithm: alg });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const lines = await check(token, [{ ...key, kid: 'own', alg, publicKey: pem }]);
    expect([isAccepted(lines), findBad(lines)]).toEqual([true, []]);
  });
});

function makePair(alg: string) {
  const namedCurve = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }[alg];
  return namedCurve === undefined
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve });
}
