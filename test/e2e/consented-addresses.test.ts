import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { createHttpBrowser } from '../examples/http-browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { closeServer, listen } from '../support/listen.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';

/** Every address that the provider's file may have, each naming the site of the account. */
const fileOf = (url: string) => ({
  sites: `id: sites
name: Sites
auth: oauth2
authorizationUrl: ${url}/authorize/{site}
tokenUrl: ${url}/token/{site}
refreshUrl: ${url}/refresh/{site}
revocationUrl: ${url}/revoke/{site}
apiBaseUrl: ${url}/api/{site}
hosts:
  files: { url: '${url}/files/{site}', serves: Files }
variables:
  site: { title: Site, pattern: '[a-z]{1,20}' }
apiHeaders: { X-Site: '{site}' }
account:
  id: { from: request, path: id }
  request: { url: '${url}/account/{site}' }
tenants:
  kind: workspace
  items: items
  id: id
  name: name
  request: { url: '${url}/tenants/{site}' }
probe: { url: '${url}/probe/{site}' }
`,
});

type Seen = { readonly place: string; readonly site: string; readonly header: string | undefined };

let server: Server;
let seen: Seen[] = [];
let issued = 0;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    await text(request);
    const [, place = '', site = ''] = (request.url ?? '').split(/[/?]/);
    seen.push({ place, site, header: request.headers['x-site']?.toString() });
    issued += 1;
    const tokens = { access_token: `access-${issued}`, refresh_token: `refresh-${issued}`, expires_in: 3600 };
    const body = { ...tokens, id: 'account', items: [{ id: 'only', name: 'Only' }] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  catalog = await createCatalogDir(fileOf(`http://127.0.0.1:${await listen(server)}`));
  gateway = await startGateway({ catalogDir: catalog.path });
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN] });
});

afterAll(async () => {
  await gateway?.stop();
  await catalog?.remove();
  if (server) await closeServer(server);
});

beforeEach(() => {
  seen = [];
});

const asKey = (method: string, path: string, body?: object) =>
  callApiOk(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, ...(body && { body }) });
const setSite = (integrationId: string, variables: object) =>
  asKey('PATCH', `/integrations/${integrationId}`, { variables });

async function integrate(variables: object = {}): Promise<string> {
  const body = { serviceProvider: 'sites', clientId: 'app', clientSecret: 'secret', scopes: [], variables };
  return (await asKey('POST', '/integrations', body)).id;
}

/** The whole way of a user; `typed` is what the form asks for, if it asks. Answers the connection's id. */
async function connect(userId: string, body: object, typed?: string): Promise<string> {
  const bearer = project.userToken(userId);
  const session = await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
    bearer,
    body,
    headers: { origin: APP_ORIGIN },
  });
  const browser = createHttpBrowser({ origins: [gateway.url] });
  const opened = await browser.open(session.url);
  const page = typed === undefined ? opened : await browser.submit(session.url, { site: typed });
  const request = new URL(page.url);
  seen.push({ place: 'authorize', site: request.pathname.split('/')[2] ?? '', header: undefined });
  const callback = new URL(request.searchParams.get('redirect_uri') ?? '');
  callback.searchParams.set('state', request.searchParams.get('state') ?? '');
  callback.searchParams.set('code', `code-${userId}-${issued}`);
  const { completionCode, error } = readOutcome(await browser.open(callback.href)).message;
  if (error !== undefined) throw new Error(error);
  const path = `/v1/connect-sessions/${session.id}/complete`;
  return (await callApiOk(gateway.url, 'POST', path, { bearer, body: { completionCode } })).id;
}

/** Every use of the connection that there is, once; `isLast`: it is deleted at the end. */
async function use(userId: string, id: string, { isLast }: { isLast: boolean }): Promise<void> {
  const bearer = project.userToken(userId);
  const headers = { 'gateway-connection': id };
  for (const path of ['sites/x', 'sites~files/x']) {
    const answer = await callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/${path}`, {
      bearer,
      headers,
    });
    expect(answer.status).toBe(200);
  }
  await asKey('POST', `/connections/${id}/test`);
  await asKey('GET', `/connections/${id}/tenants`);
  if (!isLast) return;
  await callApiOk(gateway.url, 'DELETE', `/v1/connections/${id}`, { bearer });
  await until(() => seen.some(({ place }) => place === 'revoke'));
}

const PLACES_OF_CONSENT = ['authorize', 'token', 'account', 'tenants'];
const PLACES_OF_USE = ['api', 'files', 'probe', 'tenants'];

function sitesByPlace(): Record<string, string[]> {
  const places = [...new Set(seen.map(({ place }) => place))];
  return Object.fromEntries(
    places.map((place) => [
      place,
      [...new Set(seen.filter((one) => one.place === place).map(({ site }) => site))],
    ]),
  );
}

const at = (site: string, places: readonly string[]) =>
  Object.fromEntries(places.map((place) => [place, [site]]));

it('tokens go to the site that the consent was for, when the operator names another one later', async () => {
  const integrationId = await integrate();
  const id = await connect('ann', { integrationId }, 'alice');
  expect(sitesByPlace()).toEqual(at('alice', PLACES_OF_CONSENT));
  await setSite(integrationId, { site: 'acme' });
  seen = [];
  await use('ann', id, { isLast: false });
  expect(sitesByPlace()).toEqual(at('alice', PLACES_OF_USE));
  expect(seen.filter(({ place }) => place === 'api').map(({ header }) => header)).toEqual(['alice']);
});

it('authorizing again is for the operator’s site by then, and so is everything after it', async () => {
  const integrationId = await integrate();
  const id = await connect('bea', { integrationId }, 'alice');
  await setSite(integrationId, { site: 'acme' });
  seen = [];
  expect(await connect('bea', { connectionId: id })).toBe(id);
  expect(sitesByPlace()).toEqual(at('acme', PLACES_OF_CONSENT));
  seen = [];
  await use('bea', id, { isLast: true });
  expect(sitesByPlace()).toEqual(at('acme', [...PLACES_OF_USE, 'revoke']));
});

it('a connection stays at the operator’s site of its consent, when the operator names another one', async () => {
  const integrationId = await integrate({ site: 'acme' });
  const id = await connect('cyd', { integrationId });
  const imported = await asKey('POST', '/connections', {
    integrationId,
    userId: 'dan',
    credentials: { accessToken: 'access', refreshToken: 'refresh' },
  });
  await setSite(integrationId, { site: 'beta' });
  seen = [];
  await use('cyd', id, { isLast: true });
  await use('dan', imported.id, { isLast: false });
  expect(sitesByPlace()).toEqual(at('acme', [...PLACES_OF_USE, 'revoke']));
  seen = [];
  await connect('eve', { integrationId });
  expect(sitesByPlace()).toEqual(at('beta', PLACES_OF_CONSENT));
});

it('a refresh asks where the consent was given', async () => {
  const integrationId = await integrate();
  const expired = new Date(Date.now() - 60_000).toISOString();
  const { id } = await asKey('POST', '/connections', {
    integrationId,
    userId: 'fay',
    credentials: {
      accessToken: 'old',
      refreshToken: 'refresh',
      expiresAt: expired,
      variables: { site: 'alice' },
    },
  });
  await setSite(integrationId, { site: 'acme' });
  seen = [];
  await use('fay', id, { isLast: false });
  expect(sitesByPlace()).toEqual(at('alice', [...PLACES_OF_USE, 'refresh']));
});

it('the diagnosis asks where the next authorization will go', async () => {
  const integrationId = await integrate();
  await connect('gil', { integrationId }, 'alice');
  seen = [];
  await asKey('GET', `/integrations/${integrationId}/diagnosis?refresh=true`);
  expect(sitesByPlace().token).toEqual(['alice']);
  await setSite(integrationId, { site: 'acme' });
  seen = [];
  await asKey('GET', `/integrations/${integrationId}/diagnosis?refresh=true`);
  expect(sitesByPlace().token).toEqual(['acme']);
});
