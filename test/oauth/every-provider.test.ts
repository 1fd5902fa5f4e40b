import { createHash } from 'node:crypto';
import { clientValues } from '../../src/catalog/facts/client-values.ts';
import { resolveUrl } from '../../src/catalog/facts/resolve-url.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { readFirstPath } from '../../src/lib/json-path.ts';
import { createAccountRequest, readAccount, readCallbackVariables } from '../../src/oauth/account.ts';
import {
  authorizationRequestUrl,
  buildAuthorizationParameters,
  redirectUriFor,
} from '../../src/oauth/authorization-request.ts';
import {
  queryOfPostedResponse,
  readAuthorizationResponse,
  readCallbackParameters,
} from '../../src/oauth/callback-parameters.ts';
import { echoesRequestedValues, isFromIssuer, isSignedCallback } from '../../src/oauth/callback-proof.ts';
import { listTenants } from '../../src/oauth/tenants.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import type { TokenOutcome } from '../../src/oauth/token-outcome.ts';
import type { IssuedTokens } from '../../src/oauth/token-response.ts';
import { providerRequest } from '../../src/proxy/provider-request.ts';
import { readFields } from '../../src/proxy/request-fields.ts';
import { everyGrant } from '../support/every-grant.ts';
import {
  expectedAccount,
  isScopePlain,
  LIFETIME_SECONDS,
  pickExamples,
  tenantElement,
} from './fake-answers.ts';
import { REDIRECT_URI, STATE } from './fake-authorization.ts';
import { API_PATH, API_QUERY, CLIENT_ID, TYPED } from './fake-conduct.ts';
import { startFakeProviders } from './fake-provider.ts';
import {
  buildTarget,
  buildWarmConnection,
  type Context,
  catalog,
  discovered,
  given,
  learn,
  start,
} from './provider-life.ts';
import { revoke } from './revoke.ts';

const of = (...kinds: Provider['auth'][]) =>
  everyGrant(catalog)
    .filter(([, { auth }]) => kinds.includes(auth))
    .map(([name, provider]) => [name, discovered(provider)] as const);

const VERIFIER = 'v'.repeat(43);

const fakes = await startFakeProviders();
afterAll(fakes.close);

const endpointOf = ({ fake }: Context) => createTokenEndpoint({ outbound: fake.outbound });

/** What the browser does: to the provider and back, posted or not. Answers the callback's parameters. */
function authorize({ provider, fake, variables }: Context) {
  const redirectUri = redirectUriFor(provider, REDIRECT_URI, variables);
  const page = resolveUrl(provider.authorizationUrl ?? '', provider, { ...variables, clientId: CLIENT_ID });
  if (!page.ok || redirectUri === undefined) throw new Error(page.ok ? 'no redirect URI' : page.message);
  const parameters = buildAuthorizationParameters({
    provider,
    integration: { clientId: CLIENT_ID, scopes: provider.defaultScopes, optionalScopes: [] },
    redirectUri,
    state: STATE,
    nonce: 'n'.repeat(22),
    codeChallenge: provider.pkce ? createHash('sha256').update(VERIFIER).digest('base64url') : undefined,
    variables,
  });
  const answer = fake.visit(authorizationRequestUrl(page.url, parameters, provider.authorizationFragment));
  const query =
    answer.method === 'POST'
      ? queryOfPostedResponse(answer.parameters)
      : new URLSearchParams(answer.parameters).toString();
  const received = readCallbackParameters(query);
  const response = received && readAuthorizationResponse(received, provider.callback.codeParameter);
  if (response?.code === undefined) throw new Error(`a callback without a code: ${query}`);
  expect(isFromIssuer(provider, variables, response.iss)).toBe(true);
  expect(echoesRequestedValues(provider, variables, response.all)).toBe(true);
  const { signature } = provider.callback;
  if (signature) expect(isSignedCallback(signature, response.all, [fake.clientSecret])).toBe(true);
  return { code: response.code, redirectUri, all: response.all };
}

function tokensOf({ fake }: Context, outcome: TokenOutcome): IssuedTokens {
  if (outcome.ok) return outcome.tokens;
  throw new Error(`${outcome.errorCode}: ${fake.complaints.join('; ')}`);
}

/** The account call, and what it must have shown. */
async function showAccount(
  context: Context,
  credentials: Readonly<Record<string, string>>,
  sources: { tokenResponse?: IssuedTokens['raw']; callbackParameters?: Record<string, string> },
) {
  const { provider, fake, variables, secrets } = context;
  const { secret } = given(provider).ofIntegration;
  const ofClient = clientValues(provider, CLIENT_ID, fake.clientSecret);
  const values = { ...secret, ...ofClient, ...secrets, ...credentials };
  fake.expect('account');
  const account = await readAccount(provider, {
    ...sources,
    // As the form has it: of what was typed, only the user name may say whose the account is.
    variables: { username: TYPED.username, ...variables },
    request: createAccountRequest({ outbound: fake.outbound }, provider, values),
  });
  expect({ ...account, variables: null, complaints: fake.complaints }).toEqual({
    accountId: expectedAccount(provider, provider.account?.id),
    accountName: expectedAccount(provider, provider.account?.name),
    variables: null,
    problem: null,
    complaints: [],
  });
  learn(context, account.variables);
  await takeTenant(context, credentials);
}

/** The listing call of a provider with tenants, whose only one is taken. */
async function takeTenant(context: Context, credentials: Readonly<Record<string, string>>): Promise<void> {
  const { provider, fake, variables, secrets } = context;
  if (provider.tenants === undefined) return;
  const { secret } = given(provider).ofIntegration;
  const ofClient = clientValues(provider, CLIENT_ID, fake.clientSecret);
  const values = { ...secret, ...ofClient, ...secrets, ...credentials };
  fake.expect('tenants');
  const listed = await listTenants({ outbound: fake.outbound }, provider, { ...variables, ...values });
  const id = String(readFirstPath(tenantElement(provider), provider.tenants.id));
  expect({ listed, complaints: fake.complaints }).toMatchObject({
    listed: { ok: true, tenants: [{ id, variables: pickExamples(provider, 'tenant') }], isComplete: true },
    complaints: [],
  });
  learn(context, pickExamples(provider, 'tenant'));
}

/** One API call, put together by the proxy's own functions. */
async function callApi(context: Context, credentials: Readonly<Record<string, string>>): Promise<void> {
  const { fake } = context;
  const warm = buildWarmConnection(context, credentials);
  const { apiBase } = warm.resolved;
  const made = providerRequest({
    method: 'GET',
    target: { rawPath: API_PATH, rawQuery: API_QUERY },
    fields: readFields(['Host', 'gateway', 'Authorization', 'Bearer the.user.jwt'], []),
    connection: warm.resolved,
    apiBase,
    credential: warm.credential,
    token: 'the.user.jwt',
  });
  if (made === undefined) throw new Error('the credential is incomplete');
  const sent = made.fields;
  const headers = Object.fromEntries(
    sent.flatMap((name, index) =>
      index % 2 === 0 && name !== 'Host' ? [[name, sent[index + 1] ?? '']] : [],
    ),
  );
  fake.expect('api');
  await fake.outbound.request({ url: `${apiBase.origin}${made.pathname}`, headers });
  expect(fake.complaints).toEqual([]);
}

/** The token that was issued; its lifetime may have been given as a time of expiry, and some of it has gone by. */
const asIssued = (accessToken: string) => ({
  accessToken: expect.stringMatching(new RegExp(`${accessToken}$`)),
  expiresInSeconds: expect.closeTo(LIFETIME_SECONDS, -1),
});

describe('a connection as the provider file says', () => {
  it.each(of('oauth2'))('%s: authorize, exchange, account, call, refresh, revoke', async (_id, provider) => {
    const context = start(provider, fakes.of(provider));
    const { fake } = context;
    const callback = authorize(context);
    const fromCallback = readCallbackVariables(provider, callback.all);
    if (!fromCallback.ok) throw new Error(`the callback brings no good ${fromCallback.variable}`);
    learn(context, fromCallback.variables);

    fake.expect('code');
    const { code, redirectUri } = callback;
    const codeVerifier = provider.pkce ? VERIFIER : null;
    const exchange = { code, redirectUri, codeVerifier };
    const first = tokensOf(
      context,
      await endpointOf(context).exchangeCode({ ...buildTarget(context), ...exchange }),
    );
    const { tokenExchange, refreshWith, revocationUrl } = provider;
    expect(first).toMatchObject(asIssued(tokenExchange === undefined ? 'access-1' : 'kept-1'));
    expect(first.refreshToken).toBe(refreshWith === 'access_token' ? null : 'refresh-1');
    if (isScopePlain(provider)) expect(first.scopes).toEqual(['one', 'two']);
    await showAccount(
      context,
      { accessToken: first.accessToken },
      {
        tokenResponse: first.raw,
        callbackParameters: callback.all,
      },
    );
    await callApi(context, { accessToken: first.accessToken });

    const again = async ({ accessToken, refreshToken }: IssuedTokens) => {
      fake.expect('refresh');
      return refreshWith === 'access_token'
        ? endpointOf(context).renew({ ...buildTarget(context), accessToken })
        : endpointOf(context).refresh({ ...buildTarget(context), refreshToken: refreshToken ?? '' });
    };
    const second = tokensOf(context, await again(first));
    expect(second).toMatchObject(asIssued(tokenExchange?.afterRefresh ? 'kept-2' : 'access-2'));
    await callApi(context, { accessToken: second.accessToken });

    fake.expect('revoke');
    const { accessToken, refreshToken } = second;
    const revoked = await revoke(endpointOf(context), { ...buildTarget(context), accessToken, refreshToken });
    expect(revoked).toEqual(revocationUrl === undefined ? 'unsupported' : { ok: true });
    if (refreshWith === 'refresh_token') {
      expect(await again(first)).toMatchObject({ ok: false, kind: 'invalid_grant' });
    }
    expect(fake.complaints).toEqual([]);
  });

  it.each(of('oauth2-client-credentials'))(
    '%s: exchange, account, call, exchange again',
    async (_id, provider) => {
      const context = start(provider, fakes.of(provider));
      const { fake } = context;
      const ask = async () => {
        fake.expect('client');
        const request = { ...buildTarget(context), scopes: provider.defaultScopes };
        return tokensOf(context, await endpointOf(context).clientCredentials(request));
      };
      const first = await ask();
      await showAccount(context, { accessToken: first.accessToken }, { tokenResponse: first.raw });
      await callApi(context, { accessToken: first.accessToken });
      const second = await ask();
      expect(second.accessToken).not.toBe(first.accessToken);
      await callApi(context, { accessToken: second.accessToken });
    },
  );

  it.each(of('api-key', 'basic'))(
    '%s: a key shows whose it is and makes a call, and another is refused',
    async (_id, provider) => {
      const context = start(provider, fakes.of(provider));
      await showAccount(context, TYPED, {});
      await callApi(context, TYPED);
      if (provider.account?.request === undefined || provider.apiKey?.in === 'path') return;
      const { outbound } = context.fake;
      const values = { ...context.secrets, apiKey: 'another', username: 'another', password: 'another' };
      context.fake.expect('account');
      const refused = createAccountRequest({ outbound }, provider, { ...values, clientId: CLIENT_ID });
      const answer = await refused({ ...context.variables, ...given(provider).ofIntegration.secret });
      expect(answer).toMatchObject({ ok: false });
    },
  );
});

describe('a request that is not as the provider file says', () => {
  const notion = catalog.find('notion');
  if (notion === undefined) throw new Error('no notion');
  const request = notion.tokenRequest;
  const changes: [string, Partial<Provider>][] = [
    ['client authentication', { tokenEndpointAuth: 'client_secret_post' }],
    ['content type', { tokenRequest: { ...request, encoding: 'form' } }],
    ['method', { tokenRequest: { ...request, method: 'GET' } }],
    ['place', { tokenRequest: { ...request, in: 'query' } }],
    ['missing header', { tokenRequest: { ...request, headers: {} } }],
    ['name of a parameter', { tokenRequest: { ...request, parameterNames: { code: 'the_code' } } }],
    ['missing parameter', { tokenRequest: { ...request, omit: ['redirect_uri'] } }],
    ['surplus parameter', { tokenParams: { extra: '1' } }],
    ['placeholder', { tokenParams: { extra: '{a}' } }],
    ['address', { tokenUrl: 'https://api.notion.com/v1/oauth/tokens' }],
    ['verifier', { pkce: !notion.pkce }],
  ];

  it.each(changes)('is refused for its %s', async (_what, change) => {
    const context = { ...start(notion, fakes.of(notion)), provider: { ...notion, ...change } };
    if (notion.pkce) authorize({ ...context, provider: notion });
    context.fake.expect('code');
    const outcome = await endpointOf(context).exchangeCode({
      ...buildTarget({ ...context, variables: { a: '{b}' } }),
      code: 'the-code',
      redirectUri: REDIRECT_URI,
      codeVerifier: context.provider.pkce ? VERIFIER : null,
    });
    expect([outcome.ok, context.fake.complaints.length > 0]).toEqual([false, true]);
  });
});
