import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { loadCatalog } from '../../src/catalog/catalog.ts';
import type { Provider } from '../../src/catalog/provider.schema.ts';
import { resolveUrl } from '../../src/catalog/resolve-url.ts';
import { createAccountRequest, readAccount, readCallbackVariables } from '../../src/oauth/account.ts';
import {
  authorizationRequestUrl,
  buildAuthorizationParameters,
} from '../../src/oauth/authorization-request.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import {
  ACCOUNT,
  CLIENT,
  exampleOf,
  type FakeProvider,
  REDIRECT_URI,
  startFakeProvider,
} from './fake-provider.ts';

const catalog = loadCatalog({
  builtInDirectory: join(import.meta.dirname, '../../src/catalog/providers'),
  allowPrivateNetworks: false,
});
const of = (...kinds: Provider['auth'][]) =>
  catalog
    .list()
    .filter(({ auth }) => kinds.includes(auth))
    .map((provider) => [provider.id, provider] as const);

const VERIFIER = 'v'.repeat(43);
const client = { clientId: CLIENT.clientId, clientSecrets: [CLIENT.clientSecret] };
let fake: FakeProvider;

afterEach(() => fake.close());

/** What the browser does: to the provider and back. */
async function authorize(
  provider: Provider,
  variables: Record<string, string>,
): Promise<Record<string, string>> {
  const authorizationUrl = resolveUrl(provider.authorizationUrl ?? '', provider, variables);
  if (!authorizationUrl.ok) throw new Error(authorizationUrl.message);
  const parameters = buildAuthorizationParameters({
    provider,
    integration: { clientId: CLIENT.clientId, scopes: provider.defaultScopes, optionalScopes: [] },
    redirectUri: REDIRECT_URI,
    state: 'the-state',
    codeChallenge: provider.pkce ? createHash('sha256').update(VERIFIER).digest('base64url') : undefined,
    variables,
  });
  const { headers } = await fake.outbound.request({
    url: authorizationRequestUrl(authorizationUrl.url, parameters),
  });
  return Object.fromEntries(new URL(headers.location ?? '').searchParams);
}

/** Values that users and operators would give. */
function given(provider: Provider): Record<string, string> {
  const known = provider.variables.filter(({ from }) => from === 'user' || from === 'integration');
  return Object.fromEntries(known.map((variable) => [variable.name, exampleOf(variable)]));
}

describe('an authorization as the provider file says', () => {
  it.each(of('oauth2'))('%s: authorize, exchange, account, refresh, revoke', async (_id, provider) => {
    fake = await startFakeProvider(provider);
    const tokenEndpoint = createTokenEndpoint({ outbound: fake.outbound });
    const known = given(provider);
    const callback = await authorize(provider, known);
    const fromCallback = readCallbackVariables(provider, callback);
    if (!fromCallback.ok) throw new Error(fromCallback.variable);
    const target = { provider, client, variables: { ...known, ...fromCallback.variables } };

    const exchanged = await tokenEndpoint.exchangeCode({
      ...target,
      code: callback.code ?? '',
      redirectUri: REDIRECT_URI,
      codeVerifier: provider.pkce ? VERIFIER : null,
    });
    if (!exchanged.ok) throw new Error(`${exchanged.errorCode}: ${fake.complaints.join('; ')}`);
    const { tokens } = exchanged;
    expect(tokens).toMatchObject({
      accessToken: 'access-1',
      refreshToken: 'refresh-1',
      expiresInSeconds: 1234,
    });
    expect(tokens.scopes).toEqual(['one', 'two']);

    const account = await readAccount(provider, {
      tokenResponse: tokens.raw,
      callbackParameters: callback,
      variables: target.variables,
      request: createAccountRequest({ outbound: fake.outbound }, provider, {
        accessToken: tokens.accessToken,
      }),
    });
    expect({ problem: account.problem, accountId: account.accountId }).toEqual({
      problem: null,
      accountId: provider.account === undefined ? null : ACCOUNT,
    });
    const variables = { ...target.variables, ...account.variables };
    expect(resolveUrl(provider.apiBaseUrl, provider, variables)).toMatchObject({ ok: true });

    const refreshed = await tokenEndpoint.refresh({
      ...target,
      variables,
      refreshToken: tokens.refreshToken ?? '',
    });
    expect(refreshed).toMatchObject({
      ok: true,
      tokens: { accessToken: 'access-2', refreshToken: 'refresh-2' },
    });

    const revoked = await tokenEndpoint.revoke({
      ...target,
      variables,
      accessToken: 'access-2',
      refreshToken: 'refresh-2',
    });
    if (provider.revocationUrl === undefined)
      expect(revoked).toMatchObject({ ok: false, kind: 'unsupported' });
    else expect(revoked).toEqual({ ok: true });
    const dead = await tokenEndpoint.refresh({ ...target, variables, refreshToken: 'refresh-1' });
    expect(dead).toMatchObject({ ok: false, kind: 'invalid_grant' });
    expect(fake.complaints).toEqual([]);
  });

  it.each(of('api-key', 'basic'))(
    '%s: a key shows whose it is, and a bad one is refused',
    async (_id, provider) => {
      fake = await startFakeProvider(provider);
      const ask = (apiKey: string) =>
        readAccount(provider, {
          variables: given(provider),
          request: createAccountRequest({ outbound: fake.outbound }, provider, {
            apiKey,
            username: 'the-key',
            password: '',
          }),
        });
      if (provider.account === undefined) return;
      expect(await ask('the-key')).toMatchObject({ accountId: ACCOUNT, problem: null });
      if (provider.apiKey?.in === 'header') {
        expect(await ask('another')).toMatchObject({
          accountId: null,
          problem: { kind: 'credential_refused' },
        });
      }
      expect(fake.complaints).toEqual([]);
    },
  );

  it('is noticed when it is not so', async () => {
    const provider = catalog.find('notion');
    if (provider === undefined) throw new Error('no notion');
    fake = await startFakeProvider(provider);
    const tokenEndpoint = createTokenEndpoint({ outbound: fake.outbound });
    await tokenEndpoint.exchangeCode({
      provider: {
        ...provider,
        tokenEndpointAuth: 'client_secret_post',
        tokenRequest: { ...provider.tokenRequest, encoding: 'form', headers: {} },
      },
      client,
      variables: {},
      code: 'another-code',
      redirectUri: REDIRECT_URI,
      codeVerifier: 'unwanted',
    });
    expect(fake.complaints.length).toBeGreaterThanOrEqual(5);
  });
});
