import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { ensureDashboard } from './build-dashboard.ts';
import { ensureChromium } from './find-chromium.ts';
import { type SeededGateway, startSeededGateway } from './screenshots/seeded-gateway.ts';
import { listShots, type Shot } from './screenshots/shots.ts';

const FOLDER = resolve(import.meta.dirname, '../screenshots');

type Look = { readonly name: string; readonly options: BrowserContextOptions };

const LOOKS: readonly Look[] = [
  { name: 'light', options: { viewport: { width: 1280, height: 860 }, colorScheme: 'light' } },
  { name: 'dark', options: { viewport: { width: 1280, height: 860 }, colorScheme: 'dark' } },
  {
    name: 'phone',
    options: { viewport: { width: 390, height: 844 }, colorScheme: 'light', isMobile: true, hasTouch: true },
  },
];

/**
 * `npm run screenshots [names…]`: pictures of every page, or of those whose name begins with one of the words, in light
 * and dark and at phone width, below `screenshots/`.
 */
async function takeScreenshots(wanted: readonly string[]): Promise<void> {
  await ensureDashboard();
  const seeded = await startSeededGateway();
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: ['--no-sandbox'] });
  try {
    const window = await browser.newPage();
    const shots = listShots(seeded, await seeded.providers.connectSite(window)).filter(
      ({ name }) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)),
    );
    await window.close();
    if (wanted.length === 0) rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    for (const look of LOOKS) {
      for (const [locale, those] of Map.groupBy(shots, ({ locale = 'en-GB' }) => locale))
        await takeAll(browser, seeded, { ...look, options: { ...look.options, locale } }, those);
    }
    console.log(`${shots.length * LOOKS.length} pictures are in ${FOLDER}`);
  } finally {
    await browser.close();
    await seeded.close();
  }
}

async function takeAll(browser: Browser, seeded: SeededGateway, look: Look, shots: readonly Shot[]) {
  const context = await browser.newContext({
    ...look.options,
    baseURL: seeded.url,
    // A dialog that still fades in is no picture.
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on('pageerror', (error) => console.error(`${look.name}: ${error}`));
  for (const shot of shots.filter(({ isPublic }) => isPublic)) await tryToTake(page, look, shot);
  const { email, password } = seeded.operator;
  await context.request.post('/v1/sessions', { data: { email, password }, headers: { origin: seeded.url } });
  for (const shot of shots.filter(({ isPublic }) => !isPublic)) await tryToTake(page, look, shot);
  await context.close();
}

/** A page that changed its words costs its own picture, not those of all the others. */
async function tryToTake(page: Page, look: Look, shot: Shot): Promise<void> {
  try {
    await take(page, look, shot);
  } catch (error) {
    console.error(`${shot.name}.${look.name} is missing: ${error}`);
    process.exitCode = 1;
  }
}

async function take(
  page: Page,
  look: Look,
  { name, path, act, isWhole = act === undefined }: Shot,
): Promise<void> {
  // A page that differs in its fragment alone would not load again.
  await page.goto('about:blank');
  await page.goto(typeof path === 'string' ? path : await path());
  await page.waitForSelector('h1');
  await page.waitForLoadState('networkidle');
  if (act) {
    await act(page);
    await page.waitForLoadState('networkidle');
  }
  await page.screenshot({ path: join(FOLDER, `${name}.${look.name}.png`), fullPage: isWhole });
}

await takeScreenshots(process.argv.slice(2));
