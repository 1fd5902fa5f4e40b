import type { Page } from 'playwright-core';
import { settled } from '../support/dashboard.ts';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';
import { until } from '../support/until.ts';

/** Before signing in there is no search field; `/` leads on. */
const WITHOUT_PALETTE = /^\/(sign-in|setup|invitation|reset-password)?$/;
const LANGUAGES = ['en', 'de', 'es'] as const;

let stage: DashboardStage;

beforeAll(async () => {
  stage = await startDashboardStage();
  await stage.call('POST', '/v1/integrations', {
    ...{ projectId: stage.project.id, serviceProvider: 'hubspot', clientId: 'client-4711' },
    ...{ clientSecret: 'secret-1', scopes: ['crm.objects.contacts.read'] },
  });
});
afterAll(() => stage?.close());

const field = (page: Page) => page.getByRole('dialog').getByRole('combobox');
const options = (page: Page) => page.locator('#palette-list').getByRole('option');

async function openPalette(page: Page) {
  await page.keyboard.press('Control+k');
  await field(page).waitFor();
  await options(page).first().waitFor();
}

async function listAddresses(page: Page): Promise<string[]> {
  const all = await options(page).evaluateAll((found) =>
    found.map((one) => one.getAttribute('data-address')),
  );
  return all.filter((address) => address !== null);
}

describe('the search field', () => {
  it('lists every page that the router knows, and every section of settings and events', async () => {
    const page = await stage.openAs('owner');
    await settled(page, () => page.goto(`/p/${stage.project.id}/settings`));
    const routes: string[] = await page.evaluate('Object.keys(__TSR_ROUTER__.routesByPath)');
    const plain = routes
      .map((route) => route.replace('$projectId', stage.project.id))
      // A detail page is found by the thing that it shows.
      .filter((route) => !route.includes('$') && !WITHOUT_PALETTE.test(route))
      .map((route) => route.replace(/\/$/, ''));
    const sectionsOf = (name: string) =>
      page
        .getByRole('navigation', { name })
        .getByRole('link')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    const settings = await sectionsOf('Settings');
    await settled(page, () => page.goto(`/p/${stage.project.id}/events`));
    const events = await sectionsOf('Events');
    await openPalette(page);
    const listed = await listAddresses(page);
    expect(plain.length).toBeGreaterThan(10);
    expect(settings.length).toBeGreaterThan(5);
    expect(events.length).toBeGreaterThan(3);
    expect([...plain, ...settings, ...events].filter((address) => !listed.includes(address))).toEqual([]);
  });

  it('finds what the sections of one’s own page and of the gateway’s are about, by their headings', async () => {
    const page = await stage.openAs('owner');
    for (const address of ['/me', '/gateway']) {
      await settled(page, () => page.goto(address));
      const headings = await page.locator('main h2').allInnerTexts();
      expect(headings.length).toBeGreaterThan(2);
      for (const heading of headings) {
        await openPalette(page);
        await field(page).fill(heading);
        expect({ heading, found: await listAddresses(page) }).toMatchObject({
          found: expect.arrayContaining([address]),
        });
        await page.keyboard.press('Escape');
        await field(page).waitFor({ state: 'detached' });
      }
    }
  });

  it.each(LANGUAGES)(
    'finds pages and actions by the words of the trade, at once, in %s',
    async (language) => {
      const words = [
        ...['api keys', 'members', 'invite', 'branding', 'signing', 'allowed origins', 'activity', 'audit'],
        ...['destinations', 'polls', 'custom provider', 'sign out', 'console', 'users', 'revocations'],
        ...['project settings', 'language', 'theme', 'create integration'],
      ];
      const page = await stage.openAs('owner', { locale: language });
      await page.route('**/v1/search*', () => {
        // Never answered: nothing may wait for it.
      });
      await settled(page, () => page.goto(`/p/${stage.project.id}`));
      await openPalette(page);
      for (const word of words) {
        await field(page).fill(word);
        expect({ word, found: await options(page).count() }).not.toEqual({ word, found: 0 });
        expect(await page.getByText('“').count()).toBe(0);
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    },
  );

  it.each([0, 40, 80])(
    'takes what is typed right after the shortcut, %d ms from key to key',
    async (delay) => {
      const page = await stage.openAs('owner', { viewport: { width: 1280, height: 800 + delay } });
      await settled(page, () => page.goto(`/p/${stage.project.id}/connections`));
      for (const shortcut of ['/', 'Control+k', '/']) {
        await page.keyboard.press(shortcut);
        await page.keyboard.type('user-777?/gc', { delay });
        await field(page).waitFor();
        await until(() => field(page).evaluate((input) => input === document.activeElement));
        expect(await field(page).inputValue()).toBe('user-777?/gc');
        await page.keyboard.type('!');
        expect(await field(page).inputValue()).toBe('user-777?/gc!');
        await page.keyboard.press('Escape');
        await field(page).waitFor({ state: 'detached' });
      }
      await page.close();
    },
  );

  it('says that nothing is found only when it has looked, and that a search failed where it did', async () => {
    const page = await stage.openAs('owner');
    await settled(page, () => page.goto(`/p/${stage.project.id}`));
    await openPalette(page);
    const status = page.getByRole('dialog').getByRole('status');
    let answer: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/v1/search*', async (route) => {
      await held;
      await route.continue();
    });
    await field(page).fill('qqqqzz');
    expect(await status.innerText()).toBe('Searching');
    answer?.();
    await page.getByText('Nothing found for “qqqqzz”.').waitFor();
    await page.unrouteAll();
    await page.route('**/v1/search*', (route) => route.fulfill({ status: 500, body: '' }));
    await field(page).fill('qqqqyy');
    await page.getByText('The search failed.').waitFor();
    await page.unrouteAll();
  });

  it.each([
    ['hubsopt', 'HubSpot'],
    ['gsheets', 'Google Sheets'],
    ['ms teams', 'Microsoft Teams'],
  ])('forgives as much as the catalog: %s', async (typed, name) => {
    const page = await stage.openAs('owner');
    await settled(page, () => page.goto(`/p/${stage.project.id}`));
    await openPalette(page);
    await field(page).fill(typed);
    await options(page).filter({ hasText: name }).filter({ hasText: 'Provider' }).first().waitFor();
  });

  it('shows an integration by its provider’s name and logo', async () => {
    const page = await stage.openAs('owner');
    await settled(page, () => page.goto(`/p/${stage.project.id}`));
    await openPalette(page);
    await field(page).fill('hubspot');
    const integration = options(page).filter({ hasText: 'client-4711' });
    await integration.waitFor();
    expect(await integration.innerText()).toMatch(/^HubSpot/);
    expect(await integration.locator('img').count()).toBe(1);
    expect(stage.takeFaults()).toEqual([]);
  });
});
