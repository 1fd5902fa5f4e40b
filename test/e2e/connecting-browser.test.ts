import type { Browser, BrowserContext, Page } from 'playwright-core';
import { hostsAt, openContext, startBrowser } from '../support/browser.ts';
import { callApiOk } from '../support/gateway.ts';
import { APP_ORIGIN } from '../support/stage.ts';
import { type ConnectingStage, startConnectingStage } from './connecting-stage.ts';

let stage: ConnectingStage;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let returnUrl: string;

beforeAll(async () => {
  stage = await startConnectingStage(['scripted', 'keyed', 'tenant']);
  browser = await startBrowser([hostsAt('*.tenants.test', stage.provider.url)]);
  returnUrl = `${stage.provider.url}/back`;
  await callApiOk(stage.gateway.url, 'PATCH', `/v1/projects/${stage.project.id}`, {
    bearer: stage.project.personalAccessToken,
    body: { returnUrls: [returnUrl] },
  });
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});
beforeEach(async () => {
  context = await openContext(browser, { javaScriptEnabled: false });
  page = await context.newPage();
});
afterEach(() => context.close());

/** A session for which the user has yet to choose what to connect. */
const startOpen = (body: object = {}) =>
  callApiOk(stage.gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: stage.project.userToken('mia'),
    headers: { origin: APP_ORIGIN },
    body,
  });

// Browsers hold every redirect after a form to the page's form-action, which no client without a browser notices.
describe('a browser without JavaScript', () => {
  it('gets from the page with all services to a provider’s own page', async () => {
    await page.goto((await startOpen()).url);
    await page.click('button:has-text("Provider scripted")');
    await page.waitForURL(`${stage.provider.url}/authorize?**`);
  });

  it('gets from the page with all services by the form of the chosen one to a provider’s own page', async () => {
    await page.goto((await startOpen()).url);
    await page.click('button:has-text("Provider tenant")');
    await page.fill('#subdomain', 'acme');
    await page.click('button[type=submit]');
    await page.waitForURL('http://acme.tenants.test/authorize?**');
  });

  it('gets from the form for an API key back to the application’s return URL, with the code in the fragment', async () => {
    await page.goto((await startOpen({ returnUrl })).url);
    await page.click('button:has-text("Provider keyed")');
    await page.fill('#apiKey', 'key-good');
    await page.click('button[type=submit]');
    await page.waitForURL(
      new RegExp(`^${returnUrl}#connect_session=[0-9a-f-]{36}&completion_code=[\\w-]{43}$`),
    );
  });

  it('is told what is wrong with a key, and that it is done', async () => {
    await page.goto((await stage.start('mia', { provider: 'keyed' })).url);
    stage.provider.accepts = ({ headers }) => headers['x-api-key'] === 'Key key-good';
    await page.fill('#apiKey', 'key-wrong');
    await page.click('button[type=submit]');
    await page.getByText('does not accept these credentials').waitFor();
    expect(await page.inputValue('#apiKey')).toBe('');
    await page.fill('#apiKey', 'key-good');
    await page.click('button[type=submit]');
    await page.getByRole('heading', { name: 'Almost done' }).waitFor();
  });
});
