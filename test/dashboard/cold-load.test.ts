import pg from 'pg';
import type { Page } from 'playwright-core';
import { newId } from '../../src/lib/ids.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { POPULAR_PROVIDERS } from '../../src/providers/popular-providers.ts';
import { settled } from '../support/dashboard.ts';
import { type DashboardStage, startDashboardStage } from '../support/dashboard-stage.ts';
import { until } from '../support/until.ts';

const API_REQUESTS_MAX = 8;
const FILES_MAX = 30;
const CATALOG_BYTES_MAX = 60_000;
const CATALOG_NODES_MAX = 1_500;
const CATALOG_SIZE_MIN = 1_000;
const USED = ['hubspot', 'salesforce', 'slack', 'github', 'notion', 'linear'];

let stage: DashboardStage;

beforeAll(async () => {
  stage = await startDashboardStage();
  const client = { clientId: 'client-1', clientSecret: 'secret-1', scopes: ['read'] };
  for (const serviceProvider of USED)
    await stage.call('POST', '/v1/integrations', { projectId: stage.project.id, serviceProvider, ...client });
  await insertCall();
});
afterEach(async () => {
  // A page behind another one draws nothing.
  for (const context of stage.browser.contexts()) for (const page of context.pages()) await page.close();
});
afterAll(() => stage?.close());

/** A call for a user of the application, after which Home has no first steps any more. */
async function insertCall() {
  const client = new pg.Client(connectionSettings(stage.gateway.databaseUrl ?? ''));
  await client.connect();
  await client.query(
    `INSERT INTO recent_calls (request_id, project_id, is_sample, at, method, path, provider, subject, status,
       origin, attempts, duration_ms, provider_ms, request_bytes, response_bytes)
     VALUES ($1, $2, false, now(), 'GET', '/', 'hubspot', 'user-1', 200, 'none', 1, 1, 1, 0, 0)`,
    [newId(), stage.project.id],
  );
  await client.end();
}

/** What a browser that keeps nothing asks for until the page is quiet, by path. */
async function loadCold(page: Page, address: string) {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await settled(page, () => page.goto(address));
  const isApi = (path: string) => path.startsWith('/v1/');
  return { api: asked.filter(isApi), files: asked.filter((path) => !isApi(path)) };
}

describe('Home, loaded by a browser that has nothing of it', () => {
  it(`asks the API ${API_REQUESTS_MAX} times at most, however many integrations there are, and for ${FILES_MAX} files`, async () => {
    const page = await stage.openAs('owner');
    const { api, files } = await loadCold(page, `/p/${stage.project.id}`);
    await page.getByRole('heading', { name: 'Latest activity' }).waitFor();
    await page.getByRole('heading', { name: 'Calls' }).waitFor();
    expect(api).toContain(`/v1/projects/${stage.project.id}/stats`);
    expect(api.slice(API_REQUESTS_MAX)).toEqual([]);
    expect(files.slice(FILES_MAX)).toEqual([]);
    expect(stage.takeFaults()).toEqual([]);
  });
});

describe('Home, whose words of other areas come late', () => {
  it('keeps its navigation, and says in their place that they are on their way', async () => {
    const page = await stage.openAs('owner');
    const held = Promise.withResolvers<void>();
    await page.route(/\/assets\/activity-.+\.js$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    const answered = page.waitForResponse(/\/v1\/activity/);
    const asked = page.waitForRequest(/\/assets\/activity-.+\.js$/);
    await page.goto(`/p/${stage.project.id}`);
    await Promise.all([answered, asked]);
    const latest = page.locator('section', { has: page.getByRole('heading', { name: 'Latest activity' }) });
    await latest.getByRole('status').waitFor();
    expect(await page.getByRole('link', { name: 'Integrations' }).first().isVisible()).toBe(true);
    held.resolve();
    await latest.getByRole('row').nth(1).waitFor();
    expect(stage.takeFaults()).toEqual([]);
  });
});

describe('the catalog, loaded by a browser that has nothing of it', () => {
  it('begins with what the projects use and what is popular, in few nodes and bytes', async () => {
    const page = await stage.openAs('owner');
    const file = page.waitForResponse((response) => /\/catalog\/.+\.json$/.test(response.url()));
    await settled(page, () => page.goto(`/p/${stage.project.id}/integrations/new`));
    const sizes = await (await file).request().sizes();
    await page.getByRole('heading', { name: 'All providers' }).waitFor();
    expect(sizes.responseBodySize).toBeLessThan(CATALOG_BYTES_MAX);
    const titles = await page.locator('main h2').allInnerTexts();
    expect(titles.slice(0, 3)).toEqual(['Used in your projects', 'Popular', 'All providers']);
    const used = page.locator('section', {
      has: page.getByRole('heading', { name: 'Used in your projects' }),
    });
    expect(await used.getByRole('link').count()).toBe(USED.length);
    expect(await page.locator('main *').count()).toBeLessThan(CATALOG_NODES_MAX);
    // One picture for all of their logos.
    const logos = page.locator('section').nth(1).locator('li span[style*=background-position]');
    expect(await logos.count()).toBe(POPULAR_PROVIDERS.length - USED.length);
    const picture = await page.evaluate(
      "getComputedStyle(document.querySelector('li span[style*=background-position]')).backgroundImage.slice(0, 24)",
    );
    expect(picture).toBe('url("data:image/svg+xml,');
  });

  it('asks for what it shows while its script is on the way, and for no field of the page that follows', async () => {
    const page = await stage.openAs('owner');
    const held = Promise.withResolvers<void>();
    await page.route(/\/assets\/new-integration-page-.+\.js$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const parts = [/\/catalog\/.+\.json$/, /\/v1\/catalog\?.*only=own/, /\/v1\/integrations\?/];
    const answers = parts.map((part) => page.waitForResponse(part));
    await page.goto(`/p/${stage.project.id}/integrations/new`);
    await Promise.all(answers);
    held.resolve();
    await page.getByRole('heading', { name: 'Popular' }).waitFor();
    // What came before the script is shown as it is.
    expect(asked.filter((path) => path === '/v1/integrations')).toHaveLength(1);
    expect(
      asked.filter((path) => /\/assets\/(set-up|PasswordInput|Select|variable-fields)/.test(path)),
    ).toEqual([]);
    expect(stage.takeFaults()).toEqual([]);
  });

  it('draws the rest as it scrolls, and at the button for who does not scroll, down to the last', async () => {
    const page = await stage.openAs('owner');
    await settled(page, () => page.goto(`/p/${stage.project.id}/integrations/new`));
    const all = page.locator('section', { has: page.getByRole('heading', { name: 'All providers' }) });
    const more = all.getByRole('button', { name: /^Show .+ more$/ });
    await more.waitFor();
    const before = await all.getByRole('link').count();
    // What scrolls into view is drawn by itself; the button does the same for a keyboard.
    await more.focus();
    await page.keyboard.press('Enter');
    await until(async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      return (await more.count()) === 0;
    });
    expect(await all.getByRole('link').count()).toBeGreaterThan(Math.max(before, CATALOG_SIZE_MIN));
  });
});
