import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';

let gateway: Gateway;
let project: Project;
let integrationId: string;

beforeAll(async () => {
  gateway = await startGateway();
  project = await provision(gateway);
  const body = { serviceProvider: 'hubspot', clientId: 'id', clientSecret: 'secret', scopes: ['oauth'] };
  ({ id: integrationId } = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer: project.apiKey,
    body,
  }));
});
afterAll(() => gateway?.stop());

const call = (method: string, path: string, body?: unknown) =>
  callApi(gateway.url, method, path, { bearer: project.personalAccessToken, body });

/** In UTC they are in the year 10000 and in the one before 0000. */
const BEYOND = ['9999-12-31T23:59:59-23:59', '0000-01-01T00:00:00+23:59'];

const requestsWith = (time: string): [method: string, path: string, body?: unknown][] => {
  const text = encodeURIComponent(time);
  const credentials = { accessToken: 'access', expiresAt: time };
  return [
    ['POST', '/v1/connections', { integrationId, userId: 'user-1', credentials }],
    ['PATCH', `/v1/integrations/${integrationId}`, { secretExpiresAt: time }],
    ['POST', `/v1/projects/${project.id}/revocations`, { userId: 'user-1', issuedBefore: time }],
    ['POST', `/v1/projects/${project.id}/api-keys`, { name: 'Late', expiresAt: time }],
    ['GET', `/v1/projects/${project.id}/stats?step=day&from=${text}`],
    ['GET', `/v1/projects/${project.id}/stats?step=day&to=${text}`],
    ['GET', `/v1/activity?from=${text}`],
    ['GET', `/v1/activity?to=${text}`],
  ];
};

describe('a time that its offset moves into a year which no reply could write', () => {
  it.each(BEYOND)('is refused wherever it is given: %s', async (time) => {
    for (const [method, path, body] of requestsWith(time)) {
      const { status, body: reply } = await call(method, path, body);
      expect([path, status, reply.code]).toEqual([path, 400, 'invalid_request']);
    }
    expect((await call('GET', `/v1/integrations/${integrationId}/secrets`)).status).toBe(200);
  });
});

it('answers numbers up to the last and since the first time that can be written', async () => {
  const path = `/v1/projects/${project.id}/stats?step=day`;
  const last = await call('GET', `${path}&to=9999-12-31T23:59:59Z`);
  expect([last.status, last.body.to]).toEqual([200, '9999-12-31T00:00:00.000Z']);
  const first = await call('GET', `${path}&to=0000-01-10T00:00:00Z`);
  expect([first.status, first.body.from]).toEqual([200, '0000-01-01T00:00:00.000Z']);
});
