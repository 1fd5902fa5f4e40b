import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ApiCall,
  callApi,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { closeServer, listen } from '../support/listen.ts';

/** An API that tells what it was asked, and a token endpoint beside it. */
function startEcho(): Server {
  return createServer(({ url, headers }: IncomingMessage, response) => {
    const token = { access_token: 'machine-token', token_type: 'bearer', expires_in: 3600 };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(url === '/token' ? token : { url, headers }));
  });
}

const catalogFile = (url: string) => ({
  id: 'acme',
  name: 'Acme',
  auth: 'oauth2',
  authorizationUrl: `${url}/authorize`,
  tokenUrl: `${url}/token`,
  apiBaseUrl: `${url}/api`,
  defaultScopes: ['read'],
  grants: [
    {
      id: 'access-key',
      title: 'Access key',
      purpose: 'For scripts.',
      auth: 'api-key',
      apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
      callerCredentials: [{ in: 'header', name: 'X-Key' }],
      setupSteps: ['Copy the key.'],
    },
    {
      id: 'password',
      title: 'Password',
      auth: 'basic',
      apiBaseUrl: `${url}/{tenant}`,
      variables: { tenant: { from: 'integration', title: 'Tenant', pattern: '[a-z]+' } },
    },
    { id: 'machine', title: 'Machine', auth: 'oauth2-client-credentials' },
  ],
});

let server: Server;
let directory: string;
let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  server = startEcho();
  const url = `http://127.0.0.1:${await listen(server)}`;
  directory = await mkdtemp(join(tmpdir(), 'gateway-grants-'));
  await writeFile(join(directory, 'acme.json'), JSON.stringify(catalogFile(url)));
  gateway = await startGateway({ catalogDir: directory });
  project = await provision(gateway);
});
afterEach(async () => {
  const { body } = await api('GET', '/integrations');
  for (const { id } of body.integrations) await api('DELETE', `/integrations/${id}?force=true`);
});
afterAll(async () => {
  await gateway?.stop();
  await rm(directory, { recursive: true, force: true });
  if (server) await closeServer(server);
});

const api = (method: string, path: string, body?: unknown, call: ApiCall = {}) =>
  callApi(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, body, ...call });

const CLIENT = { clientId: 'app', clientSecret: 'app-secret' };
const integrate = (more: object) => api('POST', '/integrations', { serviceProvider: 'acme', ...more });

async function integrated(more: object): Promise<{ id: string; etag: string }> {
  const { status, text, body, headers } = await integrate(more);
  expect([status, text]).toEqual([201, expect.any(String)]);
  return { id: body.id, etag: headers.get('etag') ?? '' };
}

const importFor = (integrationId: string, credentials: object) =>
  api('POST', '/connections', { integrationId, userId: 'ada', credentials });

const proxied = (headers: Record<string, string> = {}) =>
  callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/acme/things`, {
    bearer: project.userToken('ada'),
    headers,
  });

it('lists the ways to authenticate in the catalog, with what the operator and each user give', async () => {
  const { body } = await api('GET', '/providers/acme');
  const listed = body.grants.map((grant: Record<string, unknown>) => [
    grant.id,
    grant.title,
    grant.auth,
    (grant.operatorFields as { name: string }[]).map(({ name }) => name),
    (grant.userFields as { name: string }[]).map(({ name }) => name),
    grant.redirectUrl !== null,
  ]);
  expect(listed).toEqual([
    ['oauth2', null, 'oauth2', ['clientId', 'scopes', 'clientSecret'], [], true],
    ['access-key', 'Access key', 'api-key', [], ['apiKey'], false],
    ['password', 'Password', 'basic', ['variables.tenant'], ['username', 'password'], false],
    ['machine', 'Machine', 'oauth2-client-credentials', ['clientId', 'clientSecret'], [], false],
  ]);
  expect(body.grants[1]).toMatchObject({ purpose: 'For scripts.', setupSteps: ['Copy the key.'] });
});

describe('an integration', () => {
  it('is refused a grant that there is not, and told which there are', async () => {
    const { status, body } = await integrate({ grant: 'acess-key' });
    expect([status, body.code, body.grants]).toEqual([
      422,
      'grant_unknown',
      ['oauth2', 'access-key', 'password', 'machine'],
    ]);
    expect(body.detail).toContain('Did you mean `access-key`?');
  });

  it('needs what its grant needs, and has a redirect URL only where users are redirected', async () => {
    const { body: key } = await integrate({ grant: 'access-key' });
    expect([key.grant, key.redirectUrl]).toEqual(['access-key', null]);
    const { body: oauth } = await integrate({ grant: 'oauth2', ...CLIENT, scopes: ['read'] });
    expect([oauth.grant, oauth.redirectUrl]).toEqual([null, `${gateway.url}/oauth/callback`]);
    const refused = await Promise.all([
      integrate({}),
      integrate({ grant: 'machine' }),
      integrate({ grant: 'password' }),
    ]);
    expect(refused.map(({ status, body }) => [status, body.errors[0].path])).toEqual([
      [400, 'body.clientId'],
      [400, 'body.clientId'],
      [400, 'body.variables.tenant'],
    ]);
    const { body: listed } = await api('GET', '/integrations');
    expect(listed.integrations.map(({ grant }: { grant: string | null }) => grant)).toEqual([
      null,
      'access-key',
    ]);
  });

  it('shows the form of its grant, or sends users to the provider', async () => {
    const pageOf = async (integrationId: string) => {
      const { body } = await api('POST', '/connect-sessions', {
        integrationId,
        userId: 'ada',
        completion: 'link',
      });
      const answer = await fetch(body.url, { redirect: 'manual' });
      return { location: answer.headers.get('location') ?? '', text: await answer.text() };
    };
    const key = await integrated({ grant: 'access-key' });
    const oauth = await integrated({ ...CLIENT, scopes: ['read'] });
    expect((await pageOf(key.id)).text).toContain('name="apiKey"');
    expect((await pageOf(oauth.id)).location).toContain('/authorize?');
  });

  it('changes its grant while it has no connections, and only to one that it has everything for', async () => {
    const { id, etag } = await integrated({ grant: 'access-key' });
    const change = (body: object, ifMatch = etag) =>
      api('PATCH', `/integrations/${id}`, body, { headers: { 'if-match': ifMatch } });
    const lacking = await change({ grant: 'password' });
    expect([lacking.status, lacking.body.errors[0].path]).toEqual([400, 'body.variables.tenant']);
    expect((await change({ grant: 'nothing' })).body.code).toBe('grant_unknown');
    const invalid = await change({ grant: 'password', variables: { tenant: 'North!' } });
    expect([invalid.status, invalid.body.errors[0].path]).toEqual([422, 'body.variables.tenant']);
    const changed = await change({ grant: 'password', variables: { tenant: 'north' } });
    expect([changed.status, changed.body.grant, changed.body.variables]).toEqual([
      200,
      'password',
      { tenant: 'north' },
    ]);
    expect((await importFor(id, { username: 'ada', password: 'secret' })).status).toBe(201);
    const kept = await change({ grant: null }, changed.headers.get('etag') ?? '');
    expect([kept.status, kept.body.errors[0].path]).toEqual([400, 'body.clientId']);
    const inUse = await change({ grant: 'access-key', variables: {} }, changed.headers.get('etag') ?? '');
    expect([inUse.status, inUse.body.code]).toEqual([409, 'grant_in_use']);
    const same = await change({ grant: 'password' }, changed.headers.get('etag') ?? '');
    expect([same.status, same.body.grant]).toEqual([200, 'password']);
  });

  it('keeps its client and its scopes where another grant has use for them', async () => {
    const { id } = await integrated({ ...CLIENT, scopes: ['read', 'write'] });
    const machine = await api('PATCH', `/integrations/${id}`, { grant: 'machine' });
    expect([machine.status, machine.body.grant, machine.body.clientId]).toEqual([200, 'machine', 'app']);
    for (const grant of [null, 'oauth2']) {
      const back = await api('PATCH', `/integrations/${id}`, { grant });
      expect([back.status, back.body.grant]).toEqual([200, null]);
      expect([back.body.clientId, back.body.scopes]).toEqual(['app', ['read', 'write']]);
      await api('PATCH', `/integrations/${id}`, { grant: 'machine' });
    }
  });

  it('is diagnosed by its grant', async () => {
    const { id } = await integrated({ grant: 'access-key' });
    const { body } = await api('GET', `/integrations/${id}/diagnosis`);
    expect(body.findings.map(({ code }: { code: string }) => code)).toContain('client_not_needed');
  });
});

describe('integrations of one provider with different grants', () => {
  it('each send the credential where their grant has it', async () => {
    const key = await integrated({ grant: 'access-key' });
    const password = await integrated({ grant: 'password', variables: { tenant: 'north' } });
    const oauth = await integrated({ ...CLIENT, scopes: ['read'] });
    await importFor(key.id, { apiKey: 'key-1' });
    await importFor(password.id, { username: 'ada', password: 'secret' });
    await importFor(oauth.id, { accessToken: 'token-1' });
    const through = async ({ id }: { id: string }) => {
      const { body } = await proxied({ 'gateway-integration': id });
      return [body.url, body.headers['x-key'], body.headers.authorization];
    };
    const basic = `Basic ${Buffer.from('ada:secret').toString('base64')}`;
    expect(await through(key)).toEqual(['/api/things', 'key-1', undefined]);
    expect(await through(password)).toEqual(['/north/things', undefined, basic]);
    expect(await through(oauth)).toEqual(['/api/things', undefined, 'Bearer token-1']);
    expect((await proxied()).body.code).toBe('connection_ambiguous');
  });

  it('take the user’s token where the clients of any of them put it', async () => {
    const { id } = await integrated({ grant: 'access-key' });
    await importFor(id, { apiKey: 'key-1' });
    const { status, body } = await callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/acme/things`, {
      headers: { 'x-key': project.userToken('ada') },
    });
    expect([status, body.headers['x-key']]).toEqual([200, 'key-1']);
  });

  it('are refreshed by the rules of their grant', async () => {
    const { id } = await integrated({ grant: 'machine', ...CLIENT });
    const expiresAt = new Date(Date.now() - 1_000).toISOString();
    expect((await importFor(id, { accessToken: 'old', expiresAt })).status).toBe(201);
    const { status, body } = await proxied();
    expect([status, body.headers.authorization]).toEqual([200, 'Bearer machine-token']);
  });
});

describe('the way to authenticate of an integration', () => {
  it('goes by `authMethod`, and by its earlier name `grant`', async () => {
    for (const name of ['authMethod', 'grant']) {
      const { body } = await integrate({ [name]: 'access-key' });
      expect(body).toMatchObject({ authMethod: 'access-key', grant: 'access-key' });
      const changed = await api('PATCH', `/integrations/${body.id}`, {
        [name]: null,
        scopes: ['read'],
        ...CLIENT,
      });
      expect(changed.body).toMatchObject({ authMethod: null, grant: null });
    }
    const probed = await api('POST', '/integrations/probe', {
      serviceProvider: 'acme',
      authMethod: 'access-key',
    });
    expect(probed.status).toBe(200);
  });

  it('is refused where the two names differ', async () => {
    const { status, body } = await integrate({ authMethod: 'access-key', grant: 'password' });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors).toEqual([{ path: 'body.authMethod', message: expect.stringContaining('`grant`') }]);
  });
});
