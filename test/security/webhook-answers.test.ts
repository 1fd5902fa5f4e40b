import pg from 'pg';
import type { Browser } from 'playwright-core';
import { WEBHOOK_RESPONSE_FIELDS } from '../../src/catalog/rules/webhook-response-rules.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { openContext, startBrowser } from '../support/browser.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  callApi,
  callApiOk,
  createProject,
  type Gateway,
  OPERATOR,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { assertNoPlantedFields, MARKUP, ORIGIN_FIELDS } from '../support/hostile-answers.ts';

/** What a page at the webhook's address would do with the session of the operator who opens it. */
const SCRIPT = `<script>document.title = 'ran'; fetch('/v1/personal-access-tokens', { method: 'POST',
  headers: { 'content-type': 'application/json' }, body: '{"name":"loot"}' })</script>`;

const PAGE = '<html><body>{query:challenge}</body></html>';

/** A description that answers every visit with a page, and every webhook with another. */
const HOSTILE = {
  name: 'Hostile',
  auth: 'oauth2',
  authorizationUrl: 'https://provider.test/authorize',
  tokenUrl: 'https://provider.test/token',
  apiBaseUrl: 'https://api.provider.test',
  webhooks: {
    supported: true,
    scope: 'connection',
    signature: { scheme: 'token', at: 'header:X-Token' },
    secret: { from: 'operator' },
    handshake: [
      {
        methods: ['GET'],
        when: [],
        answer: { text: PAGE, headers: { ...ORIGIN_FIELDS, 'Content-Type': 'text/html' } },
      },
      { methods: ['POST'], when: ['query:json'], answer: { json: { page: PAGE } } },
    ],
    acknowledge: {
      body: PAGE,
      contentType: 'text/html',
      echoHeaders: ['Set-Cookie', 'NEL', 'Report-To', 'Refresh', 'X-Evil'],
    },
    payload: { eventType: '{type}', objectId: '{id}' },
  },
};
const { webhooks: hostileWebhooks, ...PLAIN } = HOSTILE;
const PLAIN_ANSWERS = { ...hostileWebhooks, handshake: undefined, acknowledge: undefined };

let gateway: Gateway;
let project: Project;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;

beforeAll(async () => {
  catalog = await createCatalogDir({ hostile: JSON.stringify({ ...HOSTILE, id: 'hostile' }) });
  gateway = await startGateway({ catalogDir: catalog.path, hasWebhookUrl: true });
  project = await provision(gateway);
});

afterAll(async () => {
  await gateway?.stop();
  await catalog?.remove();
});

const api = (method: string, path: string, body?: unknown, bearer = project.apiKey) =>
  callApiOk(gateway.url, method, `/v1${path}`, { bearer, body });

async function integrate(serviceProvider: string, bearer = project.apiKey): Promise<string> {
  const client = { clientId: 'id', clientSecret: 'secret', scopes: [], webhookSecret: 'the-token' };
  return (await api('POST', '/integrations', { serviceProvider, ...client }, bearer)).id;
}

/** A description of before the rules: it is in the store, and no request would bring it there today. */
async function storeHostile(id: string): Promise<void> {
  await api('POST', '/providers', { ...PLAIN, webhooks: PLAIN_ANSWERS, id });
  const client = new pg.Client(connectionSettings(gateway.databaseUrl ?? ''));
  await client.connect();
  const { rowCount } = await client.query(
    'UPDATE custom_providers SET description = $1, version = version + 1 WHERE provider = $2',
    [JSON.stringify({ ...HOSTILE, id }), `custom:${id}`],
  );
  await client.end();
  expect(rowCount).toBe(1);
}

const KINDS: Readonly<Record<string, () => Promise<string>>> = {
  'an operator’s file': () => integrate('hostile'),
  'a stored description': async () => {
    await storeHostile('stored');
    return integrate('custom:stored');
  },
};

const SAFE = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

function expectHarmless(headers: Headers): void {
  expect(Object.fromEntries(headers)).toMatchObject(SAFE);
  expect(headers.get('content-security-policy')).toContain("sandbox; default-src 'none'");
  expect(headers.getSetCookie()).toEqual([]);
  assertNoPlantedFields(headers);
}

describe.each(Object.keys(KINDS))('with the fields of a page in %s, an answer is none', (kind) => {
  let id: string;
  beforeAll(async () => {
    id = (await KINDS[kind]?.()) ?? '';
  });

  const ask = (method: string, path: string, init: Omit<RequestInit, 'method'> = {}) =>
    fetch(`${gateway.url}${path}`, { method, redirect: 'manual', ...init });
  const token = { 'x-token': 'the-token' };
  const planted = Object.fromEntries(
    Object.entries(ORIGIN_FIELDS).filter(([name]) => !/^(content-|location)/i.test(name)),
  );

  it.each<[string, number, string, () => Promise<Response>]>([
    [
      'a handshake with text',
      200,
      'text/plain; charset=utf-8',
      () => ask('GET', `/webhooks/${id}?challenge=x`),
    ],
    [
      'a handshake with JSON',
      200,
      'application/json',
      () => ask('POST', `/webhooks/${id}?json=1&challenge=x`, { body: '{}' }),
    ],
    [
      'an acknowledgement',
      200,
      'text/plain; charset=utf-8',
      () =>
        ask('POST', `/webhooks/${id}`, { headers: { ...planted, ...token }, body: '{"type":"a","id":"1"}' }),
    ],
    [
      'a refused signature',
      401,
      'application/problem+json',
      () => ask('POST', `/webhooks/${id}`, { body: '{}' }),
    ],
    ['another method', 405, 'application/problem+json', () => ask('PUT', `/webhooks/${id}`)],
    ['an unknown address', 404, 'application/problem+json', () => ask('GET', `/webhooks/none`)],
    [
      'a part that is none',
      404,
      'application/problem+json',
      () => ask('GET', `/webhooks/${id}/${'x'.repeat(43)}`),
    ],
    ['a deeper path', 404, 'application/problem+json', () => ask('GET', `/webhooks/${id}/x/y`)],
    ['a path that is not readable', 400, 'application/problem+json', () => ask('GET', `/webhooks/%E0%A4%A`)],
    [
      'a body that is too large',
      413,
      'application/problem+json',
      () => ask('POST', `/webhooks/${id}`, { body: 'x'.repeat(6 * 1024 * 1024) }),
    ],
  ])('%s', async (_what, status, type, send) => {
    const answer = await send();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
    expectHarmless(answer.headers);
  });
});

describe('a project’s own description', () => {
  const post = (webhooks: object) =>
    callApi(gateway.url, 'POST', '/v1/providers', {
      bearer: project.apiKey,
      body: { ...PLAIN, id: 'refused', webhooks: { ...PLAIN_ANSWERS, ...webhooks } },
    });
  const answering = (headers: object) => ({
    handshake: [{ methods: ['GET'], answer: { text: 'x', headers } }],
  });

  it.each([
    ...[...Object.keys(ORIGIN_FIELDS), 'Content-Type'].map((name) => answering({ [name]: 'x' })),
    ...['text/html', 'image/svg+xml', 'text/xml', 'text/html, text/plain', ''].map((contentType) => ({
      acknowledge: { contentType },
    })),
    { acknowledge: { echoHeaders: ['Set-Cookie'] } },
  ])('is refused with %j', async (webhooks) => {
    const { status, body } = await post(webhooks);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors[0].path ?? body.errors[0].field ?? JSON.stringify(body.errors)).toMatch(/webhooks/);
  });

  it('may answer with the fields that providers want, and as text or JSON', async () => {
    const headers = Object.fromEntries([...WEBHOOK_RESPONSE_FIELDS].map((name) => [name, 'x']));
    const acknowledge = { contentType: 'application/json', body: '{}', echoHeaders: ['X-Hook-Secret'] };
    expect((await post({ ...answering(headers), acknowledge })).status).toBe(201);
  });
});

it('the fields that webhooks may be answered with are those of built-in providers', async () => {
  const used = new Set<string>();
  const types = new Set<string>();
  for (const id of builtInCatalog.ids()) {
    const { handshake = [], acknowledge } = builtInCatalog.find(id)?.webhooks ?? {};
    const names = handshake.flatMap(({ answer }) => Object.keys(answer.headers));
    for (const name of [...names, ...(acknowledge?.echoHeaders ?? [])]) used.add(name.toLowerCase());
    if (acknowledge?.contentType !== undefined) types.add(acknowledge.contentType);
  }
  expect([...used].sort()).toEqual([...WEBHOOK_RESPONSE_FIELDS].sort());
  expect([...types].sort()).toEqual(['text/plain', 'text/xml']);
});

describe('with an origin of their own, webhooks', () => {
  const own = () => gateway.env.WEBHOOK_URL ?? '';

  it('have addresses there, are answered there and at their earlier addresses, and nothing else is answered', async () => {
    const id = await integrate('hostile', (await anotherProject()).apiKey);
    const { webhookUrl } = await api('GET', `/integrations/${id}`, undefined, project.personalAccessToken);
    expect(webhookUrl).toBe(`${own()}/webhooks/${id}`);
    for (const origin of [own(), gateway.url]) {
      const answer = await fetch(`${origin}/webhooks/${id}?challenge=x`);
      expect(answer.status).toBe(200);
      expectHarmless(answer.headers);
    }
    const paths = ['/', '/v1/providers', '/openapi.json', '/docs', '/livez', '/connect/x', '/oauth/callback'];
    const more = ['/sdk/connect.js', '/logos/hubspot.svg', '/.well-known/integration-gateway', '/setup'];
    const proxied = `/projects/${project.id}/proxy/hostile/x`;
    for (const path of [...paths, ...more, proxied]) {
      const { status, body, headers } = await callApi(own(), 'GET', path);
      expect([path, status, body.code]).toEqual([path, 404, 'not_found']);
      expectHarmless(headers);
    }
  });

  it('keep the addresses of the provider’s catalog entry there as well', async () => {
    const { setupSteps } = await api('GET', '/providers/slack');
    expect(setupSteps.join('\n')).toContain(`${own()}/webhooks/`);
  });
});

const anotherProject = () => createProject(gateway.url, project.personalAccessToken);

describe('in Chromium, what a webhook’s address answers', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  it('is no page, and cannot use the session of the operator who opens it', async () => {
    const other = await anotherProject();
    const id = await integrate('hostile', other.apiKey);
    const context = await openContext(browser);
    const page = await context.newPage();
    const signedIn = await context.request.post(`${gateway.url}/v1/sessions`, {
      data: { email: OPERATOR.email, password: OPERATOR.password },
      headers: { origin: gateway.url },
    });
    expect(signedIn.ok()).toBe(true);
    expect((await context.request.get(`${gateway.url}/v1/projects`)).status()).toBe(200);
    const calls: string[] = [];
    page.on('request', (request) => calls.push(request.url()));
    const visited = await page.goto(
      `${gateway.url}/webhooks/${id}?challenge=${encodeURIComponent(SCRIPT + MARKUP)}`,
    );
    expect(visited?.status()).toBe(200);
    // Another document of that address, after which a script of the first would have run.
    expect(await page.locator('script').count()).toBe(0);
    expect(await page.title()).not.toBe('ran');
    // Even a script in it would be of no origin: the session's cookie does not go along.
    const asked = await page.evaluate(async () => {
      const origin = globalThis.origin;
      return {
        origin,
        status: await fetch('/v1/projects').then(
          ({ status }) => status,
          () => 'refused',
        ),
      };
    });
    expect(asked).toEqual({ origin: 'null', status: 'refused' });
    expect(calls.filter((url) => url.includes('/v1/personal-access-tokens'))).toEqual([]);
    await context.close();
  });
});
