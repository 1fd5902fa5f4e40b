import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { acmeProviderAt } from '../support/acme-provider.ts';
import { startEvilServer } from '../support/authorization-server.ts';
import { revoke } from './revoke.ts';

const endpoint = createTokenEndpoint({ outbound: createOutbound({ allowPrivateNetworks: true }) });
const server = await startEvilServer();
afterAll(server.close);

/** Each could pass for a code of RFC 6749, and for a word. */
const SECRETS = {
  clientSecret: 'clientsecretofletters',
  code: 'codeofletters',
  codeVerifier: 'verifierofletters',
  refreshToken: 'refreshtokenofletters',
  accessToken: 'accesstokenofletters',
  pin: 'pinofletters',
};
const target = (extra: object = {}) => ({
  provider: acmeProviderAt(server.origin, {
    revocationUrl: `${server.origin}/revoke`,
    tokenParams: { pin: '{pin}' },
    refreshParams: { pin: '{pin}' },
    variables: { pin: { from: 'user', secret: true }, shop: { from: 'user' } },
    ...extra,
  }),
  client: { clientId: 'my-client', clientSecrets: [SECRETS.clientSecret] },
  variables: { pin: SECRETS.pin, shop: 'shopofletters' },
});
const { code, codeVerifier, refreshToken, accessToken } = SECRETS;
const redirectUri = 'https://gw.example/oauth/callback';

describe.each([
  [
    'an exchange of a code',
    ['clientSecret', 'code', 'codeVerifier', 'pin'],
    () => endpoint.exchangeCode({ ...target(), code, codeVerifier, redirectUri }),
  ],
  [
    'a refresh',
    ['clientSecret', 'refreshToken', 'pin'],
    () => endpoint.refresh({ ...target(), refreshToken }),
  ],
  ['a renewal', ['clientSecret', 'accessToken', 'pin'], () => endpoint.renew({ ...target(), accessToken })],
  [
    'a request of the client itself',
    ['clientSecret', 'pin'],
    () => endpoint.clientCredentials({ ...target(), scopes: [] }),
  ],
  [
    'a revocation',
    ['clientSecret', 'refreshToken'],
    () => revoke(endpoint, { ...target(), accessToken: null, refreshToken }),
  ],
  [
    'a revocation with HTTP Basic',
    ['clientSecret', 'refreshToken'],
    () =>
      revoke(endpoint, {
        ...target({ revocation: { clientAuth: 'basic' } }),
        accessToken: null,
        refreshToken,
      }),
  ],
] as const)('the refusal of %s', (_request, carried, send) => {
  it.each(carried)('tells no %s that the provider repeats as a code or in its words', async (name) => {
    const secret = SECRETS[name];
    for (const body of [
      { error: secret, message: `Bad ${secret} for the shop` },
      { error: { code: secret } },
    ]) {
      server.answer({
        status: 400,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      const outcome = await send();
      expect(outcome).toMatchObject({ ok: false, errorCode: 'unspecified_error' });
      expect(JSON.stringify(outcome)).not.toContain(secret);
    }
  });

  it('tells codes and words of the provider, and what is no secret', async () => {
    const body = JSON.stringify({ error: 'shop_closed', message: 'The shop shopofletters is closed' });
    server.answer({ status: 400, headers: { 'Content-Type': 'application/json' }, body });
    const outcome = await send();
    expect(outcome).toMatchObject({ ok: false, kind: 'rejected', errorCode: 'shop_closed' });
    if (outcome !== 'unsupported' && !outcome.ok && outcome.words !== undefined)
      expect(outcome.words).toBe('The shop shopofletters is closed');
  });
});
