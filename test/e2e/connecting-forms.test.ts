import type { HttpBrowser, Page } from '../examples/http-browser.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import { readOutcome } from '../support/stage.ts';
import { answerTokens } from './connecting-provider.ts';
import { type ConnectingStage, RETURN_URL, type Session, startConnectingStage } from './connecting-stage.ts';

let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage(['keyed', 'keyed-tenant', 'basic', 'tenant', 'machine']);
});
beforeEach(() => {
  stage.provider.accepts = () => true;
  stage.provider.answerToken = () => answerTokens('north');
});
afterAll(() => stage?.close());

type Form = { session: Session; browser: HttpBrowser; page: Page };

async function openForm(provider: string, body: Record<string, unknown> = {}): Promise<Form> {
  const session = await stage.start('mia', { provider, ...body });
  const browser = stage.openBrowser();
  return { session, browser, page: await browser.open(session.url) };
}

const submit = ({ session, browser }: Form, fields: Record<string, string>) =>
  browser.submit(session.url, fields);

async function completeFrom({ session }: Form, page: Page, userId = 'mia') {
  const { message } = readOutcome(page);
  return stage.complete(session.id, message.completionCode, stage.project.userToken(userId));
}

/** Connects by a form and tells the connection's id. */
async function connectBy(provider: string, fields: Record<string, string>): Promise<string> {
  const form = await openForm(provider);
  const { body, status } = await completeFrom(form, await submit(form, fields));
  expect(status).toBe(200);
  return body.id;
}

async function proxiedCall(provider: string) {
  await callApiOk(stage.gateway.url, 'GET', `/projects/${stage.project.id}/proxy/${provider}/contacts?a=1`, {
    bearer: stage.project.userToken('mia'),
  });
  const { path = '', headers = {} } = stage.provider.apiCalls.at(-1) ?? {};
  return { path, headers };
}

const disconnect = (id: string) =>
  callApiOk(stage.gateway.url, 'DELETE', `/v1/connections/${id}`, { bearer: stage.project.apiKey });

describe('the form of a provider with API keys', () => {
  it('is plain HTML: one labelled field that no browser remembers, a hint, and no script', async () => {
    const { page } = await openForm('keyed');
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.body).toContain('<form method="post"');
    expect(page.body).toContain('<label for="apiKey">API key</label>');
    expect(page.body).toMatch(/<input id="apiKey" name="apiKey" type="password" value=""\s+required/);
    expect(page.body).toContain('It begins with key-.');
    expect(page.body).not.toContain('<script');
  });

  it('that is sent twice is answered twice with what came of the first, since the browser shows the second answer', async () => {
    const form = await openForm('keyed');
    const press = () => submit(form, { apiKey: 'key-good' });
    const atOnce = await Promise.all([press(), press()]);
    const later = await press();
    expect([...atOnce, later].map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await completeFrom(form, later)).status).toBe(200);
    const completed = await press();
    expect([completed.status, completed.body.includes('completionCode')]).toEqual([410, false]);
  });

  it('hands over nothing to who cancels after it was sent', async () => {
    const form = await openForm('keyed');
    await submit(form, { apiKey: 'key-good' });
    const cancelled = await submit(form, { apiKey: 'key-good', cancel: '1' });
    expect([cancelled.status, cancelled.body.includes('completionCode')]).toEqual([410, false]);
  });

  it('is shown again when the provider refuses the key, which is not echoed; nothing is used up', async () => {
    stage.provider.accepts = ({ headers }) => headers['x-api-key'] === 'Key key-good';
    const form = await openForm('keyed');
    const refused = await submit(form, { apiKey: 'key-wrong' });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('does not accept these credentials');
    expect(refused.body).not.toContain('key-wrong');
    const empty = await submit(form, { apiKey: '  ' });
    expect([empty.status, empty.body.includes('Please fill this in.')]).toEqual([422, true]);
    const accepted = await submit(form, { apiKey: ' key-good ' });
    const { body } = await completeFrom(form, accepted);
    expect(body).toMatchObject({
      accountId: 'key-account',
      accountName: 'Key Account',
      status: 'active',
      expiresAt: null,
    });
    const { path, headers } = await proxiedCall('keyed');
    expect([path, headers['x-api-key'], headers.authorization]).toEqual([
      '/api/contacts?a=1',
      'Key key-good',
      undefined,
    ]);
    await disconnect(body.id);
  });

  it.each([
    [{ status: 404, body: {} }, 'gave no answer that shows whether'],
    [{ status: 302, body: {}, headers: { location: '/login' } }, 'gave no answer that shows whether'],
    [{ body: { error: 'wrong key: key-planted' } }, 'gave no answer that shows whether'],
    [{ status: 429, body: {} }, 'did not answer'],
    [{ status: 500, body: {} }, 'did not answer'],
    ['reset', 'did not answer'],
  ] as const)('is shown again, and no key kept, where the provider answers %j', async (answer, words) => {
    stage.provider.accepts = () => answer;
    const form = await openForm('keyed');
    const page = await submit(form, { apiKey: 'key-planted' });
    stage.provider.accepts = () => true;
    expect([page.status, page.body.includes(words)]).toEqual([422, true]);
    expect(page.body).not.toContain('key-planted');
    const bearer = stage.project.userToken('mia');
    const { connections } = await callApiOk(stage.gateway.url, 'GET', '/v1/connections', { bearer });
    expect(connections).toEqual([]);
  });

  it('is shown again for a key that cannot stand in a header', async () => {
    const form = await openForm('keyed');
    for (const apiKey of ['key-“good', 'key\r\nX-Evil: 1', 'ключ', 'k'.repeat(20_000)]) {
      const page = await submit(form, { apiKey });
      expect([page.status, page.headers.get('content-type')]).toEqual([422, 'text/html; charset=utf-8']);
      expect(page.body).not.toContain(apiKey);
    }
    expect((await submit(form, { apiKey: 'key-good' })).status).toBe(200);
  });

  it('is refused to a browser that did not open the link', async () => {
    const { session } = await openForm('keyed');
    const before = stage.provider.apiCalls.length;
    const page = await stage.openBrowser().submit(session.url, { apiKey: 'key-of-a-stranger' });
    expect([page.status, stage.provider.apiCalls.length]).toEqual([403, before]);
  });

  it('leads back to the return URL', async () => {
    const form = await openForm('keyed', { returnUrl: RETURN_URL });
    const { url } = await submit(form, { apiKey: 'key-good' });
    const [address, fragment] = url.split('#');
    const { connect_session, completion_code } = Object.fromEntries(new URLSearchParams(fragment));
    expect([address, connect_session]).toEqual([RETURN_URL, form.session.id]);
    const done = await stage.complete(form.session.id, completion_code, stage.project.userToken('mia'));
    expect(done.status).toBe(200);
    await disconnect(done.body.id);
  });

  it('takes two submissions at the same moment for one', async () => {
    const form = await openForm('keyed');
    const pages = await Promise.all([submit(form, { apiKey: 'key-1' }), submit(form, { apiKey: 'key-2' })]);
    const messages = pages.map((page) => (page.status === 410 ? 'used' : readOutcome(page).message.status));
    expect(messages.filter((status) => status === 'success')).toHaveLength(1);
    const winner = pages.find(
      (page) => page.status === 200 && readOutcome(page).message.status === 'success',
    );
    const { status, body } = await completeFrom(form, winner as Page);
    expect(status).toBe(200);
    await disconnect(body.id);
  });

  it('answers a body that is no form with a page, too', async () => {
    const { session, browser } = await openForm('keyed');
    const cookie = browser
      .cookies()
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    for (const [type, body] of [
      ['application/json', '{"apiKey":"key-good"}'],
      ['application/x-www-form-urlencoded', 'apiKey=a&apiKey=b'],
      ['application/x-www-form-urlencoded', `apiKey=${'x'.repeat(70_000)}`],
      ['application/x-www-form-urlencoded; charset=nonsense', 'apiKey=key-good'],
    ] as const) {
      const response = await fetch(session.url, {
        method: 'POST',
        headers: { cookie, 'content-type': type },
        body,
      });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      await response.text();
    }
  });
});

describe('the form of a provider with a variable and an API key', () => {
  it('asks for both and puts both where the catalog says', async () => {
    const form = await openForm('keyed-tenant');
    expect(form.page.body).toContain('<label for="workspace">Workspace</label>');
    const wrong = await submit(form, { workspace: 'no/../such', apiKey: 'key-typed' });
    expect(wrong.status).toBe(422);
    expect(wrong.body).not.toContain('key-typed');
    const done = await completeFrom(form, await submit(form, { workspace: 'acme', apiKey: 'a&b=c' }));
    expect((await proxiedCall('keyed-tenant')).path).toBe('/api/acme/contacts?a=1&api_key=a%26b%3Dc');
    const again = await openForm('keyed-tenant', { connectionId: done.body.id });
    expect(again.page.body).not.toContain('name="workspace"');
    const replaced = await completeFrom(again, await submit(again, { apiKey: 'second' }));
    expect(replaced.body.id).toBe(done.body.id);
    expect((await proxiedCall('keyed-tenant')).path).toBe('/api/acme/contacts?a=1&api_key=second');
    await disconnect(done.body.id);
  });
});

describe('the form of a provider with user name and password', () => {
  it('keeps the user name after a mistake and never the password; calls go out with Basic', async () => {
    const expected = `Basic ${Buffer.from('mia@example.test:p:ä ss').toString('base64')}`;
    stage.provider.accepts = ({ headers }) => headers.authorization === expected;
    const form = await openForm('basic');
    const refused = await submit(form, { username: 'mia@example.test', password: 'not it' });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('value="mia@example.test"');
    expect(refused.body).not.toContain('not it');
    const { body } = await completeFrom(
      form,
      await submit(form, { username: 'mia@example.test', password: 'p:ä ss' }),
    );
    expect((await proxiedCall('basic')).headers.authorization).toBe(expected);
    await disconnect(body.id);
  });
});

describe('the form of an OAuth provider with an address of each customer', () => {
  const hosts = [
    'evil.example/',
    'acme@evil.example',
    'evil.example#',
    'evil.example?',
    'acme/../..',
    'acme:80',
    'acme.evil.example\\',
    'äcme',
    '-acme',
    '',
    'a'.repeat(64),
  ];

  it.each(hosts)('refuses %j without a redirect', async (subdomain) => {
    const form = await openForm('tenant');
    const page = await submit(form, { subdomain });
    expect([page.status, page.url]).toEqual([422, form.session.url]);
    expect(page.body).toContain('role="alert"');
  });

  it('comes first, then the provider’s own page at that address', async () => {
    const form = await openForm('tenant');
    expect(form.page.body).toContain('<label for="subdomain">Subdomain</label>');
    const sent = new URL((await submit(form, { subdomain: ' acme ' })).url);
    expect(sent.origin + sent.pathname).toBe('http://acme.tenants.test/authorize');
    expect(sent.searchParams.has('subdomain')).toBe(false);
    const { body } = await completeFrom(form, await stage.answer(sent, form.browser));
    expect((await proxiedCall('tenant')).path).toBe('/api/acme/contacts?a=1');
    await disconnect(body.id);
  });

  it.each(['evil.example', '169.254.169.254'])(
    'sends to no host but the provider’s own, also for %s',
    async (subdomain) => {
      const sent = new URL((await submit(await openForm('tenant'), { subdomain })).url);
      expect(sent.hostname).toBe(`${subdomain}.tenants.test`);
    },
  );

  it('is left out where the operator set the address', async () => {
    const { id } = await callApiOk(stage.gateway.url, 'POST', '/v1/integrations', {
      bearer: stage.project.apiKey,
      body: {
        serviceProvider: 'tenant',
        clientId: 'c',
        clientSecret: 's',
        scopes: [],
        variables: { subdomain: 'ours' },
      },
    });
    const session = await stage.start('mia', { provider: undefined, integrationId: id });
    expect((await stage.follow(session, stage.openBrowser())).host).toBe('ours.tenants.test');
    await callApi(stage.gateway.url, 'DELETE', `/v1/integrations/${id}`, { bearer: stage.project.apiKey });
  });

  it('shows what was typed as text, not as markup', async () => {
    const page = await submit(await openForm('tenant'), { subdomain: '"><script>alert(1)</script>' });
    expect(page.body).not.toContain('<script>alert');
  });
});

describe('the form of a provider that knows the integration’s client only (RFC 6749 4.4)', () => {
  it('asks for what the client does not tell and connects without a redirect', async () => {
    const form = await openForm('machine');
    expect(form.page.body).toContain('<label for="workspace">Workspace</label>');
    stage.provider.answerToken = () => ({ status: 401, body: { error: 'invalid_client' } });
    const refused = await submit(form, { workspace: 'acme' });
    expect([refused.status, refused.body.includes('set-up for Provider machine is not right')]).toEqual([
      422,
      true,
    ]);
    stage.provider.answerToken = () =>
      answerTokens('machine', { access_token: 'machine-access', refresh_token: undefined });
    const { body } = await completeFrom(form, await submit(form, { workspace: 'acme' }));
    const { form: sent, headers } = stage.provider.tokenCalls.at(-1) ?? {};
    expect(Object.fromEntries(sent ?? [])).toEqual({ grant_type: 'client_credentials', scope: 'read write' });
    expect(headers?.authorization).toMatch(/^Basic /);
    expect(body).toMatchObject({ accountId: 'machine', status: 'active' });
    const call = await proxiedCall('machine');
    expect([call.path, call.headers.authorization]).toEqual([
      '/api/acme/contacts?a=1',
      'Bearer machine-access',
    ]);
    await disconnect(body.id);
  });
});

describe('disconnecting a key', () => {
  it('erases it, and asks the provider nothing', async () => {
    const id = await connectBy('keyed', { apiKey: 'key-to-erase' });
    const before = stage.provider.revoked.length;
    await disconnect(id);
    expect(stage.provider.revoked).toHaveLength(before);
    expect(await stage.database.knex('connections').where({ id })).toEqual([]);
  });
});
