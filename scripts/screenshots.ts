import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { ensureDashboard } from './build-dashboard.ts';
import { ensureChromium } from './find-chromium.ts';
import { type SeededGateway, startSeededGateway } from './screenshots/seeded-gateway.ts';

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

type Shot = {
  readonly name: string;
  readonly path: string;
  /** Seen without signing in. */
  readonly isPublic?: boolean;
  /** What to do before the picture: open a dialog, type. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** The page down to its end, not the window alone; so without `act`. */
  readonly isWhole?: boolean;
};

/** Every page of the dashboard; add a line for a new one. */
function shotsOf({ projectId, ids, emptyProjectId }: SeededGateway): readonly Shot[] {
  const project = `/p/${projectId}`;
  return [
    { name: 'setup', path: '/setup#token', isPublic: true },
    { name: 'sign-in', path: '/sign-in', isPublic: true },
    { name: 'home', path: project },
    { name: 'home-first-days', path: `/p/${emptyProjectId}` },
    { name: 'integrations', path: `${project}/integrations` },
    { name: 'integrations-empty', path: `/p/${emptyProjectId}/integrations` },
    { name: 'integration-new', path: `${project}/integrations/new` },
    { name: 'integration-new-hubspot', path: `${project}/integrations/new?provider=hubspot` },
    { name: 'integration', path: `${project}/integrations/${ids.integration}` },
    { name: 'connections', path: `${project}/connections` },
    { name: 'connection', path: `${project}/connections/${ids.connection}` },
    { name: 'events', path: `${project}/events` },
    { name: 'events-event', path: `${project}/events?types=hubspot.*`, act: openFirstEntry },
    { name: 'events-empty', path: `/p/${emptyProjectId}/events/destinations` },
    { name: 'events-destinations', path: `${project}/events/destinations` },
    { name: 'events-destination', path: `${project}/events/destinations`, act: openFailing, isWhole: true },
    { name: 'events-new-destination', path: `${project}/events/destinations`, act: openNewDestination },
    { name: 'events-deliveries', path: `${project}/events/deliveries` },
    { name: 'events-delivery', path: `${project}/events/deliveries?state=failed`, act: openFirstEntry },
    { name: 'events-webhooks', path: `${project}/events/webhooks?integrationId=${ids.integration}` },
    { name: 'events-receipt', path: `${project}/events/webhooks?state=rejected`, act: openFirstEntry },
    { name: 'events-polls', path: `${project}/events/polls` },
    { name: 'events-poll', path: `${project}/events/polls`, act: openPoll, isWhole: true },
    { name: 'events-new-poll', path: `${project}/events/polls`, act: openNewPoll },
    { name: 'calls', path: `${project}/calls` },
    { name: 'console', path: `${project}/console` },
    { name: 'activity', path: `${project}/activity` },
    { name: 'activity-entry', path: `${project}/activity`, act: openFirstEntry },
    { name: 'settings', path: `${project}/settings`, act: checkAddress, isWhole: true },
    ...SETTINGS.map((section) => ({ name: `settings-${section}`, path: `${project}/settings/${section}` })),
    { name: 'settings-new-signing-key', path: `${project}/settings/signing-keys`, act: openSigningKeys },
    { name: 'settings-invite', path: `${project}/settings/members`, act: openInvitation },
    { name: 'custom-providers', path: '/providers/custom' },
    { name: 'me', path: '/me' },
    { name: 'gateway', path: '/gateway' },
    { name: 'not-found', path: `${project}/nothing` },
    { name: 'palette', path: project, act: openPalette },
    { name: 'keyboard', path: project, act: (page) => page.keyboard.press('?') },
  ];
}

const SETTINGS = ['branding', 'api-keys', 'signing-keys', 'revocations', 'users', 'members'] as const;

async function checkAddress(page: Page): Promise<void> {
  await page.getByLabel('Address of a page').fill('https://app.example.com/settings/integrations/');
}

async function openFirstEntry(page: Page): Promise<void> {
  // Above the list there may be another table, with buttons of its own.
  await page.locator('table').last().locator('tbody button').first().click();
  await page.getByRole('dialog').waitFor();
}

async function openFailing(page: Page): Promise<void> {
  await page.getByRole('link', { name: /search-index/ }).click();
  await page.getByRole('heading', { level: 1, name: /search-index/ }).waitFor();
}

async function openPoll(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'contacts' }).click();
  await page.getByRole('heading', { level: 1, name: 'contacts' }).waitFor();
}

async function openNewDestination(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create destination' }).click();
  await page.getByRole('dialog').waitFor();
}

async function openNewPoll(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create poll' }).click();
  await page.getByRole('dialog').waitFor();
}

async function openSigningKeys(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add signing key' }).click();
  await page.getByRole('dialog').waitFor();
}

async function openInvitation(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('dialog').waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill('in');
}

/**
 * `npm run screenshots [names…]`: pictures of every page, or of those whose name begins with one of the words, in light
 * and dark and at phone width, below `screenshots/`.
 */
async function takeScreenshots(wanted: readonly string[]): Promise<void> {
  await ensureDashboard();
  const seeded = await startSeededGateway();
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: ['--no-sandbox'] });
  const shots = shotsOf(seeded).filter(
    ({ name }) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)),
  );
  if (wanted.length === 0) rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  try {
    for (const look of LOOKS) await takeAll(browser, seeded, look, shots);
    console.log(`${shots.length * LOOKS.length} pictures are in ${FOLDER}`);
  } finally {
    await browser.close();
    await seeded.close();
  }
}

async function takeAll(browser: Browser, seeded: SeededGateway, look: Look, shots: readonly Shot[]) {
  const context = await browser.newContext({
    ...look.options,
    locale: 'en-GB',
    baseURL: seeded.url,
    // A dialog that still fades in is no picture.
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(`${look.name}: ${error}`));
  for (const shot of shots.filter(({ isPublic }) => isPublic)) await take(page, look, shot);
  const { email, password } = seeded.operator;
  await context.request.post('/v1/sessions', { data: { email, password }, headers: { origin: seeded.url } });
  for (const shot of shots.filter(({ isPublic }) => !isPublic)) await take(page, look, shot);
  await context.close();
}

async function take(
  page: Page,
  look: Look,
  { name, path, act, isWhole = act === undefined }: Shot,
): Promise<void> {
  // A page that differs in its fragment alone would not load again.
  await page.goto('about:blank');
  await page.goto(path);
  await page.waitForSelector('h1');
  await page.waitForLoadState('networkidle');
  if (act) {
    await act(page);
    await page.waitForLoadState('networkidle');
  }
  await page.screenshot({ path: join(FOLDER, `${name}.${look.name}.png`), fullPage: isWhole });
}

await takeScreenshots(process.argv.slice(2));
