import { secondsUntilExpiry } from '../../src/oauth/jwt-expiry.ts';

const NOW_S = 1_800_000_000;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenWith = (payload: unknown) => `${encode({ alg: 'ES256K' })}.${encode(payload)}.c2ln`;

it.each<[string, string, number | null]>([
  ['a JWT', tokenWith({ exp: NOW_S + 7_200 }), 7_200],
  ['a JWT with a fraction', tokenWith({ exp: NOW_S + 60.5 }), 60],
  ['a JWT without a signature', `${tokenWith({ exp: NOW_S + 60 }).replace(/[^.]*$/, '')}`, 60],
  ['a JWT without exp', tokenWith({ iat: NOW_S }), null],
  ['a JWT that has ended', tokenWith({ exp: NOW_S - 1 }), null],
  ['a JWT with an exp that is no number', tokenWith({ exp: 'soon' }), null],
  ['a JWT that ends in another age', tokenWith({ exp: NOW_S * 1_000 }), null],
  ['something with two dots', 'a.b.c', null],
  ['an opaque token', 'opaque-token', null],
])('%s says when it ends, or nothing', (_what, token, seconds) => {
  expect(secondsUntilExpiry(token, NOW_S * 1_000)).toBe(seconds);
});
