import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';

const WHOLE = {
  supported: true,
  scope: 'connection',
  signature: { scheme: 'hmac', at: 'header:X-Signature', signed: ['{body}'] },
  secret: { from: 'operator' },
  payload: { eventType: '{type}' },
};

function faultsOf(webhooks: Readonly<Record<string, unknown>>, allowPrivateNetworks = false): string[] {
  const file = { id: 'acme', name: 'Acme', auth: 'basic', apiBaseUrl: 'https://api.acme.example', webhooks };
  const loaded = providerFromFile(file, { allowPrivateNetworks });
  return loaded.ok ? [] : loaded.faults.map(({ path, reason }) => `${path.join('.')}: ${reason}`);
}

const withSignature = (signature: Readonly<Record<string, unknown>>) => ({
  ...WHOLE,
  signature: { ...WHOLE.signature, ...signature },
});
const withCall = (request: Readonly<Record<string, unknown>>) => ({
  ...WHOLE,
  registration: [{ by: 'api', request }],
});

describe('webhooks of a provider file', () => {
  it.each([
    ['that is whole', WHOLE],
    ['that only says that there are some', { supported: true, docsUrl: 'https://acme.example/webhooks' }],
    ['that says that there are none', { supported: false }],
  ])('are loaded from a block %s', (_name, webhooks) => {
    expect(faultsOf(webhooks)).toEqual([]);
  });

  it.each([
    ['no payload', { ...WHOLE, payload: undefined }, 'webhooks.payload'],
    ['a description of what is not supported', { ...WHOLE, supported: false }, 'webhooks.supported'],
    ['an HMAC without a secret', { ...WHOLE, secret: { from: 'none' } }, 'webhooks.secret.from'],
    ['a part that is no placeholder', withSignature({ signed: ['{bodi}'] }), 'webhooks.signature.signed.0'],
    ['an unknown hook', withSignature({ signed: ['{hook:other}'] }), 'webhooks.signature.signed'],
    [
      'a member of Object as a hook',
      withSignature({ signed: ['{hook:toString}'] }),
      'webhooks.signature.signed',
    ],
    [
      'a signed time that stands nowhere',
      withSignature({ signed: ['{timestamp}'] }),
      'webhooks.signature.timestamp',
    ],
    ['a digest without the secret', withSignature({ scheme: 'digest' }), 'webhooks.signature.signed'],
    ['a place of no kind', withSignature({ at: 'cookie:x' }), 'webhooks.signature.at'],
    [
      'a key that has no address',
      { ...WHOLE, signature: { scheme: 'jwt', at: 'header:A', algorithm: 'RS256', key: {} } },
      'webhooks.signature.key',
    ],
    [
      'a certificate at a path of JSON',
      withSignature({
        scheme: 'public-key',
        algorithm: 'rsa-sha256',
        key: { url: 'https://acme.example/key', keyPath: 'key', certificateName: 'acme.example' },
      }),
      'webhooks.signature.key.certificateName',
    ],
    [
      'a verify token from nowhere',
      { ...WHOLE, handshake: [{ verifyToken: 'query:token' }] },
      'webhooks.verifyToken',
    ],
    [
      'a handshake that signs bodies',
      { ...WHOLE, handshake: [{ computed: { scheme: 'hmac', signed: ['{body}'] } }] },
      'webhooks.handshake',
    ],
    ['an unknown value', withCall({ url: '/hooks/{other}' }), 'webhooks.registration.0.request'],
    [
      'a value of ours as a host',
      withCall({ url: 'https://{event}/hooks' }),
      'webhooks.registration.0.request.url',
    ],
    [
      'a user in the address',
      withCall({ url: 'https://a@b.example/x' }),
      'webhooks.registration.0.request.url',
    ],
    ['plain http', withCall({ url: 'http://b.example/x' }), 'webhooks.registration.0.request.url'],
  ])('with %s are refused, and the field is told', (_name, webhooks, field) => {
    expect(faultsOf(webhooks)).toEqual([
      expect.stringMatching(new RegExp(`^${field.replaceAll('.', '\\.')}: `)),
    ]);
  });
});
