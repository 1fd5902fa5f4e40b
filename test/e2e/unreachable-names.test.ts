import { createCatalogDir } from '../support/catalog-dir.ts';
import { callApi, callApiOk, type Project, provision } from '../support/gateway.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';

const ORIGIN = 'http://api.unreachable.test';
/** Each name below `unreachable.test` has the broadcast address alone, to which a TCP connection fails at once. */
const RESOLVER = `
import { Resolver } from 'node:dns';
const replace = (method, records) => {
  const ask = Resolver.prototype[method];
  Resolver.prototype[method] = function (name, ...rest) {
    if (!name.endsWith('.unreachable.test')) return ask.call(this, name, ...rest);
    process.nextTick(rest.at(-1), null, records);
  };
};
replace('resolve4', [{ address: '255.255.255.255', ttl: 300 }]);
replace('resolve6', []);
`;

let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let gateway: SpawnedGateway;
let project: Project;
let integrationId: string;

beforeAll(async () => {
  catalog = await createCatalogDir({
    acme: `id: acme
name: Acme
category: crm
auth: oauth2
authorizationUrl: ${ORIGIN}/authorize
tokenUrl: ${ORIGIN}/token
apiBaseUrl: ${ORIGIN}
docsUrl: ${ORIGIN}/docs
`,
    'acme-mcp': `id: acme-mcp\nname: Acme MCP\nmcp:\n  url: ${ORIGIN}/mcp\n`,
  });
  gateway = await spawnGateway({
    catalogDir: catalog.path,
    env: {
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(RESOLVER)}"`,
      OIDC_ISSUER: `${ORIGIN}/login`,
      OIDC_CLIENT_ID: 'client',
      OIDC_CLIENT_SECRET: 'secret',
    },
  });
  project = await provision(gateway, { returnUrls: ['http://127.0.0.1:9/'] });
});

afterAll(async () => {
  await gateway?.stop();
  await catalog?.remove();
});

const api = (method: string, path: string, body?: unknown, bearer = project.apiKey) =>
  callApi(gateway.url, method, path, { bearer, body });
const apiOk = (path: string, body: unknown, bearer = project.apiKey) =>
  callApiOk(gateway.url, 'POST', path, { bearer, body });

async function connect(userId: string, expiresAt: string): Promise<void> {
  await apiOk('/v1/connections', {
    integrationId,
    userId,
    credentials: { accessToken: 'access', refreshToken: 'refresh', expiresAt },
  });
}

const call = (userId: string, method: string, headers: Record<string, string> = {}) =>
  callApi(gateway.url, method, `/projects/${project.id}/proxy/acme/things`, {
    bearer: project.userToken(userId),
    headers,
    ...(method === 'POST' && { body: {} }),
  });

async function openConnectPage(id: string): Promise<Response> {
  const user = project.userToken('newcomer');
  const { url } = await apiOk('/v1/connect-sessions', { integrationId: id }, user);
  return fetch(url, { redirect: 'manual' });
}

describe('a host to which connections fail at once', () => {
  it('fails what needs it and leaves the process alone', async () => {
    const client = { serviceProvider: 'acme', clientId: 'c', clientSecret: 's', scopes: [] };
    integrationId = (await apiOk('/v1/integrations', client)).id;
    await connect('valid', '2999-01-01T00:00:00.000Z');
    await connect('expired', '2001-01-01T00:00:00.000Z');
    const mcp = await apiOk('/v1/integrations', { serviceProvider: 'acme-mcp' });
    const operator = project.personalAccessToken;
    const destination = await apiOk('/v1/event-destinations', {
      url: 'https://api.unreachable.test/events',
      types: ['*'],
    });
    const ways: Readonly<Record<string, () => Promise<{ status: number }>>> = {
      'GET of a call': () => call('valid', 'GET'),
      'POST of a call': () => call('valid', 'POST'),
      'event stream of a call': () => call('valid', 'GET', { accept: 'text/event-stream' }),
      'refresh before a call': () => call('expired', 'GET'),
      'test of an event destination': () => api('POST', `/v1/event-destinations/${destination.id}/test`, {}),
      'test of a key set': () =>
        api('POST', `/v1/projects/${project.id}/signing-keys/test`, { jwksUrl: `${ORIGIN}/keys` }, operator),
      'check of a client': () =>
        api('POST', '/v1/integrations/probe', { serviceProvider: 'acme', clientId: 'c', clientSecret: 's' }),
      'discovery of an MCP server': () => openConnectPage(mcp.id),
      'single sign-on': () => fetch(`${gateway.url}/auth/oidc`, { redirect: 'manual' }),
    };
    const ends: Record<string, readonly number[]> = {};
    for (const [way, take] of Object.entries(ways)) {
      ends[way] = [(await take()).status, (await take()).status];
    }
    expect(ends).toEqual({
      'GET of a call': [502, 502],
      'POST of a call': [502, 502],
      // After five failures in a row no further connection is tried for a while.
      'event stream of a call': [502, 503],
      'refresh before a call': [503, 503],
      'test of an event destination': [200, 200],
      'test of a key set': [422, 422],
      'check of a client': [200, 200],
      'discovery of an MCP server': [400, 400],
      'single sign-on': [303, 303],
    });
    expect((await fetch(`${gateway.url}/livez`)).status).toBe(200);
    expect(gateway.logs()).not.toContain('ending after a fault');
  });
});
