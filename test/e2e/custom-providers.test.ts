import { callApi, callApiOk, createProject, type Gateway, startGateway } from '../support/gateway.ts';
import { readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { answerTokens } from './connecting-provider.ts';
import { CLIENT, type ConnectingStage, startConnectingStage } from './connecting-stage.ts';

const ACME = 'custom:acme';

let stage: ConnectingStage;
let replica: Gateway;

beforeAll(async () => {
  stage = await startConnectingStage(['scripted']);
  const { ENCRYPTION_KEYS = '' } = stage.gateway.env;
  replica = await startGateway({
    databaseUrl: stage.database.url,
    env: { ENCRYPTION_KEYS, PUBLIC_URL: stage.gateway.url },
  });
});
afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  callApi(stage.gateway.url, method, `/v1${path}`, { bearer: stage.project.apiKey, body, headers });

function description(id = 'acme') {
  const { url } = stage.provider;
  return {
    id,
    name: 'Acme CRM',
    auth: 'oauth2',
    authorizationUrl: `${url}/authorize`,
    tokenUrl: `${url}/token`,
    revocationUrl: `${url}/revoke`,
    apiBaseUrl: `${url}/api`,
    account: { id: { from: 'token-response', path: 'account_id' } },
  };
}

const integrate = async (serviceProvider: string) =>
  (await api('POST', '/integrations', { serviceProvider, ...CLIENT, scopes: ['read'] })).body;

const proxied = (path: string, userId: string, gateway = stage.gateway, provider = ACME) =>
  callApi(gateway.url, 'GET', `/projects/${stage.project.id}/proxy/${provider}${path}`, {
    bearer: stage.project.userToken(userId),
  });

const lastCall = () => stage.provider.apiCalls.at(-1);

it('is described, integrated, authorized, called, refreshed, changed on every gateway, and deleted', async () => {
  const created = await api('POST', '/providers', description(), { 'Idempotency-Key': 'acme-1' });
  expect(created.status).toBe(201);
  const again = await api('POST', '/providers', description(), { 'Idempotency-Key': 'acme-1' });
  expect([again.status, again.body]).toEqual([201, created.body]);

  const integration = await integrate(ACME);
  const callback = `${stage.gateway.url}/oauth/callback/${integration.id}`;
  expect(integration).toMatchObject({ serviceProvider: ACME, redirectUrl: callback });

  const completed = await stage.connect('mia', 'acme-account', { provider: ACME });
  expect([completed.status, completed.body]).toEqual([
    200,
    expect.objectContaining({ serviceProvider: ACME, accountId: 'acme-account' }),
  ]);
  expect(stage.provider.tokenCalls.at(-1)?.form.get('redirect_uri')).toBe(callback);

  expect((await proxied('/things?page=1', 'mia')).status).toBe(200);
  expect(lastCall()).toMatchObject({ path: '/api/things?page=1' });
  expect((await proxied('/encoded', 'mia', stage.gateway, 'custom%3Aacme')).status).toBe(200);
  expect(lastCall()).toMatchObject({ path: '/api/encoded' });

  expect((await proxied('/warm', 'mia', replica)).status).toBe(200);
  const apiBaseUrl = `${stage.provider.url}/api/v2`;
  const changed = await api('PATCH', `/providers/${ACME}`, { apiBaseUrl }, { 'If-Match': '"1"' });
  expect([changed.status, changed.body.apiBaseUrl]).toEqual([200, apiBaseUrl]);
  await proxied('/things', 'mia');
  expect(lastCall()?.path).toBe('/api/v2/things');
  await until(async () => {
    await proxied('/things', 'mia', replica);
    return lastCall()?.path === '/api/v2/things';
  });

  const inUse = await api('DELETE', `/providers/${ACME}`);
  expect([inUse.status, inUse.body.code]).toEqual([409, 'integrations_exist']);
  expect((await api('DELETE', `/integrations/${integration.id}?force=true`)).status).toBe(204);
  await until(() => stage.provider.revoked.length === 1);
  expect((await api('DELETE', `/providers/${ACME}`)).status).toBe(204);
  for (const gateway of [stage.gateway, replica]) {
    await until(async () => (await proxied('/things', 'mia', gateway)).body.code === 'provider_unknown');
  }
});

describe('with a provider of its own', () => {
  beforeAll(async () => {
    await api('POST', '/providers', description());
    await integrate(ACME);
  });

  it('a project’s access tokens are refreshed at the provider’s token endpoint', async () => {
    await stage.connect('zoe', 'north', { provider: ACME });
    stage.provider.answerToken = () => answerTokens('north', { access_token: 'refreshed' });
    stage.provider.accepts = ({ headers }) => headers.authorization === 'Bearer refreshed';
    expect((await proxied('/things', 'zoe')).status).toBe(200);
    stage.provider.accepts = () => true;
    expect(stage.provider.tokenCalls.at(-1)?.form.get('grant_type')).toBe('refresh_token');
    expect(lastCall()?.headers.authorization).toBe('Bearer refreshed');
  });

  it.each([
    ['its state at the shared callback', ACME, () => `${stage.gateway.url}/oauth/callback`],
    ['its state at the callback of another integration', ACME, () => callbackOf(stage.integrations.scripted)],
    ['another provider’s state at its callback', 'scripted', async () => callbackOf(await ownIntegration())],
  ])('%s is refused without a token request, and is still good at its own', async (_, provider, wrong) => {
    const session = await stage.start('ida', { provider });
    const browser = stage.openBrowser();
    const authorization = await stage.follow(session, browser);
    const good = stage.callbackUrl(authorization, { code: 'the-code' });
    const before = stage.provider.tokenCalls.length;
    const refused = await browser.open(`${await wrong()}${new URL(good).search}`);
    expect([refused.status, stage.provider.tokenCalls.length - before]).toEqual([403, 0]);
    expect(readOutcome(await browser.open(good)).message.status).toBe('success');
  });

  const callbackOf = (integrationId: string | undefined) =>
    `${stage.gateway.url}/oauth/callback/${integrationId}`;
  const ownIntegration = async () =>
    (await api('GET', `/integrations?serviceProvider=${ACME}`)).body.integrations[0].id;

  it('another project cannot use it: no listing, no integration, no session, no call', async () => {
    const other = await createProject(stage.gateway.url, stage.project.personalAccessToken);
    const as = (method: string, path: string, body?: unknown) =>
      callApi(stage.gateway.url, method, path, { bearer: other.apiKey, body });
    const { providers } = (await as('GET', '/v1/providers?q=acme')).body;
    expect(providers).toEqual([]);
    const answers = [
      await as('GET', `/v1/providers/${ACME}`),
      await as('POST', '/v1/integrations', { serviceProvider: ACME, ...CLIENT, scopes: ['read'] }),
      await as('POST', '/v1/connect-sessions', { provider: ACME, userId: 'mia' }),
      await callApi(stage.gateway.url, 'GET', `/projects/${other.id}/proxy/${ACME}/things`, {
        bearer: other.userToken('mia'),
      }),
    ];
    const misspelt = `/projects/${other.id}/proxy/hubspt/crm`;
    const proxiedAnswer = await callApi(stage.gateway.url, 'GET', misspelt, {
      bearer: other.userToken('mia'),
    });
    expect(proxiedAnswer.body.detail).toContain('Did you mean `hubspot`?');
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array(4).fill([404, 'provider_unknown']),
    );
  });

  it('a caller without a token is told nothing about it', async () => {
    const path = (provider: string) => `/projects/${stage.project.id}/proxy/${provider}/things`;
    const answers = await Promise.all(
      [ACME, 'custom:nobody', 'nobody'].map((provider) => callApi(stage.gateway.url, 'GET', path(provider))),
    );
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array(3).fill([401, 'token_missing']),
    );
  });

  it('takes the user’s token where the provider’s own clients put their credential', async () => {
    await callApiOk(stage.gateway.url, 'PATCH', `/v1/providers/${ACME}`, {
      bearer: stage.project.apiKey,
      body: {
        callerCredentials: [
          { in: 'header', name: 'X-Acme-Key' },
          { in: 'header', name: 'X-Acme-Token', carriesCredential: true },
        ],
      },
    });
    await stage.connect('eve', 'acme-account', { provider: ACME });
    const url = `${stage.gateway.url}/projects/${stage.project.id}/proxy/${ACME}/things`;
    const credentialsAfter = async (field: string) => {
      const response = await fetch(url, { headers: { [field]: stage.project.userToken('eve') } });
      expect(response.status).toBe(200);
      await response.text();
      const { authorization, [field]: inField } = lastCall()?.headers ?? {};
      return { authorization, inField };
    };
    const token = expect.stringMatching(/^access-/);
    const bearer = expect.stringMatching(/^Bearer access-/);
    expect(await credentialsAfter('x-acme-key')).toEqual({ authorization: bearer });
    expect(await credentialsAfter('x-acme-token')).toEqual({ inField: token });
  });
});

it('a dry run shows what would be sent, and stores and sends nothing', async () => {
  const before = stage.provider.tokenCalls.length;
  const { status, body } = await api('POST', '/providers?dryRun=true', {
    ...description('dry'),
    tokenEndpointAuth: 'client_secret_basic',
    defaultScopes: ['read'],
    apiHeaders: { 'Acme-Version': '3' },
  });
  const { url } = stage.provider;
  const callback = encodeURIComponent(`${stage.gateway.url}/oauth/callback/`);
  expect([status, body.provider.id, body.notes]).toEqual([200, 'custom:dry', []]);
  expect(body.requests.authorization.url).toContain(`${url}/authorize?`);
  expect(body.requests.authorization.url).toContain('state=<state>&code_challenge=<codeChallenge>');
  expect(body.requests.authorization.url).toContain(`redirect_uri=${callback}<integration id>`);
  expect(body.requests).toMatchObject({
    token: {
      method: 'POST',
      url: `${url}/token`,
      headers: { Authorization: 'Basic base64(<clientId>:<clientSecret>)' },
      body: expect.stringContaining('grant_type=authorization_code&code=<code>'),
    },
    tokenExchange: null,
    refresh: { body: 'grant_type=refresh_token&refresh_token=<refreshToken>' },
    revocation: { url: `${url}/revoke`, body: 'token=<refreshToken>' },
    account: null,
    call: {
      method: 'GET',
      url: `${url}/api/example?page=1`,
      headers: { Authorization: 'Bearer <accessToken>', 'Acme-Version': '3' },
    },
  });
  expect((await api('GET', '/providers/custom:dry')).status).toBe(404);
  expect(stage.provider.tokenCalls.length).toBe(before);
});

it('that leads back to the gateway is 508 at every address of it, and of a replica', async () => {
  const self = {
    ...{ id: 'self', name: 'Self', auth: 'api-key', docsUrl: 'https://self.test/', noProbe: 'It is a test.' },
    apiKey: { in: 'header', name: 'Authorization', template: 'Bearer {apiKey}' },
  };
  const faults: string[] = [];
  for (const [index, { url }] of [stage.gateway, replica].entries()) {
    const id = `self-${index}`;
    await callApiOk(stage.gateway.url, 'POST', '/v1/providers', {
      bearer: stage.project.apiKey,
      body: { ...self, id, apiBaseUrl: url },
    });
    const integration = await api('POST', '/integrations', { serviceProvider: `custom:${id}`, scopes: [] });
    await api('POST', '/connections', {
      ...{ integrationId: integration.body.id, userId: 'ada' },
      credentials: { apiKey: stage.project.apiKey },
    });
    const paths = [
      '/livez',
      '/v1/providers',
      '/sdk/connect.js',
      '/openapi.json',
      '/nowhere',
      '/',
      '/connect/x',
    ];
    for (const path of [...paths, `/agents/${stage.project.id}`, '/oauth/token', '/webhooks/x']) {
      const answer = await proxied(path, 'ada', stage.gateway, `custom:${id}`);
      if (answer.status !== 508 || answer.headers.get('gateway-error') !== 'loop_detected')
        faults.push(`${url}${path}: ${answer.status} ${answer.headers.get('gateway-error')}`);
    }
  }
  expect(faults).toEqual([]);
});
