import { createServer, type Server } from 'node:http';
import express from 'express';
import type { Browser } from 'playwright-core';
import { logoPath } from '../../src/catalog/loading/logos.ts';
import { renderLogo } from '../../src/connect/pages/logo.ts';
import { html, sendPage } from '../../src/http/html.ts';
import { createLogosRouter } from '../../src/providers/logos.router.ts';
import { openPage, startBrowser } from '../support/browser.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { closeServer, listen } from '../support/listen.ts';

const SHOWN = ['hubspot', 'salesforce', 'custom:acme'];
let browser: Browser;
let server: Server;
let origin: string;

beforeAll(async () => {
  const app = express()
    .use(createLogosRouter({ catalog: builtInCatalog }))
    .get('/connect/page', (_request, response) =>
      sendPage(response, {
        status: 200,
        title: 'Logos',
        body: () => html`<h1>Logos</h1>${SHOWN.map((id) => renderLogo(logoPath(id)))}`,
      }),
    );
  server = createServer(app);
  origin = `http://127.0.0.1:${await listen(server)}`;
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await closeServer(server);
});

it('logos are drawn on hosted pages, whose policy lets pictures of the gateway in', async () => {
  const page = await openPage(browser);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await page.goto(`${origin}/connect/page`, { waitUntil: 'load' });
  const sizes = await page
    .locator('img.logo')
    .evaluateAll((images) =>
      images.map((image) => image instanceof HTMLImageElement && [image.complete, image.naturalWidth]),
    );
  expect(sizes).toEqual(SHOWN.map(() => [true, 40]));
  expect(complaints).toEqual([]);
});

it('a logo opened by itself is a picture that can run nothing', async () => {
  const page = await openPage(browser);
  await page.goto(`${origin}/logos/salesforce.svg`);
  expect(await page.evaluate(() => document.documentElement.localName)).toBe('svg');
  expect(await page.evaluate(() => self.origin)).toBe('null');
  await page.evaluate(() => {
    const script = document.createElementNS('http://www.w3.org/2000/svg', 'script');
    script.textContent = 'document.documentElement.setAttribute("data-ran", "yes")';
    document.documentElement.append(script);
  });
  expect(await page.evaluate(() => document.documentElement.hasAttribute('data-ran'))).toBe(false);
});
