import type { Browser, BrowserContext, Page } from 'playwright-core';
import {
  addLedger,
  agentToken,
  callLedger,
  connectUser,
  ENTRY,
  type RecordingProvider,
  startRecordingProvider,
} from '../support/approval-stage.ts';
import { openContext, startBrowser } from '../support/browser.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';

const BODY = '{"note":"<b>bold</b>\\u202E\\u0041","to":"a\u200bb","to":"c"}';

let provider: RecordingProvider;
let gateway: Gateway;
let project: Project;
let integrationId: string;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let user: string;

beforeAll(async () => {
  provider = await startRecordingProvider();
  gateway = await startGateway({ catalogDir: provider.catalogDir });
  project = await provision(gateway);
  integrationId = await addLedger(gateway, project);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  await provider?.close();
});
beforeEach(async () => {
  user = `mia-${crypto.randomUUID()}`;
  await connectUser(gateway, project, integrationId, user);
  provider.received.length = 0;
  // Everything here works without a script.
  context = await openContext(browser, { locale: 'en', javaScriptEnabled: false });
  page = await context.newPage();
});
afterEach(() => context?.close());

async function ask(body = BODY, entry: object = ENTRY, claims: Record<string, unknown> = {}) {
  const token = agentToken(project, user, [entry], claims);
  const asked = { path: '/entries?to=%E2%80%AE1&x=2', body };
  const { approvalId = '', approvalUrl = '' } = await callLedger(gateway, project, token, asked);
  const repeat = () => callLedger(gateway, project, token, { ...asked, approval: approvalId });
  return { approvalId, approvalUrl, repeat };
}

const link = async (approvalId: string, body: object = { userId: user }, bearer = project.apiKey) =>
  callApi(gateway.url, 'POST', `/v1/approvals/${approvalId}/sessions`, { bearer, body });

const stateOf = async (approvalId: string) =>
  (await callApiOk(gateway.url, 'GET', `/v1/approvals/${approvalId}`, { bearer: project.apiKey })).state;

describe('the page of an approval', () => {
  it('shows the exact call with nothing hidden, and allows it by one press', async () => {
    const act = { sub: 'helper-1', name: 'Hel\u202Eper' };
    const { approvalId, repeat } = await ask(BODY, ENTRY, { act, client_id: 'desk' });
    const made = await link(approvalId);
    expect(made.status).toBe(201);
    await page.goto(made.body.url);
    // The link's token is gone from the address.
    expect(page.url()).toBe(`${gateway.url}/approvals/${approvalId}`);
    const text = await page.innerText('main');
    for (const part of [
      'Allow this call to ledger?',
      'POST',
      '/entries',
      '?to=%E2%80%AE1&x=2',
      '⟨U+202E⟩1',
      'Hel⟨U+202E⟩per (helper-1)',
      'Client: desk',
      'application/json',
      '"note": "<b>bold</b>⟨U+202E⟩A"',
      '"to": "a⟨U+200B⟩b",',
      '"to": "c"',
    ])
      expect(text).toContain(part);
    expect(await page.locator('main b').count()).toBe(0);
    await page.getByText('As it is sent').click();
    expect(await page.getByLabel('As it is sent').innerText()).toBe(BODY.replace('\u200b', '⟨U+200B⟩'));
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('heading', { name: 'Allowed' }).waitFor();
    expect((await repeat()).status).toBe(200);
    expect(provider.received).toHaveLength(1);
    await page.reload();
    await page.getByRole('heading', { name: 'Sent' }).waitFor();
  });

  it('refuses by keyboard, and no press comes first by chance', async () => {
    const { approvalId, repeat } = await ask();
    await page.goto((await link(approvalId)).body.url);
    const order: string[] = [];
    for (let index = 0; index < 20 && order.at(-1) !== 'Allow'; index += 1) {
      await page.keyboard.press('Tab');
      order.push((await page.locator(':focus').innerText()).trim());
    }
    expect(order.slice(-2)).toEqual(['Do not allow', 'Allow']);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
    expect((await repeat()).code).toBe('approval_rejected');
    expect(provider.received).toEqual([]);
  });

  it('says so where later calls will not be asked about', async () => {
    const { approvalId } = await ask(BODY, { ...ENTRY, approval: 'once', paths: ['/entries/**'] });
    await page.goto((await link(approvalId)).body.url);
    expect(await page.innerText('main')).toContain('further calls of this kind without asking');
    expect(await page.innerText('main')).toContain('/entries/**');
  });

  it.each([
    ['de', 'Diesen Aufruf bei ledger erlauben?', 'Nicht erlauben'],
    ['es', '¿Permitir esta llamada a ledger?', 'No permitir'],
  ])('speaks %s', async (locale, title, button) => {
    const { approvalId } = await ask();
    await page.goto((await link(approvalId, { userId: user, locale })).body.url);
    await page.getByRole('heading', { name: title }).waitFor();
    expect(await page.getByRole('button', { name: button, exact: true }).count()).toBe(1);
    expect(await page.locator('html').getAttribute('lang')).toBe(locale);
  });
});

describe('who may open it', () => {
  it('is nobody by the address that the agent has: it says where to go and nothing of the call', async () => {
    const { approvalUrl } = await ask('{"secret":"value"}');
    await page.goto(approvalUrl);
    await page.getByRole('heading', { name: 'Sign in to decide' }).waitFor();
    expect(await page.content()).not.toContain('secret');
    expect(await page.locator('form').count()).toBe(0);
    const known = await page.innerText('main');
    await page.goto(`${gateway.url}/approvals/${crypto.randomUUID()}`);
    expect(await page.innerText('main')).toBe(known);
  });

  it('is sent on to the page of the application where the project names one', async () => {
    const bearer = project.personalAccessToken;
    const path = `/v1/projects/${project.id}`;
    const approvalPage = 'https://app.example.com/approve?from=gateway';
    await callApiOk(gateway.url, 'PATCH', path, { bearer, body: { approvalPage } });
    const { approvalId, approvalUrl } = await ask();
    await page.goto(approvalUrl);
    const way = page.getByRole('link', { name: 'Continue in the application' });
    expect(await way.getAttribute('href')).toBe(`${approvalPage}&approval=${approvalId}`);
    await callApiOk(gateway.url, 'PATCH', path, { bearer, body: { approvalPage: null } });
  });

  it('is one browser, which the application has sent there', async () => {
    const { approvalId } = await ask();
    const { url } = (await link(approvalId)).body;
    await page.goto(url);
    await page.goto(url);
    await page.getByRole('heading', { name: 'Allow this call to ledger?' }).waitFor();
    const other = await openContext(browser, { locale: 'en' });
    const otherPage = await other.newPage();
    for (const address of [url, page.url()]) {
      await otherPage.goto(address);
      expect(await otherPage.locator('form').count()).toBe(0);
    }
    await other.close();
    expect(await stateOf(approvalId)).toBe('pending');
  });

  it('is the user for whom the call is made, as the application says', async () => {
    const { approvalId } = await ask();
    const refused = await link(approvalId, { userId: 'noah' });
    expect([refused.status, refused.body.code]).toEqual([404, 'approval_not_found']);
    expect((await link(approvalId, {})).status).toBe(400);
    expect((await link(approvalId, {}, project.userToken('noah'))).status).toBe(404);
    expect((await link(approvalId, {}, project.userToken(user))).status).toBe(201);
  });

  it('is nobody whose tokens were revoked while the page was open', async () => {
    const { approvalId } = await ask();
    await page.goto((await link(approvalId)).body.url);
    await callApiOk(gateway.url, 'POST', `/v1/projects/${project.id}/revocations`, {
      bearer: project.apiKey,
      body: { userId: user },
    });
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in to decide' }).waitFor();
    expect(await stateOf(approvalId)).toBe('pending');
    await page.goto((await link(approvalId)).body.url);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('heading', { name: 'Allowed' }).waitFor();
    expect(await stateOf(approvalId)).toBe('approved');
  });

  it('is nobody with the cookie alone: a form of another site is refused', async () => {
    const { approvalId } = await ask();
    await page.goto((await link(approvalId)).body.url);
    const cookies = await context.cookies();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const formToken = await page.locator('input[name=formToken]').getAttribute('value');
    const send = (fields: Record<string, string>, headers: Record<string, string>) =>
      fetch(page.url(), {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, ...headers },
        body: new URLSearchParams(fields),
      });
    const decision = 'approved';
    expect((await send({ decision }, {})).status).toBe(403);
    expect((await send({ decision, formToken: 'x'.repeat(43) }, {})).status).toBe(403);
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    expect((await send({ decision, formToken: formToken ?? '' }, crossSite)).status).toBe(403);
    expect(await stateOf(approvalId)).toBe('pending');
    expect((await send({ decision, formToken: formToken ?? '' }, {})).status).toBe(303);
    expect(await stateOf(approvalId)).toBe('approved');
  });
});

it('its log lines hold neither the link nor what was asked', async () => {
  const { approvalId } = await ask('{"secret":"of-the-call"}');
  const { url } = (await link(approvalId)).body;
  await page.goto(url);
  expect(gateway.logs()).not.toContain(url.split('/').at(-1));
  expect(gateway.logs()).not.toContain('of-the-call');
});
