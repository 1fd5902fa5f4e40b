import http from 'node:http';
import { operatorMails } from '../../src/operators/accounts/operator-mails.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { plainProviderFile } from '../support/held-provider.ts';
import { assertNoPlantedFields, MARKUP, ORIGIN_FIELDS } from '../support/hostile-answers.ts';
import { closeServer, listen } from '../support/listen.ts';

/**
 * Every place where data of a tenant, a provider or a user becomes an answer of the gateway; docs/security.md has the same
 * table. What webhooks are answered with has a test of its own, and so have the connect pages one by one.
 */

const APP_ORIGIN = 'https://app.example';
const TEXT = encodeURIComponent(MARKUP);

let gateway: Gateway;
let project: Project;
let providerServer: http.Server;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let integrationId: string;
let mcpIntegrationId: string;

beforeAll(async () => {
  providerServer = http.createServer((_request, response) =>
    response.writeHead(200, { ...ORIGIN_FIELDS, Location: '/x', 'Content-Type': 'text/html' }).end(MARKUP),
  );
  const providerUrl = `http://127.0.0.1:${await listen(providerServer)}`;
  catalog = await createCatalogDir({ evil: plainProviderFile('evil', providerUrl) });
  gateway = await startGateway({ catalogDir: catalog.path });
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN], returnUrls: [`${APP_ORIGIN}/back`] });
  await api('PATCH', `/projects/${project.id}`, { name: MARKUP, branding: { displayName: MARKUP } });
  const client = { clientId: MARKUP, clientSecret: 'secret', scopes: ['read'] };
  integrationId = (await api('POST', '/integrations', { serviceProvider: 'evil', ...client })).id;
  const credentials = { accessToken: 'token' };
  await api('POST', '/connections', { integrationId, userId: 'mia', credentials, accountId: MARKUP });
  await api('POST', '/providers', { id: 'planted', ...PLANTED });
  const keyed = await api('POST', '/integrations', { serviceProvider: 'custom:planted' });
  mcpIntegrationId = keyed.id;
});

afterAll(async () => {
  await gateway?.stop();
  await closeServer(providerServer);
  await catalog?.remove();
});

const PLANTED = {
  name: MARKUP,
  auth: 'api-key',
  apiBaseUrl: 'https://api.example.com',
  apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
  credentialHint: MARKUP,
  setupSteps: [MARKUP],
  notes: [MARKUP],
  logoUrl: 'https://logos.example/a.svg',
};

const api = (method: string, path: string, body?: unknown) =>
  callApiOk(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, body });

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, { headers, redirect: 'manual' });
const asKey = (path: string) => get(path, { authorization: `Bearer ${project.apiKey}` });
const asOperator = (path: string) => get(path, { authorization: `Bearer ${project.personalAccessToken}` });
const asUser = (path: string, headers = {}) =>
  get(path, { authorization: `Bearer ${project.userToken('mia')}`, ...headers });

async function openLink(query = ''): Promise<Response> {
  const body = { provider: 'custom:planted', userId: 'mia' };
  const { url } = await api('POST', '/connect-sessions', body);
  const first = await fetch(`${url}${query}`, { redirect: 'manual' });
  const cookie = first.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const location = first.headers.get('location');
  return location === null ? first : fetch(new URL(location, url), { headers: { cookie } });
}

type Kind =
  | 'page'
  | 'application'
  | 'json'
  | 'problem'
  | 'sandboxed'
  | 'csv'
  | 'lines'
  | 'script'
  | 'sandboxed svg';

/** What a provider's API says to programs; a browser's password dialog is kept from pages alone. */
const OF_THE_API = ['Content-Disposition', 'Link', 'WWW-Authenticate', 'X-Evil'];

const PLACES: readonly (readonly [place: string, kind: Kind, ask: () => Promise<Response>])[] = [
  ['proxied answer', 'sandboxed', () => asUser(`/projects/${project.id}/proxy/evil/x`)],
  [
    'proxied answer to a page',
    'sandboxed',
    () => asUser(`/projects/${project.id}/proxy/evil/x`, { origin: APP_ORIGIN }),
  ],
  ['connect page', 'page', () => openLink()],
  ['connect page in a hostile language', 'page', () => openLink(`?locale=${TEXT}`)],
  ['unknown connect link', 'page', () => get(`/connect/${TEXT}`)],
  [
    'callback page',
    'page',
    () => get(`/oauth/callback?state=${TEXT}&error=${TEXT}&error_description=${TEXT}`),
  ],
  [
    'callback page of an integration',
    'page',
    () => get(`/oauth/callback/${mcpIntegrationId}?state=x&error=${TEXT}`),
  ],
  ['client document', 'json', () => get(`/oauth/clients/${mcpIntegrationId}`)],
  ['client document of no integration', 'json', () => get(`/oauth/clients/${TEXT}`)],
  ['list of providers', 'json', () => asKey('/v1/providers?limit=200')],
  ['own provider', 'json', () => asKey('/v1/providers/custom:planted')],
  ['integration', 'json', () => asKey(`/v1/integrations/${integrationId}`)],
  ['connections', 'json', () => asUser('/v1/connections')],
  ['project', 'json', () => asOperator(`/v1/projects/${project.id}`)],
  ['audit log', 'json', () => asKey('/v1/activity')],
  ['search', 'json', () => asKey(`/v1/search?q=${TEXT}`)],
  ['problem that names the input', 'problem', () => asKey(`/v1/providers/${TEXT}`)],
  ['problem about a parameter', 'problem', () => asKey(`/v1/connections?limit=${TEXT}`)],
  ['problem about the path', 'problem', () => get(`/v1/${TEXT}`)],
  ['problem of a proxied call', 'json', () => asUser(`/projects/${project.id}/proxy/${TEXT}/x`)],
  ['problem of a bad token', 'problem', () => get('/v1/connections', { authorization: `Bearer ${TEXT}` })],
  [
    'answer to a page of an unknown origin',
    'json',
    () => asUser('/v1/connections', { origin: 'https://evil.example' }),
  ],
  ['audit log as CSV', 'csv', () => asKey('/v1/activity/export?format=csv')],
  ['audit log as lines', 'lines', () => asKey('/v1/activity/export?format=jsonl')],
  ['logo of a built-in provider', 'sandboxed svg', () => get('/logos/hubspot.svg')],
  ['logo of an own provider', 'sandboxed svg', () => get('/logos/custom:planted.svg')],
  ['dashboard', 'application', () => get(`/sign-in?x=${TEXT}`, { accept: 'text/html' })],
  ['invitation page', 'application', () => get(`/invitation?x=${TEXT}`, { accept: 'text/html' })],
  ['API reference', 'application', () => get('/docs/try')],
  ['errors page', 'application', () => get('/docs/errors')],
  ['API description', 'json', () => get('/openapi.json')],
  ['well-known addresses', 'json', () => get('/.well-known/integration-gateway')],
  ['browser SDK', 'script', () => get('/sdk/connect.js')],
];

const TYPES: Readonly<Record<Kind, RegExp>> = {
  page: /^text\/html; charset=utf-8$/,
  application: /^text\/html; charset=utf-8$/,
  json: /^application\/json(; charset=utf-8)?$/,
  problem: /^application\/problem\+json$/,
  sandboxed: /^text\/html$/,
  csv: /^text\/csv; charset=utf-8$/,
  lines: /^application\/jsonl$/,
  script: /^text\/javascript; charset=utf-8$/,
  'sandboxed svg': /^image\/svg\+xml$/,
};

const POLICIES: Partial<Record<Kind, RegExp>> = {
  page: /default-src 'none'; script-src 'nonce-/,
  application: /default-src '(none|self)'.*(?:base-uri|frame-ancestors)/,
  sandboxed: /sandbox/,
  'sandboxed svg': /default-src 'none'; sandbox/,
};

it.each(PLACES)('%s: the data are text in an answer of kind %s', async (_place, kind, ask) => {
  const answer = await ask();
  const body = await answer.text();
  expect(answer.headers.get('content-type')).toMatch(TYPES[kind]);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(POLICIES[kind] ?? /^/);
  expect(policy).not.toMatch(/script-src[^;]*('unsafe-inline'|\*)/);
  assertNoPlantedFields(answer.headers, kind === 'sandboxed' ? OF_THE_API : []);
  expect([...answer.headers].filter(([, value]) => value.includes('onload'))).toEqual([]);
  if (kind === 'page' || kind === 'application') expect(body).not.toMatch(/<svg[^>]*onload/i);
  if (kind === 'csv' || kind === 'lines') {
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[a-z.]+"$/);
  }
});

describe('what would act on a browser is refused when it is saved:', () => {
  const ACTIVE = ['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd'];

  it.each(ACTIVE)('%s as any link of a description', async (url) => {
    for (const more of [
      { docsUrl: url },
      { portalUrl: url },
      { logoUrl: url },
      { webhooks: { supported: true, docsUrl: url } },
    ]) {
      const { status, body } = await callApi(gateway.url, 'POST', '/v1/providers', {
        bearer: project.apiKey,
        body: { id: 'links', ...PLANTED, ...more },
      });
      expect([more, status, body.code]).toEqual([more, 400, 'invalid_request']);
    }
  });

  it.each([...ACTIVE, 'https://app.example@evil.example/', 'https://app.example\r\nX-Evil: evil'])(
    '%j as a return URL or an origin',
    async (url) => {
      for (const body of [{ returnUrls: [url] }, { allowedOrigins: [url] }]) {
        const path = `/v1/projects/${project.id}`;
        const { status } = await callApi(gateway.url, 'PATCH', path, { bearer: project.apiKey, body });
        expect([body, status]).toEqual([body, 400]);
      }
      const session = { provider: 'custom:planted', userId: 'mia', returnUrl: url };
      const { status } = await callApi(gateway.url, 'POST', '/v1/connect-sessions', {
        bearer: project.apiKey,
        body: session,
      });
      expect(status).toBe(400);
    },
  );

  it('a header field whose name or value would end it', async () => {
    for (const apiHeaders of [{ 'X-A': 'a\r\nSet-Cookie: x' }, { 'X-A\r\nSet-Cookie': 'x' }]) {
      const body = { id: 'fields', ...PLANTED, apiHeaders };
      const { status } = await callApi(gateway.url, 'POST', '/v1/providers', {
        bearer: project.apiKey,
        body,
      });
      expect([apiHeaders, status]).toEqual([apiHeaders, 400]);
    }
  });
});

it('the address of what was made holds ids of the gateway’s own alone', async () => {
  const made = await callApi(gateway.url, 'POST', '/v1/providers', {
    bearer: project.apiKey,
    body: { id: 'located', ...PLANTED },
  });
  expect(made.headers.get('location')).toBe(`${gateway.url}/v1/providers/custom:located`);
});

it.each<[string, string]>([
  ['GET', '/livez'],
  ['GET', '/readyz'],
  ['GET', '/metrics'],
  ['GET', '/openapi.json'],
  ['GET', '/nothing-here'],
  ['GET', '/v1/nothing-here'],
  ['GET', '/webhooks/nothing-here'],
  ['GET', '/agents/authorize'],
  ['POST', '/agents/token'],
  ['POST', '/oauth/token'],
])('no browser takes the answer to %s %s for another type', async (method, path) => {
  const { headers } = await callApi(gateway.url, method, path);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

it('nor what tools of agents answer, by either way', async () => {
  const params = { name: 'read', arguments: { provider: 'evil', method: 'GET', path: '/' } };
  for (const type of ['application/json', 'application/json; charset=utf-8']) {
    const { status, headers } = await callApi(gateway.url, 'POST', `/projects/${project.id}/mcp`, {
      bearer: project.userToken('mia'),
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      headers: {
        'content-type': type,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
    });
    expect(status).toBe(200);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
});

it.each(['en', 'de', 'es'])('a mail is plain text (%s)', (language) => {
  const mails = operatorMails(language);
  const written = [
    mails.invitation({ project: MARKUP, inviter: MARKUP, url: gateway.url }),
    mails.passwordReset({ url: gateway.url }),
  ];
  for (const mail of written) expect(Object.keys(mail).sort()).toEqual(['subject', 'text']);
});
