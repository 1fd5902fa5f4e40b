import { callApiOk, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';

let first: Gateway;
let second: Gateway;
let project: Project;

beforeAll(async () => {
  first = await startGateway();
  // Another process of the same installation: one database, the same keys.
  const { DATABASE_URL: databaseUrl = '', ENCRYPTION_KEYS = '' } = first.env;
  second = await startGateway({ databaseUrl, env: { ENCRYPTION_KEYS } });
  project = await provision(first);
});
afterAll(async () => {
  await second?.stop();
  await first?.stop();
});

it.each([
  ['the same process', () => first],
  ['another process of the installation', () => second],
])('a provider whose API is the proxy of %s ends in 508 after one step', async (name, target) => {
  const bearer = project.apiKey;
  const id = `loop-${name.split(' ')[0]}`;
  const token = project.userToken('mia');
  await callApiOk(first.url, 'POST', '/v1/providers', {
    bearer,
    body: {
      id,
      name: 'Loop',
      auth: 'api-key',
      apiBaseUrl: `${target().url}/projects/${project.id}/proxy/custom:${id}`,
      apiKey: { in: 'header', name: 'Authorization', template: 'Bearer {apiKey}' },
    },
  });
  const { id: integrationId } = await callApiOk(first.url, 'POST', '/v1/integrations', {
    bearer,
    body: { serviceProvider: `custom:${id}`, scopes: [] },
  });
  await callApiOk(first.url, 'POST', '/v1/connections', {
    bearer,
    body: { integrationId, userId: 'mia', credentials: { apiKey: token } },
  });
  const answer = await fetch(`${first.url}/projects/${project.id}/proxy/custom:${id}/x`, {
    headers: { authorization: `Bearer ${token}`, connection: 'keep-alive, gateway-loop' },
  });
  expect([answer.status, answer.headers.get('gateway-error')]).toEqual([508, 'loop_detected']);
  expect((await answer.json()).remedy).toContain('API address');
});
