import type { Browser, BrowserContext, Page } from 'playwright-core';

import { startBrowser } from '../support/browser.ts';
import { buildDashboard } from '../support/dashboard.ts';
import { type Gateway, OPERATOR, SETUP_TOKEN, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What the browser refused or a page threw: none may be left at the end of a test. */
const faults: string[] = [];

beforeAll(async () => {
  buildDashboard();
  [gateway, browser] = await Promise.all([startGateway(), startBrowser()]);
  context = await browser.newContext({ locale: 'en-GB', baseURL: gateway.url });
  page = await context.newPage();
  page.setDefaultTimeout(8_000);
  page.on('console', (message) => {
    if (/Content.Security|TrustedHTML|Trusted/i.test(message.text())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
});

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

afterEach(() => expect(faults.splice(0)).toEqual([]));

describe('the frame of the dashboard', () => {
  it('sets the gateway up by the printed link and goes to Home, with the token gone from the address', async () => {
    await page.goto(`/setup#${SETUP_TOKEN}`);
    await page.getByLabel('E-mail').fill(OPERATOR.email);
    await page.getByLabel('Password', { exact: true }).fill(OPERATOR.password);
    expect(page.url()).toBe(`${gateway.url}/setup`);
    await page.getByRole('button', { name: 'Create owner and project' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    expect(page.url()).toMatch(/\/p\/[0-9a-f-]{36}$/);
  });
});
