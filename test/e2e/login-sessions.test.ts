import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { type LoginProvider, type SeenRequest, startLoginProvider } from '../support/login-provider.ts';
import { until } from '../support/until.ts';

const head = (id: string, url: string) => `id: ${id}
name: Provider ${id}
auth: token-login
apiBaseUrl: ${url}/${id}
accessTokenHeader: { name: X-Session, template: '{accessToken}' }
variables:
  user: { title: User name }
  password: { title: Password, secret: true }
`;
const step = (id: string, url: string) =>
  `login:\n  steps:\n    - { url: "${url}/${id}/login", encoding: json, body: { user: '{user}', password: '{password}' } }\n`;

const filesOf = (url: string) => ({
  // An ended session is 400 with a code; the session is renewed, and ended, by another token.
  coded: `${head('coded', url)}${step('coded', url)}  refresh: { url: "${url}/coded/renew", headers: { Authorization: "Bearer {refreshToken}" } }
tokenResponse: { accessToken: token, refreshToken: renewal }
logout: { url: "${url}/coded/logout", headers: { Authorization: "Bearer {refreshToken}" } }
callRefused: { status: 400, path: error, values: [ExpiredToken] }
`,
  // An ended session is a good answer with the fault inside.
  enveloped: `${head('enveloped', url)}${step('enveloped', url)}tokenResponse: { accessToken: token }
callRefused: { status: 200, path: errors.0.type, values: [INVALID_SESSION_ID] }
`,
  // The log-in tells the site, which stands in nearly every path.
  sited: `${head('sited', url)}  siteId: { from: token-response, path: credentials.site.id, title: Site, pattern: '[0-9a-f-]+' }
hosts:
  site: { url: "${url}/sited/sites/{siteId}", serves: The site }
${step('sited', url)}tokenResponse: { accessToken: token }
logout: { url: "${url}/sited/signout", headers: { X-Session: '{accessToken}' } }
`,
  dated: `${head('dated', url)}${step('dated', url)}tokenResponse: { accessToken: token }\n`,
});

let fake: LoginProvider;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let gateway: Gateway;
let project: Project;
let logIns: string[];

const claim = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const ended = {
  coded: { error: 'ExpiredToken' },
  enveloped: { responseStatus: 'FAILURE', errors: [{ type: 'INVALID_SESSION_ID' }] },
};

beforeAll(async () => {
  fake = await startLoginProvider();
  catalog = await createCatalogDir(filesOf(fake.url));
  gateway = await startGateway({ catalogDir: catalog.path });
  project = await provision(gateway);
  for (const id of ['coded', 'enveloped', 'sited', 'dated'] as const) {
    fake.handlers.set(`POST /${id}/login`, ({ body }) => {
      logIns.push(id);
      const { user } = JSON.parse(body);
      const opened = fake.openSession(user);
      const token =
        id === 'dated' ? `${claim({})}.${claim({ exp: Date.now() / 1000 + 7_200 })}.${opened}` : opened;
      return { body: { token, renewal: `renewal-of-${opened}`, credentials: { site: { id: '9a8b-7c6d' } } } };
    });
  }
  fake.handlers.set('POST /coded/renew', ({ headers }) => {
    logIns.push(`renewed by ${headers.authorization}`);
    const opened = fake.openSession('mia');
    return { body: { token: opened, renewal: `renewal-of-${opened}` } };
  });
  for (const [id, status] of [
    ['coded', 400],
    ['enveloped', 200],
  ] as const) {
    for (const method of ['GET', 'POST'])
      fake.handlers.set(`${method} /${id}/things`, ({ headers, body }) =>
        fake.sessions.has(String(headers['x-session']))
          ? { body: { got: body } }
          : { status, body: ended[id] },
      );
  }
  const goodbye = () => ({ status: 204, body: '' });
  fake.handlers.set('POST /coded/logout', goodbye);
  fake.handlers.set('POST /sited/signout', goodbye);
  fake.handlers.set('GET /sited/sites/9a8b-7c6d/workbooks', () => ({ body: { workbooks: [] } }));
});
beforeEach(() => {
  logIns = [];
});
afterAll(async () => {
  await gateway?.stop();
  await catalog?.remove();
  await fake?.close();
});

async function connect(provider: string): Promise<{ id: string; expiresAt: string | null }> {
  const bearer = project.apiKey;
  const { id: integrationId } = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer,
    body: { serviceProvider: provider },
  });
  const credentials = { variables: { user: 'mia', password: 'open sesame' } };
  const body = { integrationId, userId: 'mia', credentials };
  return callApiOk(gateway.url, 'POST', '/v1/connections', { bearer, body });
}

const call = async (place: string, init: RequestInit = {}) => {
  const answer = await fetch(`${gateway.url}/projects/${project.id}/proxy/${place}`, {
    ...init,
    headers: { authorization: `Bearer ${project.userToken('mia')}` },
  });
  return { status: answer.status, body: await answer.json() };
};

const disconnect = (id: string) =>
  callApi(gateway.url, 'DELETE', `/v1/connections/${id}`, { bearer: project.apiKey });
const sentTo = (path: string): SeenRequest[] => fake.requests.filter((request) => request.path === path);

describe.each(['coded', 'enveloped'])('a session that ends without a 401 (%s)', (provider) => {
  it('is renewed once, and the call is sent again, with its body', async () => {
    const { id } = await connect(provider);
    expect((await call(`${provider}/things`)).body).toEqual({ got: '' });
    fake.sessions.clear();
    expect(await call(`${provider}/things`, { method: 'POST', body: 'hello' })).toEqual({
      status: 200,
      body: { got: 'hello' },
    });
    expect(logIns).toHaveLength(2);
    expect((await call(`${provider}/things`)).body).toEqual({ got: '' });
    expect(logIns).toHaveLength(2);
    await disconnect(id);
  });
});

it('a session is ended by the token that renews it, where the file says so', async () => {
  const { id } = await connect('coded');
  await disconnect(id);
  await until(() =>
    sentTo('/coded/logout').some(({ headers }) => /^Bearer renewal-of-/.test(headers.authorization ?? '')),
  );
});

it('an id that the log-in tells stands in the address of a host, and the session is ended with its connection', async () => {
  const { id } = await connect('sited');
  expect(await call('sited~site/workbooks')).toEqual({ status: 200, body: { workbooks: [] } });
  await disconnect(id);
  await until(() => sentTo('/sited/signout').some(({ headers }) => headers['x-session'] !== undefined));
});

it('a session whose token is a JWT ends with it', async () => {
  const { id, expiresAt } = await connect('dated');
  const seconds = (Date.parse(expiresAt ?? '') - Date.now()) / 1000;
  expect([seconds > 7_000, seconds <= 7_200]).toEqual([true, true]);
  await disconnect(id);
});
