import type { Page } from 'playwright-core';
import { replaceBuilds } from '../support/dashboard-builds.ts';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';

let stage: DashboardStage;
beforeAll(async () => {
  stage = await startDashboardStage();
});
afterAll(() => stage?.close());
afterEach(() => expect(stage.takeFaults()).toEqual([]));

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const navigation = (page: Page) => page.getByRole('navigation', { name: 'Main' });

async function openHome(options: Parameters<DashboardStage['openAs']>[1]): Promise<Page> {
  const page = await stage.openAs('owner', options);
  await page.goto(`/p/${stage.project.id}`);
  await heading(page, 'Home').waitFor();
  await page.waitForLoadState('load');
  return page;
}

/** How often the page was loaded as a document since it was asked last. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  return () => loads;
}

describe('a page whose script cannot be had', () => {
  it('leaves the frame as it is without a network, and comes by itself with it', async () => {
    const page = await openHome({ colorScheme: 'light' });
    const loads = countLoads(page);
    await page.context().setOffline(true);
    // A script that fails before the browser says that it is offline stays failed, until the page is loaded again.
    await page.waitForFunction('!navigator.onLine');
    await navigation(page).getByRole('link', { name: 'Connections' }).click();
    await page.getByText('You are offline.', { exact: false }).waitFor();
    await navigation(page).waitFor();
    await page.getByRole('button', { name: 'Search or go to' }).waitFor();
    expect(await page.getByText('This page has a fault').count()).toBe(0);
    await page.context().setOffline(false);
    await page.getByText('The gateway answers again.').waitFor();
    await heading(page, 'Connections').waitFor();
    expect(loads()).toBe(0);
    await page.close();
  });

  it('does so too where a proxy lost one file, also a style sheet', async () => {
    const page = await openHome({ colorScheme: 'dark' });
    const lost = ({ pathname }: URL) => /\/assets\/(calls-page|calls)-/.test(pathname);
    await page.route(lost, (route) => route.fulfill({ status: 404 }));
    await navigation(page).getByRole('link', { name: 'Calls' }).click();
    await page.getByText('A part of this page could not be loaded.', { exact: false }).waitFor();
    await navigation(page).waitFor();
    await page.unroute(lost);
    await heading(page, 'Calls').waitFor();
    const isStyled =
      "[...document.querySelectorAll('link[rel=stylesheet]')].every(({ sheet }) => sheet !== null)";
    expect(await page.evaluate(isStyled)).toBe(true);
    await page.close();
  });

  it('says so where the first page has none yet, and comes by itself', async () => {
    const page = await stage.openAs('owner', { locale: 'de-DE' });
    const lost = ({ pathname }: URL) => pathname.startsWith('/assets/index-');
    await page.route(lost, (route) => route.abort());
    await page.goto('/me');
    await page.getByText('Das Dashboard konnte noch nicht geladen werden.', { exact: false }).waitFor();
    await page.unroute(lost);
    await heading(page, 'Profil und Sicherheit').waitFor();
    await page.close();
  });

  it('is loaded again, once, where the gateway was upgraded under an open tab', async () => {
    const page = await openHome({ locale: 'en-US' });
    (await replaceBuilds(page.context()))();
    const loads = countLoads(page);
    await navigation(page).getByRole('link', { name: 'Connections' }).click();
    await heading(page, 'Connections').waitFor();
    await navigation(page).getByRole('link', { name: 'Calls' }).click();
    await heading(page, 'Calls').waitFor();
    expect(loads()).toBe(1);
    await page.close();
  });

  it('waits with that while something typed would be lost, and never loads itself twice for one build', async () => {
    const page = await openHome({ locale: 'en-IE' });
    await page.goto(`/p/${stage.project.id}/settings/api-keys`);
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('backend');
    (await replaceBuilds(page.context()))();
    const loads = countLoads(page);
    await page.getByRole('dialog').getByLabel('Name').press('Control+k');
    await page.getByText('The gateway was upgraded.', { exact: false }).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('backend');
    expect(loads()).toBe(0);
    await page.close();
  });
});
