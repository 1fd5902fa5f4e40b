import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { echoesRequestedValues, isFromIssuer, isSignedCallback } from '../../src/oauth/callback-proof.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const SIGNATURE = { parameter: 'hmac', algorithm: 'sha256' } as const;
const signed = (query: string, secret: string) => createHmac('sha256', secret).update(query).digest('hex');

describe('a signed authorization response', () => {
  const others = { shop: 'blue.myshopify.com', code: 'c1', state: 's1', timestamp: '1' };
  const hmac = signed('code=c1&shop=blue.myshopify.com&state=s1&timestamp=1', 'secret');

  it('is taken with the signature over the other parameters in order, by any secret under rotation', () => {
    expect(isSignedCallback(SIGNATURE, { ...others, hmac }, ['new', 'secret'])).toBe(true);
  });

  it.each([
    ['none', others],
    ['an empty one', { ...others, hmac: '' }],
    ['another', { ...others, hmac: hmac.replace(/^./, (first) => (first === '0' ? '1' : '0')) }],
    ['a shortened one', { ...others, hmac: hmac.slice(0, 32) }],
    ['that of another shop', { ...others, shop: 'red.myshopify.com', hmac }],
    ['one that says nothing of an added parameter', { ...others, host: 'x', hmac }],
  ])('is refused with %s', (_what, parameters) => {
    expect(isSignedCallback(SIGNATURE, parameters, ['secret'])).toBe(false);
  });

  it('is refused where the integration has no secret', () => {
    expect(isSignedCallback(SIGNATURE, { ...others, hmac }, [])).toBe(false);
  });

  it('never vouches for parameters that were cut up differently', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z=&]{1,6}$/), fc.string()), (parameters) => {
        const { hmac: _hmac, ...rest } = parameters;
        const joined = { joined: new URLSearchParams(rest).toString() };
        const proof = signed(new URLSearchParams(joined).toString(), 'secret');
        expect(isSignedCallback(SIGNATURE, { ...joined, hmac: proof }, ['secret'])).toBe(true);
        expect(isSignedCallback(SIGNATURE, { ...rest, hmac: proof }, ['secret'])).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});

it.each([
  ['names the issuer that was asked', {}, 'https://as.example', true],
  ['names none, where none is promised', {}, undefined, true],
  ['names none, where one is always sent', { issuerAlwaysSent: true }, undefined, false],
  ['names another', {}, 'https://other.example', false],
  ['names that of this tenant', { issuer: 'https://{tenant}.example' }, 'https://blue.example', true],
  ['names that of another tenant', { issuer: 'https://{tenant}.example' }, 'https://red.example', false],
  ['names one of a tenant that is not known', { issuer: 'https://{org}.example' }, 'https://.example', false],
])('a response that %s is judged by its issuer', (_what, extra, iss, expected) => {
  const provider = { issuer: 'https://as.example', issuerAlwaysSent: false, ...extra };
  expect(isFromIssuer(provider, { tenant: 'blue' }, iss)).toBe(expected);
});

it.each([
  ['the shop that was asked', { shop: 'blue.acme.example' }, true],
  ['the same shop in capitals', { shop: 'BLUE.acme.example' }, true],
  ['another shop', { shop: 'red.acme.example' }, false],
  ['no shop', {}, false],
  ['a shop by inheritance', Object.create({ shop: 'blue.acme.example' }), false],
])('a response that names %s is judged by what was asked', (_what, parameters, expected) => {
  const provider = acmeProvider({
    callback: { mustMatch: { shop: '{shop}.acme.example' } },
    variables: { shop: { from: 'user' } },
  });
  expect(echoesRequestedValues(provider, { shop: 'blue' }, parameters)).toBe(expected);
  expect(echoesRequestedValues(provider, {}, parameters)).toBe(false);
});
