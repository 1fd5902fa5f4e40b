import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { DEMO_PASSWORD } from '../../../examples/demo-crm/hubs.ts';
import { openContext } from '../../support/browser.ts';
import { noteFaults } from '../../support/dashboard.ts';
import { until } from '../../support/until.ts';

/** Beyond what a step takes on a busy machine. */
const STEP_MS_MAX = 120_000;
const TOKEN_SECONDS_MAX = 600;

export type Walked = {
  readonly browser: Browser;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
};

/** The main job of an application with a page, as its users do it, and what strangers try. Throws at what does not hold. */
export async function walkPage({ browser, url, env }: Walked): Promise<void> {
  const faults: string[] = [];
  const ada = await openContext(browser);
  const ben = await openContext(browser);
  try {
    const page = await openAs(ada, url, 'Ada', faults);
    await connect(page);
    const email = await createContact(page);
    await item(page, 'Events', 'demo-crm.contact.created').first().waitFor();
    await judgeToken(page, env);
    await judgeStrangers(page, url);
    await judgeOthers(await openAs(ben, url, 'Ben', faults), email);
    await judgeSecrets(page, url, env);
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await says(page, 'Not connected');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in as Ada' }).waitFor();
    assert.deepEqual(faults, []);
  } finally {
    await ada.close();
    await ben.close();
  }
}

async function openAs(context: BrowserContext, url: string, name: string, faults: string[]): Promise<Page> {
  context.setDefaultTimeout(STEP_MS_MAX);
  const page = await context.newPage();
  noteFaults(page, faults);
  await page.goto(`${url}/`);
  await page.getByRole('button', { name: `Sign in as ${name}` }).click();
  await says(page, 'Not connected');
  return page;
}

const says = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
const item = (page: Page, list: string, text: string | RegExp) =>
  page.getByRole('list', { name: list }).getByRole('listitem').filter({ hasText: text });

async function connect(page: Page): Promise<void> {
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Connect', exact: true }).click(),
  ]);
  await allowAtCrm(popup);
  await says(page, 'Connected to northwind.test');
  await item(page, 'Contacts', '@').first().waitFor();
}

/** Logs in at the demo CRM and allows what is asked. */
export async function allowAtCrm(page: Page): Promise<void> {
  await page.locator('#sign-in, #allow').first().waitFor();
  if ((await page.locator('#sign-in').count()) > 0) {
    await page.getByLabel('E-mail').fill('ada@northwind.test');
    await page.getByLabel('Password').fill(DEMO_PASSWORD);
    await page.click('#sign-in');
  }
  await page.click('#allow');
}

async function createContact(page: Page): Promise<string> {
  const email = `new-${Date.now()}@example.test`;
  await page.getByLabel('E-mail').fill(email);
  const made = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().includes('/proxy/demo-crm/'),
  );
  await page.getByRole('button', { name: 'Create contact' }).click();
  assert.equal((await made).status(), 201);
  return email;
}

/** The page's own token, which names its user and ends soon. */
async function judgeToken(page: Page, { PROJECT_ID }: Walked['env']): Promise<void> {
  const token = await page.evaluate(async () => (await fetch('/token', { method: 'POST' })).text());
  const [, part = ''] = token.split('.');
  const { sub, aud, exp, iat } = JSON.parse(Buffer.from(part, 'base64url').toString());
  assert.equal(sub, 'user-ada');
  assert.deepEqual([aud].flat(), [PROJECT_ID]);
  assert.ok(exp - iat <= TOKEN_SECONDS_MAX, `the token lives for ${exp - iat} s`);
}

/** Without a session, from another site, and with a signature that is none. */
async function judgeStrangers(page: Page, url: string): Promise<void> {
  const post = (path: string, headers: Record<string, string>, body = '') =>
    fetch(`${url}${path}`, { method: 'POST', headers, body, redirect: 'manual' });
  assert.equal((await post('/token', { origin: url })).status, 401);
  const cookies = (await page.context().cookies(url)).map(({ name, value }) => `${name}=${value}`).join('; ');
  const isFine = await post('/token', { origin: url, cookie: cookies });
  assert.equal(isFine.status, 200);
  assert.match(isFine.headers.get('cache-control') ?? '', /no-store/);
  assert.equal((await post('/token', { origin: 'https://evil.example', cookie: cookies })).status, 403);
  const forged = {
    'content-type': 'application/json',
    'webhook-id': 'id',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
  };
  const event = await post('/events', { ...forged, 'webhook-signature': 'v1,AAAA' }, '{"userId":"user-ada"}');
  assert.equal(event.status, 400);
  for (const { httpOnly, sameSite } of await page.context().cookies(url)) {
    assert.equal(httpOnly, true);
    assert.notEqual(sameSite, 'None');
  }
}

/** Another user sees nothing of the first one's. */
async function judgeOthers(page: Page, email: string): Promise<void> {
  const received = page.waitForResponse((response) => response.url().endsWith('/received'));
  assert.deepEqual(await (await received).json(), []);
  assert.equal((await page.content()).includes(email), false);
}

/** No secret stands in anything that the browser has loaded. */
async function judgeSecrets(page: Page, url: string, env: Walked['env']): Promise<void> {
  const secrets = ['GATEWAY_API_KEY', 'EVENT_SECRET', 'SESSION_SECRET'].flatMap((name) => env[name] ?? []);
  const loaded: string[] = [];
  page.on('response', async (response) => {
    if (response.url().startsWith(url)) loaded.push(await response.text().catch(() => ''));
  });
  await page.reload();
  await says(page, 'Connected');
  await until(() => loaded.length > 1);
  for (const secret of secrets)
    assert.equal(
      loaded.some((text) => text.includes(secret)),
      false,
    );
}
