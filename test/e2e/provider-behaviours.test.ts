import { createHmac } from 'node:crypto';
import { callApi, callApiOk, startGateway } from '../support/gateway.ts';
import { dumpDatabase } from '../support/leaks.ts';
import { readOutcome } from '../support/stage.ts';
import { answerTokens } from './connecting-provider.ts';
import { CLIENT, type ConnectingStage, integrate, startConnectingStage } from './connecting-stage.ts';

let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage(['signed', 'renewed', 'machine']);
});
beforeEach(() => {
  stage.provider.answerToken = () => answerTokens('north');
  stage.provider.accepts = () => true;
});
afterAll(() => stage?.close());

async function importFor(userId: string, integrationId: string | undefined, credentials: object) {
  const body = { integrationId, userId, credentials };
  const { gateway, project } = stage;
  return callApiOk(gateway.url, 'POST', '/v1/connections', { bearer: project.apiKey, body });
}

const proxied = (userId: string, provider: string) =>
  callApi(stage.gateway.url, 'GET', `/projects/${stage.project.id}/proxy/${provider}/things?page=1`, {
    bearer: stage.project.userToken(userId),
  });

describe('a provider that posts a signed answer, with its issuer and a code of another name', () => {
  /** Posts the provider's answer and follows it in the browser that asked. */
  async function answered(change: (parameters: Record<string, string>) => Record<string, string>) {
    const browser = stage.openBrowser();
    const request = await stage.follow(await stage.start('mia', { provider: 'signed' }), browser);
    const plain = {
      auth_code: 'the-code',
      iss: stage.provider.url,
      shop: 'blue.example',
      state: request.searchParams.get('state') ?? '',
    };
    const callback = `${stage.gateway.url}/oauth/callback`;
    const posted = await fetch(callback, {
      method: 'POST',
      body: new URLSearchParams(change(plain)),
      redirect: 'manual',
    });
    const location = new URL(posted.headers.get('location') ?? '', callback).href;
    const before = stage.provider.tokenCalls.length;
    const page = await browser.open(location);
    const codes = stage.provider.tokenCalls.slice(before).map(({ form }) => form.get('code'));
    return { request, location, message: readOutcome(page).message, codes };
  }

  function signed(parameters: Record<string, string>): Record<string, string> {
    const sorted = Object.entries(parameters).sort(([left], [right]) => (left < right ? -1 : 1));
    const text = new URLSearchParams(sorted).toString();
    return { ...parameters, hmac: createHmac('sha256', CLIENT.clientSecret).update(text).digest('hex') };
  }

  it('is asked to post, and the code is exchanged', async () => {
    const { request, message, codes } = await answered(signed);
    expect(request.searchParams.get('response_mode')).toBe('form_post');
    expect([message.status, codes]).toEqual(['success', ['the-code']]);
  });

  it.each([
    ['without a signature', (parameters: Record<string, string>) => parameters],
    [
      'with a parameter that came after the signature',
      (parameters: Record<string, string>) => ({ ...signed(parameters), host: 'x' }),
    ],
    [
      'for another shop than was asked',
      (parameters: Record<string, string>) => signed({ ...parameters, shop: 'red.example' }),
    ],
    ['without its issuer', ({ iss: _iss, ...rest }: Record<string, string>) => signed(rest)],
  ])('is refused %s, and no code is exchanged', async (_what, change) => {
    const { message, codes } = await answered(change);
    expect([message.status, message.error, codes]).toEqual(['error', 'invalid_callback', []]);
  });
});

describe('an access token that renews itself', () => {
  const expiring = (accessToken: string, inSeconds: number) => ({
    accessToken,
    expiresAt: new Date(Date.now() + inSeconds * 1000).toISOString(),
  });

  it('is presented while it is valid, and the new one is used', async () => {
    await importFor('ada', stage.integrations.renewed, expiring('token-1', 10));
    stage.provider.answerToken = () => ({ body: { access_token: 'token-2', expires_in: 3600 } });
    expect((await proxied('ada', 'renewed')).status).toBe(200);
    expect(Object.fromEntries(stage.provider.tokenCalls.at(-1)?.form ?? [])).toEqual({
      grant_type: 'renew',
      token: 'token-1',
    });
    expect(stage.provider.apiCalls.at(-1)?.headers.authorization).toBe('Bearer token-2');
  });

  it('is lost once it has expired: the user is asked to connect again, the provider is asked nothing', async () => {
    const { id } = await importFor('bob', stage.integrations.renewed, expiring('token-3', -10));
    const before = stage.provider.tokenCalls.length;
    const answer = await proxied('bob', 'renewed');
    expect([answer.status, answer.body.code]).toEqual([424, 'reauthorization_required']);
    expect(stage.provider.tokenCalls).toHaveLength(before);
    const connection = await callApiOk(stage.gateway.url, 'GET', `/v1/connections/${id}`, {
      bearer: stage.project.apiKey,
    });
    expect(connection.status).toBe('reauthorization_required');
  });

  it('is renewed for a connection without calls, soon after a gateway has started', async () => {
    const renewed = Promise.withResolvers<Record<string, string>>();
    stage.provider.answerToken = ({ form }) => {
      renewed.resolve(Object.fromEntries(form));
      return { body: { access_token: 'token-6', expires_in: 36_000 } };
    };
    await importFor('eve', stage.integrations.renewed, expiring('token-5', 3_600));
    const { CATALOG_DIR = '', ENCRYPTION_KEYS = '' } = stage.gateway.env;
    const databaseUrl = stage.database.url;
    const replica = await startGateway({ catalogDir: CATALOG_DIR, databaseUrl, env: { ENCRYPTION_KEYS } });
    expect(await renewed.promise).toEqual({ grant_type: 'renew', token: 'token-5' });
    await replica.stop();
    expect((await proxied('eve', 'renewed')).status).toBe(200);
    expect(stage.provider.apiCalls.at(-1)?.headers.authorization).toBe('Bearer token-6');
  });

  it('that the provider refuses is not presented again: its answer is passed on', async () => {
    await importFor('cleo', stage.integrations.renewed, expiring('token-4', 36_000));
    stage.provider.accepts = () => false;
    const before = stage.provider.tokenCalls.length;
    expect((await proxied('cleo', 'renewed')).status).toBe(401);
    expect(stage.provider.tokenCalls).toHaveLength(before);
  });
});

it.each([
  ['invalid_scope', 502, 'integration_misconfigured'],
  ['unauthorized_client', 502, 'integration_misconfigured'],
  ['unsupported_grant_type', 502, 'integration_misconfigured'],
  ['invalid_request', 422, 'credentials_invalid'],
])('a client that is refused with %s answers an import with %i', async (error, status, code) => {
  stage.provider.answerToken = () => ({ status: 400, body: { error } });
  const answer = await callApi(stage.gateway.url, 'POST', '/v1/connections', {
    bearer: stage.project.apiKey,
    body: {
      integrationId: stage.integrations.machine,
      userId: 'dan',
      credentials: { variables: { workspace: 'north' } },
    },
  });
  expect(answer).toMatchObject({ status, body: { code } });
});

it('a client asks for a new access token when the provider refuses the one it has', async () => {
  // What an import brings is replaced: the client itself asks for a token, which proves it.
  stage.provider.answerToken = () => ({ body: { access_token: 'stale', expires_in: 3600 } });
  await importFor('dora', stage.integrations.machine, { variables: { workspace: 'north' } });
  stage.provider.accepts = ({ headers }) => headers.authorization !== 'Bearer stale';
  stage.provider.answerToken = () => ({ body: { access_token: 'fresh', expires_in: 3600 } });
  expect((await proxied('dora', 'machine')).status).toBe(200);
  expect(stage.provider.tokenCalls.at(-1)?.form.get('grant_type')).toBe('client_credentials');
  expect(stage.provider.apiCalls.at(-1)?.headers.authorization).toBe('Bearer fresh');
});

describe('variables that are part of a credential', () => {
  it('are put on API calls, are never shown, and stand nowhere in plain', async () => {
    const variables = { developerToken: 'planted-developer-token', region: 'eu' };
    const id = await integrate(stage, 'sealed', { clientId: 'c 1', variables });
    const path = `/v1/integrations/${id}`;
    const asKey = { bearer: stage.project.apiKey };
    expect((await callApiOk(stage.gateway.url, 'GET', path, asKey)).variables).toEqual({ region: 'eu' });
    const changed = await callApiOk(stage.gateway.url, 'PATCH', path, {
      ...asKey,
      body: { variables: { region: 'us' } },
    });
    expect(changed.variables).toEqual({ region: 'us' });

    const credentials = { apiKey: 'planted-api-key', variables: { appKey: 'planted-app-key' } };
    await importFor('eve', id, credentials);
    expect((await proxied('eve', 'sealed')).status).toBe(200);
    expect(stage.provider.apiCalls.at(-1)).toMatchObject({
      path: '/api/things?page=1&client=c%201&region=us',
      headers: {
        'x-api-key': 'planted-api-key',
        'x-developer': 'planted-developer-token',
        'x-app': 'planted-app-key',
      },
    });
    expect(await dumpDatabase(stage.database.knex)).not.toContain('planted-');
    expect(stage.gateway.logs()).not.toContain('planted-');
  });

  it('may be changed one at a time, the others staying', async () => {
    const variables = { developerToken: 'planted-first', region: 'eu' };
    const id = await integrate(stage, 'sealed', { clientId: 'c', variables });
    await importFor('finn', id, { apiKey: 'k', variables: { appKey: 'a' } });
    await callApiOk(stage.gateway.url, 'PATCH', `/v1/integrations/${id}`, {
      bearer: stage.project.apiKey,
      body: { variables: { developerToken: 'planted-second', region: 'eu' } },
    });
    const answer = await proxied('finn', 'sealed');
    expect(answer.status).toBe(200);
    expect(stage.provider.apiCalls.at(-1)?.headers['x-developer']).toBe('planted-second');
  });
});

describe('what a provider cannot do without', () => {
  const call = (method: string, path: string, body: object) =>
    callApi(stage.gateway.url, method, `/v1/${path}`, { bearer: stage.project.apiKey, body });
  const lacking = (name: string, message: string) => ({
    code: 'invalid_request',
    status: 400,
    errors: [{ path: `body.variables.${name}`, message: `required for this provider: ${message}` }],
  });

  it('is asked of the operator when an integration is made', async () => {
    const body = { serviceProvider: 'sealed', clientId: 'c', variables: { region: 'eu' } };
    const answer = await call('POST', 'integrations', body);
    expect(answer.body).toMatchObject(lacking('developerToken', 'Developer token'));
  });

  it('is not taken away by a change, and a secret one does not have to be sent again', async () => {
    const variables = { developerToken: 'planted-third', region: 'eu' };
    const path = `integrations/${await integrate(stage, 'sealed', { clientId: 'c', variables })}`;
    expect((await call('PATCH', path, { variables: {} })).body).toMatchObject(lacking('region', 'Region'));
    expect((await call('PATCH', path, { variables: { region: 'us' } })).status).toBe(200);
    expect((await call('PATCH', path, { clientId: 'd' })).body.variables).toEqual({ region: 'us' });
  });

  it('is asked for where credentials are imported, unless the operator has given it for all connections', async () => {
    const variables = { developerToken: 'planted-fourth', region: 'eu' };
    const integrationId = await integrate(stage, 'sealed', { clientId: 'c', variables });
    const body = { integrationId, userId: 'gina', credentials: { apiKey: 'k' } };
    expect((await call('POST', 'connections', body)).body).toMatchObject({
      code: 'credentials_invalid',
      errors: [
        {
          path: 'body.credentials.variables.appKey',
          message: 'required for this provider: Application key',
        },
      ],
    });
    const shared = { variables: { appKey: 'planted-shared', region: 'eu' } };
    expect((await call('PATCH', `integrations/${integrationId}`, shared)).status).toBe(200);
    expect((await call('POST', 'connections', body)).status).toBe(201);
  });
});
