import type { Browser, Page } from 'playwright-core';
import { findingsInBothSchemes, seriousFindings } from '../support/axe.ts';
import { openContext, openPage, startBrowser } from '../support/browser.ts';
import { buildDashboard } from '../support/dashboard.ts';
import { callApiOk, OPERATOR } from '../support/gateway.ts';
import { readOutcome } from '../support/stage.ts';
import { type ConnectingStage, startConnectingStage } from './connecting-stage.ts';

const NAMES = ['Aalborg', 'Bergen', 'Córdoba', 'Durban', 'Espoo', 'Fukuoka', 'Göteborg', 'Hobart'];

let stage: ConnectingStage;
let browser: Browser;

beforeAll(async () => {
  buildDashboard();
  [stage, browser] = await Promise.all([startConnectingStage(['sites']), startBrowser()]);
  const list = NAMES.map((title, index) => ({
    id: `site-${index}`,
    title,
    scopes: ['read:things'],
    place: { address: `https://${index}.example` },
  }));
  stage.provider.answerApi = ({ path }) => (path.startsWith('/sites') ? { body: { list } } : undefined);
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

/** Opens the link, agrees at the provider, and comes back to the page that asks. */
async function openChoice(page: Page, userId: string) {
  const session = await stage.start(userId, { provider: 'sites' });
  await page.goto(session.url);
  await page.goto(stage.callbackUrl(new URL(page.url()), { code: 'the-code' }));
  await page.getByRole('heading', { name: 'Choose a site' }).waitFor();
  return session;
}

describe('the page that asks for a tenant', () => {
  it('is worked by keyboard, follows every key of a search, and is accessible in light and dark', async () => {
    // Colours on their way from one scheme to the other have no contrast to speak of.
    const page = await openPage(browser, { reducedMotion: 'reduce' });
    const session = await openChoice(page, 'mia');
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
    }
    const entries = page.getByRole('listitem').getByRole('button');
    expect(await entries.count()).toBe(NAMES.length);
    await page.keyboard.press('Tab');
    await page.keyboard.type('cordoba');
    await page.getByText('1 entry').waitFor();
    expect(await entries.allInnerTexts()).toEqual([expect.stringContaining('Córdoba')]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Almost done' }).waitFor();
    const { message } = readOutcome({
      url: page.url(),
      status: 200,
      body: await page.content(),
      headers: new Headers(),
    });
    const done = await stage.complete(session.id, message.completionCode, stage.project.userToken('mia'));
    expect(done.body).toMatchObject({ tenantId: 'site-2', tenantName: 'Córdoba' });
    await page.close();
  });

  it('needs no script, on a telephone', async () => {
    const context = await openContext(browser, {
      javaScriptEnabled: false,
      viewport: { width: 360, height: 640 },
    });
    const page = await context.newPage();
    await openChoice(page, 'noor');
    await page.getByRole('searchbox').fill('hobart');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('button', { name: 'Hobart' }).click();
    await page.getByRole('heading', { name: 'Almost done' }).waitFor();
    await context.close();
  });
});

it('the dashboard shows the tenant of a connection, and moves it to another one', async () => {
  const [connection] = await stage.connectionsOf('mia');
  const { url } = stage.gateway;
  const context = await openContext(browser, { locale: 'en-GB', baseURL: url });
  await context.request.post('/v1/sessions', { data: OPERATOR, headers: { origin: url } });
  const page = await context.newPage();
  await page.goto(`/p/${stage.project.id}/connections/${connection?.id}`);
  await page
    .getByRole('definition')
    .filter({ hasText: 'Córdoba' })
    .getByRole('button', { name: 'Change' })
    .click();
  const dialog = page.getByRole('dialog', { name: 'Change the site' });
  await dialog.getByRole('radio', { name: 'Córdoba', checked: true }).waitFor();
  expect(await findingsInBothSchemes(page)).toEqual([]);
  await dialog.getByRole('searchbox').fill('9999');
  await dialog.getByText('0 entries').waitFor();
  await dialog.getByRole('searchbox').fill('gö');
  await dialog.getByRole('radio', { name: 'Göteborg' }).check();
  await dialog.getByRole('button', { name: 'Use this one' }).click();
  await page.getByRole('definition').filter({ hasText: 'Göteborg' }).waitFor();
  await page.getByText('Moved to another site or account').last().waitFor();
  const moved = await callApiOk(url, 'GET', `/v1/connections/${connection?.id}`, {
    bearer: stage.project.apiKey,
  });
  expect(moved).toMatchObject({ tenantId: 'site-6', tenantName: 'Göteborg' });
  await context.close();
});
