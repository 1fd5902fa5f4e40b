import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createDocsRouter } from '../../src/http/docs.router.ts';
import { seriousFindings } from '../support/axe.ts';
import { openContext, startBrowser } from '../support/browser.ts';
import { closeServer, listen } from '../support/listen.ts';
import { createTestApp } from './support.ts';

const DOCUMENT = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));

/** One operation of each method: the page looks the same for more of them, and is slow to check. */
const PATHS = ['/providers', '/user-tokens', '/personal-access-tokens/{id}', '/connections/{id}'];

let server: Server;
let port: number;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  server = createServer();
  port = await listen(server);
  const paths = Object.fromEntries(PATHS.map((path) => [path, DOCUMENT.paths[path]]));
  const document = { ...DOCUMENT, paths, servers: [{ url: `http://localhost:${port}/v1` }] };
  server.on('request', createTestApp([], {}, createDocsRouter({ readDocument: async () => document })).app);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await closeServer(server);
});

beforeEach(async () => {
  context = await openContext(browser);
  page = await context.newPage();
});

afterEach(() => context.close());

it('tries operations at the address where it was opened, not at the published one', async () => {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && message.text().includes('Content Security Policy'))
      faults.push(message.text());
  });
  await page.goto(`http://127.0.0.1:${port}/docs/try`);
  await page.click('#operations-Catalog-listProviders .opblock-summary-control');
  await page.click('#operations-Catalog-listProviders .try-out__btn');
  const asked = page.waitForRequest(/\/v1\/providers/);
  await page.click('#operations-Catalog-listProviders .execute');
  expect(new URL((await asked).url()).host).toBe(`127.0.0.1:${port}`);
  await page.waitForSelector('#operations-Catalog-listProviders .live-responses-table');
  expect(faults).toEqual([]);
});

it('is accessible, and takes each credential in a field of its own, the first one first', async () => {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(`http://localhost:${port}/docs/try`);
  const mint = '#operations-Projects-createUserToken';
  await page.click(`${mint} .opblock-summary-control`);
  await page.waitForSelector(`${mint} .opblock-body`);
  await expectAccessible();

  await page.click('.auth-wrapper .authorize');
  const fields = await page.evaluate<{ id: string; label: string | undefined; isFocused: boolean }[]>(
    `[...document.querySelectorAll('.modal-ux input')].map((input) => ({
      id: input.id,
      label: input.labels[0]?.textContent,
      isFocused: input === document.activeElement,
    }))`,
  );
  expect(fields).toEqual([
    { id: 'auth-operatorToken', label: 'operatorToken', isFocused: true },
    { id: 'auth-apiKey', label: 'apiKey', isFocused: false },
    { id: 'auth-userToken', label: 'userToken', isFocused: false },
  ]);
  await expectAccessible();

  await page.fill('#auth-apiKey', 'igk_entered');
  await page.click('.modal-ux .auth-container >> nth=1 >> .authorize');
  await page.keyboard.press('Escape');
  await page.click(`${mint} .try-out__btn`);
  const asked = page.waitForRequest(/\/v1\/user-tokens/);
  await page.click(`${mint} .execute`);
  expect((await asked).headers().authorization).toBe('Bearer igk_entered');
  await page.waitForSelector(`${mint} .live-responses-table`);
  await expectAccessible(['light', 'dark']);
});

/** With no id twice, and whatever the colour scheme. */
async function expectAccessible(colorSchemes: readonly ('light' | 'dark')[] = ['light']): Promise<void> {
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme });
    // The page's script follows the scheme one frame later.
    await page.waitForSelector(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)');
    const scope = colorScheme === 'light' ? 'all' : 'colors';
    expect([colorScheme, await seriousFindings(page, scope)]).toEqual([colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  const ids = await page.evaluate<string[]>("[...document.querySelectorAll('[id]')].map(({ id }) => id)");
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
}
