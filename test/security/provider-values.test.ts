import { answerTokens } from '../e2e/connecting-provider.ts';
import { CLIENT, type ConnectingStage, startConnectingStage } from '../e2e/connecting-stage.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import { readOutcome } from '../support/stage.ts';

/**
 * Values that the provider, or an attacker who writes the callback's URL, chooses: none of them is a line or a path.
 */

let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage([]);
  const { url } = stage.provider;
  await api('POST', '/providers', {
    id: 'told',
    name: 'Told',
    auth: 'oauth2',
    authorizationUrl: `${url}/authorize`,
    tokenUrl: `${url}/token`,
    apiBaseUrl: `${url}/api/{team}`,
    apiHeaders: { 'X-Team': '{team}', 'X-Shard': '{shard}' },
    apiQuery: { shard: '{shard}' },
    variables: {
      team: { from: 'token-response', path: 'team' },
      shard: { from: 'callback', path: 'shard' },
    },
    account: { id: { path: 'account_id' } },
  });
  await api('POST', '/integrations', { serviceProvider: 'custom:told', ...CLIENT, scopes: ['read'] });
});
afterAll(() => stage?.close());

const api = (method: string, path: string, body?: unknown) =>
  callApiOk(stage.gateway.url, method, `/v1${path}`, { bearer: stage.project.apiKey, body });

let users = 0;

/** What a call goes out as, or why there is none, where the provider says this of the user's account. */
async function callWith(team: unknown, shard: string) {
  users += 1;
  const userId = `user-${users}`;
  const bearer = stage.project.userToken(userId);
  stage.provider.answerToken = () => answerTokens('north', { team });
  const session = await stage.start(userId, { provider: 'custom:told' });
  const { message } = readOutcome(await stage.authorize(session, { shard }));
  if (message.status === 'error') return message.error;
  await stage.complete(session.id, message.completionCode, bearer);
  const before = stage.provider.apiCalls.length;
  const target = `/projects/${stage.project.id}/proxy/custom:told/things`;
  const { status, body } = await callApi(stage.gateway.url, 'GET', target, { bearer });
  const calls = stage.provider.apiCalls.slice(before);
  const sent = calls.map(({ path, headers }) => [path, headers['x-team'], headers['x-injected']]);
  return status === 200 ? sent : [body.code, ...sent];
}

it('a value that a provider tells goes where its description says', async () => {
  expect(await callWith('acme', 'eu')).toEqual([['/api/acme/things?shard=eu', 'acme', undefined]]);
});

it.each([
  ['a?x=1#y', 'eu', '/api/a%3Fx%3D1%23y/things?shard=eu'],
  ['@evil.example', 'eu', '/api/%40evil.example/things?shard=eu'],
  ['//evil.example', 'eu', '/api/%2F%2Fevil.example/things?shard=eu'],
  ['acme', 'eu&access_token=forged', '/api/acme/things?shard=eu%26access_token%3Dforged'],
  ['{accessToken}', '{accessToken}', '/api/%7BaccessToken%7D/things?shard=%7BaccessToken%7D'],
])('%j and %j stay one segment and one parameter', async (team, shard, path) => {
  expect(await callWith(team, shard)).toEqual([[path, team, undefined]]);
});

it.each<[unknown, string, string | string[]]>([
  ['a\r\nX-Injected: 1', 'eu', 'provider_error'],
  ['a\nX-Injected: 1', 'eu', 'provider_error'],
  ['a\u0000b', 'eu', 'provider_error'],
  ['..', 'eu', 'provider_error'],
  ['x'.repeat(3_000), 'eu', 'provider_error'],
  [{ toString: 'acme' }, 'eu', 'provider_error'],
  ['acme', 'a\r\nX-Injected: 1', 'invalid_callback'],
  ['../../token', 'eu', 'provider_error'],
  ['a/../../token', 'eu', 'provider_error'],
  ['a\\..\\token', 'eu', 'provider_error'],
  ['snow\u2603', 'eu', ['integration_misconfigured']],
])('%j and %j lead to no call at all', async (team, shard, outcome) => {
  expect(await callWith(team, shard)).toEqual(outcome);
});
