import type { Target } from '../../src/connect/connect-flow.ts';
import { createGrants } from '../../src/connect/grants.ts';
import type { IssuedTokens } from '../../src/oauth/token-response.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { acmeIntegration, acmeProvider } from '../support/acme-provider.ts';
import { startEvilServer } from '../support/authorization-server.ts';

const CLIENT = { clientId: 'client-1', clientSecrets: ['secret-1'] };
const NOW_MS = Date.UTC(2026, 0, 31);

const server = await startEvilServer();
afterAll(server.close);

const grants = createGrants({
  outbound: createOutbound({ allowPrivateNetworks: true }),
  now: () => NOW_MS,
  clientOf: async () => CLIENT,
});

/** An integration of a provider whose account call is answered with this. */
function answering(status: number, body: unknown, extra: object = {}): Target {
  server.answer({ status, body: JSON.stringify(body) });
  const account = { id: { from: 'request', path: 'id' }, request: { url: `${server.origin}/me` } };
  const provider = acmeProvider({ account, ...extra }, true);
  const integration = acmeIntegration({ clientId: CLIENT.clientId });
  return { provider, integration, known: {}, kept: {}, sealed: new Set<string>(), wantedTenant: null };
}

const TOKENS: IssuedTokens = {
  accessToken: 'access-1',
  refreshToken: 'refresh-1',
  expiresInSeconds: 3600,
  tokenType: 'Bearer',
  scopes: null,
  raw: {},
};
const KEY_ENTERED = { variables: {}, secrets: { apiKey: 'key-1' } };
const CONTEXT = { entered: { variables: {}, secrets: {} }, callbackParameters: {} };
const KEYED = {
  auth: 'api-key',
  authorizationUrl: undefined,
  tokenUrl: undefined,
  apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
};
const NEEDED = {
  apiBaseUrl: 'https://{region}.api.acme.example',
  variables: { region: { from: 'account', path: 'region' } },
};

describe('an authorization whose account call fails for the moment', () => {
  it('is a connection of an unknown account; but a key that was not proved is asked for again', async () => {
    const granted = await grants.fromTokens(answering(503, {}), CLIENT, TOKENS, CONTEXT);
    expect(granted).toMatchObject({ ok: true, grant: { accountId: null, accountName: null } });
    const keyed = await grants.fromCredentials(answering(503, {}, KEYED), KEY_ENTERED);
    expect(keyed).toMatchObject({ ok: false, error: 'provider_error', reason: 'provider_unreachable' });
  });

  it('is one, too, where the provider wants another scope for that call; but a key that is refused is a wrong key', async () => {
    const granted = await grants.fromTokens(answering(401, {}), CLIENT, TOKENS, CONTEXT);
    expect(granted).toMatchObject({ ok: true, grant: { accountId: null } });
    const keyed = await grants.fromCredentials(answering(401, {}, KEYED), KEY_ENTERED);
    expect(keyed).toMatchObject({ ok: false, error: 'credentials_refused' });
  });

  it('is none where the API’s address depends on it, and the person is asked to try again', async () => {
    const refusal = { ok: false, error: 'provider_error', reason: 'provider_unreachable' };
    const granted = await grants.fromTokens(answering(503, {}, NEEDED), CLIENT, TOKENS, CONTEXT);
    expect(granted).toMatchObject({ ...refusal, unusable: { credentials: { refreshToken: 'refresh-1' } } });
    const target = answering(503, {}, { ...KEYED, ...NEEDED });
    expect(await grants.fromCredentials(target, KEY_ENTERED)).toMatchObject(refusal);
  });

  it('is one where the address has another value from before, or a usual one', async () => {
    const again = { ...answering(503, {}, NEEDED), known: { region: 'eu' }, kept: { region: 'eu' } };
    expect(await grants.fromTokens(again, CLIENT, TOKENS, CONTEXT)).toMatchObject({
      ok: true,
      grant: { variables: { region: 'eu' } },
    });
    const variables = { region: { from: 'account', path: 'region', default: 'us' } };
    const usual = answering(503, {}, { ...NEEDED, variables });
    expect(await grants.fromTokens(usual, CLIENT, TOKENS, CONTEXT)).toMatchObject({ ok: true });
  });
});

describe('a user name', () => {
  const BASIC = { auth: 'basic', authorizationUrl: undefined, tokenUrl: undefined };
  const named = { id: { from: 'variable', path: 'username' } };
  const typed = { variables: {}, secrets: { username: 'ann@acme.example', password: 'secret-word' } };

  it('tells whose the account is where the file says so, and nothing of the password does', async () => {
    const granted = await grants.fromCredentials(answering(200, {}, { ...BASIC, account: named }), typed);
    expect(granted).toMatchObject({ ok: true, grant: { accountId: 'ann@acme.example', accountName: null } });
    const secret = {
      id: { from: 'request', path: 'id' },
      name: named.id,
      request: { url: `${server.origin}/me` },
    };
    const both = await grants.fromCredentials(
      answering(200, { id: 7 }, { ...BASIC, account: secret }),
      typed,
    );
    expect(both).toMatchObject({ ok: true, grant: { accountId: '7', accountName: 'ann@acme.example' } });
  });

  it('tells nothing where it is a key that stands alone', () => {
    const alone = { ...BASIC, account: named, basic: { username: '{username}', password: '' } };
    expect(() => acmeProvider(alone, true)).toThrow(/username/);
  });
});

it('an account call that does not tell what the API’s address needs ends in provider_error', async () => {
  const target = answering(200, { id: '7' }, NEEDED);
  const refused = await grants.fromTokens(target, CLIENT, TOKENS, CONTEXT);
  expect(refused).toMatchObject({ ok: false, error: 'provider_error' });
  expect(refused).not.toHaveProperty('reason');
});

describe('a key of a provider with a probe', () => {
  const probed = (status: number) =>
    answering(status, { id: '7' }, { ...KEYED, probe: { url: `${server.origin}/ping` } });

  it.each([
    [200, { ok: true, grant: { accountId: '7' } }],
    [403, { ok: false, error: 'credentials_refused' }],
    [503, { ok: false, error: 'provider_error', reason: 'provider_unreachable' }],
  ])('that is answered with %i is %j', async (status, expected) => {
    expect(await grants.fromCredentials(probed(status), KEY_ENTERED)).toMatchObject(expected);
  });

  it('that is refused is a wrong key where nothing else is asked of the provider, too', async () => {
    const probe = { url: `${server.origin}/ping` };
    const target = answering(403, {}, { ...KEYED, account: undefined, probe });
    expect(await grants.fromCredentials(target, KEY_ENTERED)).toMatchObject({
      ok: false,
      error: 'credentials_refused',
    });
  });
});
