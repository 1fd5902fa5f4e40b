import { createServer, type Server } from 'node:http';
import { availableParallelism, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import express from 'express';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ensureChromium } from '../../../scripts/find-chromium.ts';
import { loadCatalog } from '../../../src/catalog/loading/catalog.ts';
import { createDocsRouter } from '../../../src/http/docs.router.ts';
import { createLogosRouter } from '../../../src/providers/logos.router.ts';
import { createDocumentsRouter } from '../../../src/web/documents.router.ts';
import { seriousFindings } from '../../support/axe.ts';
import { openContext, startBrowser } from '../../support/browser.ts';
import { findBrokenLinks, findOutsideRequests, readBuiltSite } from '../../support/built-site.ts';
import { closeServer, listen } from '../../support/listen.ts';
import { listPages } from '../../support/page-blocks.ts';

const SITE = resolve(import.meta.dirname, '../../../site');
const FIRST_LOAD_BYTES_MAX = 150_000;
/** What people see first, and a page of each kind. */
const KINDS = [
  '',
  '/first-hour',
  '/guides/add-a-provider',
  '/providers/hubspot',
  '/providers',
  '/api/connect',
];
const MEASURED = ['', '/guides/add-a-provider', '/providers/hubspot', '/api/connect'];
const SCORE_MIN = 95;
/** On a machine that does other work a page may load slowly once. */
const TRIES_MAX = 3;

const site = readBuiltSite();
let server: Server;
let origin: string;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  const catalog = loadCatalog({ allowPrivateNetworks: false });
  const readDocument = async () => ({ openapi: '3.1.1', info: { title: 'x', version: '1' }, paths: {} });
  const app = express().use(
    createLogosRouter({ catalog }),
    createDocsRouter({ readDocument }),
    createDocumentsRouter(),
  );
  server = createServer(app);
  origin = `http://localhost:${await listen(server)}`;
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

describe('the built site', () => {
  it('has a page for each document and each provider, all of them as Markdown too', () => {
    const catalog = loadCatalog({ allowPrivateNetworks: false });
    const expected = [
      ...listPages().map((name) => name.replace(/\.md$/, '').replace(/\/README$/, '')),
      ...catalog.list().map(({ id }) => `providers/${id}`),
    ];
    expect(expected.filter((slug) => !site.addresses.has(slug) || !site.addresses.has(`${slug}.md`))).toEqual(
      [],
    );
    expect(site.read('llms.txt')).toContain('/docs/guides/add-a-provider.md');
    expect(Buffer.byteLength(site.read('llms-full.txt'))).toBeLessThan(400_000);
  });

  it('has no link that leads nowhere, and loads nothing from elsewhere', () => {
    expect(findBrokenLinks(site)).toEqual([]);
    expect(findOutsideRequests(site)).toEqual([]);
  });

  it('leads on from Markdown to Markdown', () => {
    const broken = [...site.addresses]
      .filter((address) => address.endsWith('.md'))
      .flatMap((address) =>
        [...site.read(address).matchAll(/\]\(\/docs\/([^)#\s]+)/g)]
          .map(([, target = '']) => target)
          .filter((target) => !site.addresses.has(target) && !['errors', 'try'].includes(target))
          .map((target) => `${address} -> ${target}`),
      );
    expect([...new Set(broken)]).toEqual([]);
  });
});

describe('a page in a browser', () => {
  it.each(KINDS)('%s loads little, from the gateway alone, and keeps to its policy', async (path) => {
    const others: string[] = [];
    const faults: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) others.push(request.url());
    });
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    let bytes = 0;
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(`${origin}/docs${path}`, { waitUntil: 'networkidle' });
    expect({ others, faults }).toEqual({ others: [], faults: [] });
    expect(await context.cookies()).toEqual([]);
    expect(bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  });

  it.each(['light', 'dark'] as const)('is accessible, %s, and fits a phone', async (colorScheme) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of KINDS) {
      await page.goto(`${origin}/docs${path}`, { waitUntil: 'networkidle' });
      expect([path, await seriousFindings(page)]).toEqual([path, []]);
      const isWider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      expect([path, isWider]).toEqual([path, false]);
    }
  });

  it('finds guides before providers', async () => {
    await page.goto(`${origin}/docs/concepts`);
    await page.click('button[data-open-modal]');
    await page.fill('.pagefind-ui__search-input', 'mandate');
    await page.waitForSelector('.pagefind-ui__result-link');
    const first = await page.locator('.pagefind-ui__result-link').first().getAttribute('href');
    expect(first).toMatch(/^\/docs\/(mandates|agents|guides|api|security|proxy)/);
  });

  it('has the address of its own gateway where a provider wants it, and filters providers', async () => {
    await page.goto(`${origin}/docs/providers/hubspot`);
    await page.getByText(`${origin}/oauth/callback`, { exact: true }).first().waitFor();
    await page.goto(`${origin}/docs/providers`);
    await page.getByLabel('Find a provider').fill('hubspot');
    await page.getByText('1 found').waitFor();
    expect(await page.locator('.provider-list li:visible').count()).toBe(1);
  });
});

describe('Lighthouse', () => {
  it.each(MEASURED)(
    'gives %s at least 95 for accessibility, and for performance where the machine is not busy',
    async (path) => {
      const scores = await measureBest(`${origin}/docs${path}`);
      process.stderr.write(`Lighthouse /docs${path}: ${JSON.stringify(scores)}\n`);
      expect(scores.accessibility).toBeGreaterThanOrEqual(SCORE_MIN);
      // Lighthouse reckons with the time that scripts took, which on a busy machine is the time of others.
      if (!isBusy()) expect(scores.performance).toBeGreaterThanOrEqual(SCORE_MIN);
    },
  );
});

function isBusy(): boolean {
  const [ofLastMinute = 0] = loadavg();
  return ofLastMinute > availableParallelism();
}

type Scores = { readonly performance: number; readonly accessibility: number };

async function measureBest(url: string): Promise<Scores> {
  let best: Scores = { performance: 0, accessibility: 0 };
  for (let tries = 0; tries < TRIES_MAX && best.performance < SCORE_MIN; tries += 1) {
    const scores = await measure(url);
    if (scores.performance > best.performance) best = scores;
  }
  return best;
}

/** Lighthouse is a package of site/, and starts a Chromium of its own. */
async function measure(url: string): Promise<Scores> {
  const load = (name: string) => import(pathToFileURL(resolve(SITE, 'node_modules', name)).href);
  const [{ default: lighthouse }, { launch }] = await Promise.all([
    load('lighthouse/core/index.js'),
    load('chrome-launcher/dist/index.js'),
  ]);
  const chrome = await launch({
    chromePath: ensureChromium(),
    chromeFlags: ['--headless=new', '--no-sandbox'],
  });
  try {
    const { lhr } = await lighthouse(url, {
      port: chrome.port,
      onlyCategories: ['performance', 'accessibility'],
      logLevel: 'error',
    });
    const scoreOf = (name: string) => Math.round(lhr.categories[name].score * 100);
    return { performance: scoreOf('performance'), accessibility: scoreOf('accessibility') };
  } finally {
    await chrome.kill();
  }
}
