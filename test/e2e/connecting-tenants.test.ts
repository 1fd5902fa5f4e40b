import type { HttpBrowser, Page } from '../examples/http-browser.ts';
import { callApi, callApiOk, type Gateway, startGateway } from '../support/gateway.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { answerTokens, type ScriptedAnswer, type SeenCall } from './connecting-provider.ts';
import { type ConnectingStage, type Session, startConnectingStage } from './connecting-stage.ts';

type Site = {
  readonly id: string;
  readonly title?: string;
  readonly scopes?: readonly string[];
  readonly state?: string;
  readonly place?: { readonly region?: string; readonly address?: string };
};

const site = (id: string, more: Partial<Site> = {}): Site => ({
  id,
  title: `Site ${id}`,
  scopes: ['read:things'],
  ...more,
});
const EAST = site('east', { place: { region: 'eu', address: 'https://east.example' } });
const WEST = site('west');
/** Of another product, and one that was closed. */
const FOREIGN = site('foreign', { scopes: ['write:other'] });
const CLOSED = site('closed', { state: 'closed' });

const PAGE = 500;
const ENCRYPTION_KEYS = createEncryptionKey();

let stage: ConnectingStage;
let replica: Gateway;
let sites: readonly Site[] = [];
/** What the listing call is answered with in the place of the sites. */
let refusal: ScriptedAnswer | undefined;

function answerApi({ path }: SeenCall): ScriptedAnswer | undefined {
  const { pathname, searchParams } = new URL(path, 'http://provider');
  if (pathname === '/teams') return { body: sites.map(({ id, title }) => ({ id, name: title })) };
  const [, tenant] = /^\/api\/(\w+)\/things$/.exec(pathname) ?? [];
  if (tenant !== undefined) return { body: [{ id: `thing-of-${tenant}` }, { id: 'thing-of-both', tenant }] };
  if (pathname !== '/sites') return undefined;
  if (refusal !== undefined) return refusal;
  const start = Number(searchParams.get('cursor') ?? 0);
  const next = start + PAGE < sites.length ? String(start + PAGE) : undefined;
  return { body: { list: sites.slice(start, start + PAGE), next } };
}

beforeAll(async () => {
  stage = await startConnectingStage(['sites', 'teams', 'scripted'], {
    env: { ENCRYPTION_KEYS, CONNECT_SWEEP_INTERVAL_SECONDS: '1' },
  });
  replica = await startGateway({
    catalogDir: stage.catalogDir,
    databaseUrl: stage.database.url,
    env: { ENCRYPTION_KEYS },
  });
});
beforeEach(() => {
  sites = [CLOSED, EAST, FOREIGN, WEST];
  refusal = undefined;
  stage.provider.answerApi = answerApi;
  stage.provider.answerToken = () => answerTokens('mia-at-provider');
  stage.provider.revoked.length = 0;
});
afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

let users = 0;

function newUser(): string {
  users += 1;
  return `user-${users}`;
}

type Visit = {
  readonly userId: string;
  readonly session: Session;
  readonly browser: HttpBrowser;
  readonly page: Page;
};

/** From the link to what the browser shows after the provider has agreed. */
async function visit(userId: string, body: Record<string, unknown> = {}): Promise<Visit> {
  const session = await stage.start(userId, { provider: 'sites', ...body });
  const browser = stage.openBrowser();
  const page = await stage.answer(await stage.follow(session, browser), browser);
  return { userId, session, browser, page };
}

const choose = ({ browser, page }: Visit, fields: Record<string, string>) => browser.submit(page.url, fields);

async function completeFrom({ session, userId }: Visit, page: Page) {
  const { message } = readOutcome(page);
  if (message.status === 'error') throw new Error(`Not authorized: ${message.error}`);
  const answer = await stage.complete(session.id, message.completionCode, stage.project.userToken(userId));
  expect(answer.status).toBe(200);
  return answer.body;
}

/** A connection of a new user, who chooses where several are reached. */
async function connectTo(tenant: string, body: Record<string, unknown> = {}, userId = newUser()) {
  const visited = await visit(userId, body);
  const isAsked = visited.page.url.includes('/connect/tenants/');
  return completeFrom(visited, isAsked ? await choose(visited, { tenant }) : visited.page);
}

/** Ids of the entries that the page shows, in its order. */
const shown = ({ body }: Page) =>
  [...body.matchAll(/<li [^>]*?( hidden)?>\s*<button type="submit" name="tenant" value="([^"]+)"/g)]
    .filter(([, hidden]) => hidden === undefined)
    .map(([, , id]) => id);

const words = ({ body }: Page) => body.replace(/<[^>]*>/g, ' ');

/** Where the provider gets a proxied call of the user, by a gateway. */
async function calledAt(userId: string, gateway: Pick<Gateway, 'url'>, headers: Record<string, string> = {}) {
  await callApiOk(gateway.url, 'GET', `/projects/${stage.project.id}/proxy/sites/x`, {
    bearer: stage.project.userToken(userId),
    headers,
  });
  const call = stage.provider.apiCalls.at(-1);
  return { path: call?.path, region: call?.headers['x-region'] };
}

const patch = (id: string, body: object, headers: Record<string, string> = {}) =>
  callApi(stage.gateway.url, 'PATCH', `/v1/connections/${id}`, {
    bearer: stage.project.apiKey,
    body,
    headers,
  });

const activityOf = async (subjectId: string) =>
  (
    await callApiOk(
      stage.gateway.url,
      'GET',
      `/v1/activity?projectId=${stage.project.id}&subjectId=${subjectId}`,
      { bearer: stage.project.apiKey },
    )
  ).activity;

describe('a grant that reaches several tenants', () => {
  it('asks which one, and the chosen one is where calls go', async () => {
    const visited = await visit(newUser());
    expect(visited.page.status).toBe(200);
    expect(words(visited.page)).toContain('Choose a site');
    expect(words(visited.page)).toContain('https://east.example');
    expect(shown(visited.page)).toEqual(['east', 'west']);
    const connection = await completeFrom(visited, await choose(visited, { tenant: 'west' }));
    expect(connection).toMatchObject({
      tenantId: 'west',
      tenantName: 'Site west',
      accountId: 'west',
      accountName: 'Site west',
      authMetadata: { ProviderAccount: { apiBaseUrl: `${stage.provider.url}/api/west` } },
    });
    expect(await calledAt(visited.userId, stage.gateway)).toEqual({ path: '/api/west/x', region: undefined });
  });

  it('asks in a page that needs no script, cannot be framed or cached, and holds no secret', async () => {
    const { page } = await visit(newUser());
    expect(page.body).not.toContain('<script');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.body + page.url).not.toMatch(/access-\d|refresh-\d/);
    const row = await stage.database.knex('connect_sessions').where({ state: 'choosing' }).first();
    expect(JSON.stringify(row)).not.toMatch(/access-\d|refresh-\d|Site east/);
  });

  it('goes on asking after a reload, behind the link, and on another replica, which takes the answer', async () => {
    const visited = await visit(newUser());
    const { browser, page, session } = visited;
    const other = page.url.replace(stage.gateway.url, replica.url);
    const elsewhere = await callOn(browser, other);
    const again = [await browser.open(page.url), await browser.open(session.url)];
    for (const one of [...again, elsewhere]) expect(shown(one)).toEqual(['east', 'west']);
    const connection = await completeFrom(visited, await callOn(browser, other, { tenant: 'east' }));
    expect(connection.tenantId).toBe('east');
  });

  it('asks in the language of the session', async () => {
    expect(words((await visit(newUser(), { locale: 'de' })).page)).toContain('Website auswählen');
    expect(words((await visit(newUser(), { locale: 'es-MX' })).page)).toContain('Elija un sitio');
  });

  it('asks again where nothing, or something that it does not reach, is chosen', async () => {
    const visited = await visit(newUser());
    for (const fields of [{}, { tenant: 'foreign' }, { tenant: '__proto__' }]) {
      const page = await choose(visited, fields);
      expect(page.status).toBe(422);
      expect(words(page)).toContain('Choose one of these entries.');
    }
  });

  it('asks nobody but the browser that authorized', async () => {
    const { page } = await visit(newUser());
    expect((await stage.openBrowser().open(page.url)).status).toBe(403);
    expect((await stage.openBrowser().submit(page.url, { tenant: 'east' })).status).toBe(403);
    const unknown = page.url.replace(/[^/]+$/, '01900000-0000-7000-8000-000000000000');
    expect((await stage.openBrowser().open(unknown)).status).toBe(404);
  });

  it('ends with access_denied and revoked tokens where the user wants none of them', async () => {
    const visited = await visit(newUser());
    const { message } = readOutcome(await choose(visited, { cancel: '1' }));
    expect(message).toMatchObject({ status: 'error', error: 'access_denied' });
    await until(async () => stage.provider.revoked.length > 0);
    expect((await visited.browser.open(visited.page.url)).status).toBe(410);
  });

  it('makes one connection of two answers, and leaves its tokens valid', async () => {
    const visited = await visit(newUser());
    const answers = await Promise.all(['east', 'west'].map((tenant) => choose(visited, { tenant })));
    const outcomes = answers.map((page) => page.status);
    // The other one finds a session that is being completed, or one that is used.
    expect([
      [200, 409],
      [200, 410],
    ]).toContainEqual(outcomes.sort());
    expect(stage.provider.revoked).toEqual([]);
  });

  it('answers a tenant that is pressed twice with what came of the first press', async () => {
    const visited = await visit(newUser());
    await choose(visited, { tenant: 'east' });
    await completeFrom(visited, await choose(visited, { tenant: 'east' }));
  });

  it('expires, and its tokens are revoked', async () => {
    const visited = await visit(newUser());
    await stage.database
      .knex('connect_sessions')
      .where({ id: visited.session.id })
      .update({ expires_at: new Date(Date.now() - 1000) });
    const { message } = readOutcome(await visited.browser.open(visited.page.url));
    expect(message).toMatchObject({ status: 'error', error: 'session_expired' });
    await until(async () => stage.provider.revoked.length > 0);
  });

  it('offers thousands of several pages by a search that needs no script', async () => {
    sites = Array.from({ length: 3_000 }, (_, index) => site(`s${index}`, { title: `Größe ${index}` }));
    const visited = await visit(newUser());
    expect(shown(visited.page)).toHaveLength(200);
    expect(words(visited.page)).toContain('The first 200 are shown.');
    expect(visited.page.body).not.toContain('<script');
    const found = await visited.browser.open(`${visited.page.url}?q=GROSSE%20groesse`);
    expect(shown(found)).toEqual([]);
    const last = await visited.browser.open(`${visited.page.url}?q=gro%C3%9Fe%202999`);
    expect(shown(last)).toEqual(['s2999']);
    const connection = await completeFrom(visited, await choose(visited, { tenant: 's2999' }));
    expect(connection.tenantName).toBe('Größe 2999');
  });
});

/** The browser goes to another address of the same gateway, with the cookies that it has. */
function callOn(browser: HttpBrowser, url: string, form?: Record<string, string>): Promise<Page> {
  const cookie = browser
    .cookies()
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
  const init = { headers: { cookie }, ...(form && { method: 'POST', body: new URLSearchParams(form) }) };
  return fetch(url, init).then(async (answer) => ({
    url,
    status: answer.status,
    body: await answer.text(),
    headers: answer.headers,
  }));
}

describe('a grant that reaches one tenant, or none', () => {
  it('takes the only one that counts without asking', async () => {
    sites = [CLOSED, FOREIGN, EAST];
    expect(await connectTo('-')).toMatchObject({ tenantId: 'east' });
  });

  it('ends with tenant_missing and revoked tokens where it reaches none', async () => {
    sites = [CLOSED, FOREIGN];
    const { page } = await visit(newUser());
    expect(readOutcome(page).message).toMatchObject({ status: 'error', error: 'tenant_missing' });
    expect(words(page)).toContain('Nothing to connect');
    await until(async () => stage.provider.revoked.length > 0);
  });

  it('ends with the reason of the provider where it refuses the list', async () => {
    refusal = { status: 403, body: { error: 'insufficient_scope', error_description: 'Needs sites.read' } };
    const { page, session } = await visit(newUser());
    expect(readOutcome(page).message).toMatchObject({ status: 'error', error: 'provider_error' });
    expect(words(page)).toContain('The list was refused');
    await until(async () => (await activityOf(session.id)).length > 1);
    const [failed] = await activityOf(session.id);
    expect(failed.details).toMatchObject({
      reason: 'tenants_refused',
      providerWords: expect.stringContaining('Needs sites.read'),
    });
  });

  it('ends with a failure that may pass where the list does not come', async () => {
    refusal = { status: 503, body: {} };
    const { page } = await visit(newUser());
    expect(words(page)).toContain('cannot be reached');
  });
});

describe('a session that names the tenant', () => {
  it('is not asked', async () => {
    expect(await connectTo('-', { tenant: 'west' })).toMatchObject({ tenantId: 'west' });
  });

  it('ends with tenant_unknown where the grant does not reach it', async () => {
    for (const tenant of ['foreign', 'nowhere']) {
      const { page } = await visit(newUser(), { tenant });
      expect(readOutcome(page).message).toMatchObject({ status: 'error', error: 'tenant_unknown' });
    }
  });

  it('is refused for a provider without tenants', async () => {
    const answer = await callApi(stage.gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: stage.project.apiKey,
      body: { provider: 'scripted', userId: 'mia', tenant: 'x' },
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'tenants_unsupported']);
  });

  it('moves the connection that it re-authorizes', async () => {
    const userId = newUser();
    const { id } = await connectTo('east', {}, userId);
    const moved = await connectTo('-', { connectionId: id, tenant: 'west' }, userId);
    expect(moved).toMatchObject({ id, tenantId: 'west' });
  });
});

describe('authorizing again', () => {
  it('keeps the tenant without asking, also without naming the connection', async () => {
    const userId = newUser();
    const { id } = await connectTo('west', {}, userId);
    sites = [site('new'), EAST, WEST];
    expect(await connectTo('-', { connectionId: id }, userId)).toMatchObject({ id, tenantId: 'west' });
    expect(await connectTo('-', {}, userId)).toMatchObject({ id, tenantId: 'west' });
  });

  it('keeps that of a connection from before tenants were kept', async () => {
    const userId = newUser();
    const { id } = await connectTo('west', {}, userId);
    await stage.database.knex('connections').where({ id }).update({ tenant_id: null, tenant_name: null });
    expect(await connectTo('-', { connectionId: id }, userId)).toMatchObject({ id, tenantId: 'west' });
  });

  it('ends with account_mismatch where the grant no longer reaches it', async () => {
    const userId = newUser();
    const { id } = await connectTo('west', {}, userId);
    sites = [EAST, site('new')];
    const { page } = await visit(userId, { connectionId: id });
    expect(readOutcome(page).message).toMatchObject({ status: 'error', error: 'account_mismatch' });
    expect(words(page)).toContain('Not reached any more');
  });

  it('makes a second connection on another tenant where several are allowed', async () => {
    const userId = newUser();
    const first = await connectTo('east', { allowMultiple: true }, userId);
    const second = await connectTo('west', { allowMultiple: true }, userId);
    expect(second.id).not.toBe(first.id);
    const at = (id: string) => calledAt(userId, stage.gateway, { 'gateway-connection': id });
    expect([(await at(first.id)).path, (await at(second.id)).path]).toEqual(['/api/east/x', '/api/west/x']);
    expect(await connectTo('east', { allowMultiple: true }, userId)).toMatchObject({ id: first.id });

    const disconnect = (id: string) =>
      callApiOk(stage.gateway.url, 'DELETE', `/v1/connections/${id}`, { bearer: stage.project.apiKey });
    const countKept = async () => (await stage.database.knex('grants_to_revoke')).length;
    await until(async () => (await countKept()) === 0);
    stage.provider.revoked.length = 0;
    // The consent may be the same, and some providers end all of it with one token.
    await disconnect(first.id);
    await until(async () => (await countKept()) === 0);
    expect(stage.provider.revoked).toEqual([]);
    await disconnect(second.id);
    await until(() => stage.provider.revoked.length > 0);
  });
});

describe('GET /v1/connections/{id}/tenants and PATCH with tenantId', () => {
  it('list what the grant reaches, and move the connection on every replica at once', async () => {
    const userId = newUser();
    const { id } = await connectTo('west', {}, userId);
    expect((await calledAt(userId, replica)).path).toBe('/api/west/x');
    const listed = await callApiOk(stage.gateway.url, 'GET', `/v1/connections/${id}/tenants`, {
      bearer: stage.project.userToken(userId),
    });
    expect(listed).toEqual({
      tenants: [
        { id: 'east', name: 'Site east', detail: 'https://east.example', isCurrent: false },
        { id: 'west', name: 'Site west', detail: null, isCurrent: true },
      ],
      isComplete: true,
    });
    const changed = await patch(id, { tenantId: 'east' });
    expect(changed.body).toMatchObject({ id, tenantId: 'east', tenantName: 'Site east', accountId: 'east' });
    const east = { path: '/api/east/x', region: 'eu' };
    expect(await calledAt(userId, stage.gateway)).toEqual(east);
    await until(async () => (await calledAt(userId, replica)).path === '/api/east/x');
    expect((await patch(id, { tenantId: 'west' })).status).toBe(200);
    // What only the other tenant has is gone.
    expect(await calledAt(userId, stage.gateway)).toEqual({ path: '/api/west/x', region: undefined });
  });

  it('have polls begin again with the records of the other tenant, and call none deleted', async () => {
    const { id, integrationId } = await connectTo('west');
    const api = (method: string, path: string, body?: object) =>
      callApiOk(stage.gateway.url, method, path, { bearer: stage.project.apiKey, ...(body && { body }) });
    const readTenants = async () => {
      const { events } = await api('GET', `/v1/events?connectionId=${id}&objectType=thing&limit=100`);
      return events.map(({ object, data }: { object: { id: string; change: string }; data: object }) =>
        [object.change, object.id, ...('tenant' in data ? [data.tenant] : [])].join(' '),
      );
    };
    const poll = await api('POST', '/v1/polls', {
      integrationId,
      custom: { object: 'thing', record: { id: 'id' }, list: { request: { path: '/things' } } },
      intervalSeconds: 86_400,
      backfill: 'full',
    });
    const west = ['created thing-of-west', 'created thing-of-both west'];
    await until(async () => (await readTenants()).length === 2);
    expect(await readTenants()).toEqual(west);
    await patch(id, { tenantId: 'east' });
    const east = ['created thing-of-east', 'created thing-of-both east'];
    await until(async () => (await readTenants()).length > 2);
    expect(await readTenants()).toEqual([...west, ...east]);
    const shown = await api('GET', `/v1/polls/${poll.id}/connections?connectionId=${id}`);
    expect(shown.connections).toMatchObject([{ connectionId: id, recordsSeen: 2, pagesRead: 1 }]);
    await api('DELETE', `/v1/polls/${poll.id}`);
  });

  it('tell activity and events who moved it, once', async () => {
    const { id } = await connectTo('west');
    await patch(id, { tenantId: 'east' });
    await patch(id, { tenantId: 'east' });
    const changes = (await activityOf(id)).filter(
      ({ action }: { action: string }) => action === 'connection.updated',
    );
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({
      actorKind: 'api_key',
      details: { tenantId: 'east', tenantName: 'Site east', previousTenantId: 'west' },
    });
    const find = () =>
      callApiOk(stage.gateway.url, 'GET', `/v1/events?connectionId=${id}&types=connection.updated&limit=10`, {
        bearer: stage.project.apiKey,
      });
    await until(async () => (await find()).events.length > 0);
    expect((await find()).events).toMatchObject([{ data: { id, tenantId: 'east', accountId: 'east' } }]);
  });

  it('refuse a tenant that the grant does not reach, and a change of what has changed meanwhile', async () => {
    const { id } = await connectTo('west');
    const unknown = await patch(id, { tenantId: 'foreign' });
    expect([unknown.status, unknown.body.code]).toEqual([422, 'tenant_unknown']);
    const stale = await patch(id, { tenantId: 'east' }, { 'if-match': '"99"' });
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
    expect((await patch(id, {})).status).toBe(400);
  });

  it('take metadata and tenant together, or neither', async () => {
    const { id } = await connectTo('west');
    const both = await patch(id, { tenantId: 'east', customMetadata: { plan: 'pro' } });
    expect(both.body).toMatchObject({ tenantId: 'east', customMetadata: { plan: 'pro' } });
    const neither = await patch(id, { tenantId: 'nowhere', customMetadata: { plan: 'free' } });
    expect(neither.status).toBe(422);
    expect((await patch(id, { customMetadata: {} })).body.customMetadata).toEqual({ plan: 'pro' });
  });

  it('refuse a whole number that would be kept as another one', async () => {
    const { id } = await connectTo('west');
    const answer = await patch(id, { customMetadata: { crm: { ids: [2 ** 53] } } });
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, 'body.customMetadata.crm.ids.0']);
  });

  it('say what the provider says where it does not list them', async () => {
    const { id } = await connectTo('west');
    refusal = { status: 403, body: { message: 'Needs sites.read' } };
    const answer = await patch(id, { tenantId: 'east' });
    expect([answer.status, answer.body.code]).toEqual([502, 'tenants_unavailable']);
    expect(answer.body.detail).toContain('refuses to list');
    expect(answer.body.detail).toContain('Needs sites.read');
    refusal = { status: 503, body: {} };
    const later = await patch(id, { tenantId: 'east' });
    expect([later.body.code, later.body.detail]).toEqual([
      'tenants_unavailable',
      expect.stringContaining('no usable list'),
    ]);
  });

  it('go by ids, not by names, and take a new name over', async () => {
    sites = [site('one', { title: 'Office' }), site('two', { title: 'Office' })];
    const { id } = await connectTo('one');
    expect((await patch(id, { tenantId: 'two' })).body).toMatchObject({
      tenantId: 'two',
      tenantName: 'Office',
    });
    const before = (await activityOf(id)).length;
    expect((await patch(id, { tenantId: 'two' })).status).toBe(200);
    expect(await activityOf(id)).toHaveLength(before);
    sites = [site('one'), site('two', { title: 'Head office' })];
    expect((await patch(id, { tenantId: 'two' })).body).toMatchObject({ tenantName: 'Head office' });
  });

  it('are refused for a provider without tenants', async () => {
    const { body } = await stage.connect(newUser(), 'north');
    const answer = await patch(body.id, { tenantId: 'x' });
    expect([answer.status, answer.body.code]).toEqual([422, 'tenants_unsupported']);
  });
});

describe('a provider whose calls name the tenant themselves', () => {
  it('asks nobody, and has a tenant only where there is one or the application names it', async () => {
    sites = [EAST, WEST];
    const several = await connectTo('-', { provider: 'teams' });
    expect(several).toMatchObject({ accountId: 'mia-at-provider', tenantId: null });
    const named = await patch(several.id, { tenantId: 'west' });
    expect(named.body).toMatchObject({
      accountId: 'mia-at-provider',
      tenantId: 'west',
      tenantName: 'Site west',
    });
    sites = [EAST];
    expect(await connectTo('-', { provider: 'teams' })).toMatchObject({ tenantId: 'east' });
  });
});

it('an integration cannot set what a tenant tells', async () => {
  const answer = await callApi(stage.gateway.url, 'PATCH', `/v1/integrations/${stage.integrations.sites}`, {
    bearer: stage.project.apiKey,
    body: { variables: { siteId: 'east' } },
  });
  expect([answer.status, answer.body.code]).toEqual([422, 'variable_invalid']);
  expect(answer.body.errors).toEqual([
    { path: 'body.variables.siteId', message: expect.stringContaining('tenantId') },
  ]);
});
