import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { startGatewayProcess, waitUntilReady } from '../examples/demo/gateway-process.ts';
import { findPort } from '../examples/demo/ports.ts';
import { demoCrmProviderFile } from '../examples/demo-crm/provider-file.ts';
import { startDemoCrm } from '../examples/demo-crm/server.ts';
import { ensureDashboard } from '../scripts/build-dashboard.ts';
import { ensureChromium } from '../scripts/find-chromium.ts';
import { createAnimation } from './animation.ts';

const FILE = resolve(import.meta.dirname, '../docs/images/first-hour.gif');
const SIZE = { width: 1100, height: 680 };
const CLIENT = { clientId: 'sample-app', clientSecret: 'demo-secret-of-the-sample-app', name: 'Sample App' };
/** A person types some eight characters a second, and looks briefly before each press. */
const KEY_MS = 120;
const LOOK_MS = 1_500;

/**
 * `npm run first-hour`: walks from the set-up link to the first proxied call at the pace of a person, prints the seconds,
 * and keeps the way as the README's animation.
 */
async function walkFirstHour(): Promise<void> {
  await ensureDashboard();
  const stage = await startStage();
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: SIZE, locale: 'en-GB', reducedMotion: 'reduce' });
    const animation = createAnimation(SIZE);
    const beganMs = performance.now();
    await walk(page, stage.setupUrl, async (shown, ms) => animation.add(await shown.screenshot(), ms));
    console.log(
      `from the set-up link to the answer of the first call: ${seconds(performance.now() - beganMs)} s`,
    );
    writeFileSync(FILE, animation.finish());
    console.log(`the way there is in ${FILE}`);
  } finally {
    await browser.close();
    await stage.close();
  }
}

type Show = (page: Page, ms: number) => Promise<void>;

async function walk(page: Page, setupUrl: string, show: Show): Promise<void> {
  const type = async (where: Page, label: string, value: string) =>
    where.getByLabel(label, { exact: true }).pressSequentially(value, { delay: KEY_MS });
  const press = async (where: Page, role: 'button' | 'link', name: string | RegExp) => {
    await pause(LOOK_MS);
    await where.getByRole(role, { name }).first().click();
  };
  await page.goto(setupUrl);
  await page.getByRole('heading', { level: 1, name: 'Set up the gateway' }).waitFor();
  await show(page, 1_200);
  await type(page, 'E-mail', 'ada@example.com');
  await type(page, 'Password', 'correct horse battery');
  await show(page, 800);
  await press(page, 'button', 'Create owner and project');
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.getByRole('link', { name: 'Create integration' }).waitFor();
  await show(page, 1_500);
  await press(page, 'link', 'Create integration');
  await page.getByRole('searchbox').or(page.getByRole('combobox')).first().waitFor();
  await page.waitForLoadState('networkidle');
  await show(page, 1_200);
  await page
    .getByRole('searchbox')
    .or(page.getByRole('combobox'))
    .first()
    .pressSequentially('demo', { delay: KEY_MS });
  await show(page, 800);
  await press(page, 'link', /Demo CRM/);
  await page.getByLabel('Client id').waitFor();
  await show(page, 1_200);
  await type(page, 'Client id', CLIENT.clientId);
  await type(page, 'Client secret', CLIENT.clientSecret);
  await show(page, 1_000);
  await press(page, 'button', 'Create integration');
  await page.getByText('The integration is ready').waitFor();
  await show(page, 1_500);
  const opening = page.waitForEvent('popup');
  await press(page, 'button', 'Connect a test account');
  const popup = await opening;
  await popup.setViewportSize(SIZE);
  await popup.waitForSelector('#email');
  await show(popup, 1_000);
  await popup.locator('#email').pressSequentially('ada@northwind.test', { delay: KEY_MS });
  await popup.locator('#password').pressSequentially('demo', { delay: KEY_MS });
  await pause(LOOK_MS);
  await popup.click('#sign-in');
  await popup.waitForSelector('#allow');
  await show(popup, 1_200);
  await pause(LOOK_MS);
  await popup.click('#allow');
  await page.getByText('northwind.test is connected').waitFor();
  await show(page, 1_500);
  await press(page, 'link', 'Home');
  await page.getByRole('button', { name: 'Send call' }).waitFor();
  await show(page, 1_200);
  await press(page, 'button', 'Send call');
  await page.getByText('Answered 200').waitFor();
  await page.getByText('4 of 5 done').waitFor();
  await show(page, 3_000);
}

/** A demo CRM, and a gateway without an operator. */
async function startStage() {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-first-hour-'));
  // Started by root, the embedded Postgres runs as another user, which has to reach its files.
  chmodSync(directory, 0o711);
  const port = await findPort(3000);
  const url = `http://localhost:${port}`;
  const crm = await startDemoCrm({
    port: await findPort(0),
    clients: [{ ...CLIENT, redirectUris: [`${url}/oauth/callback`] }],
  });
  const catalog = join(directory, 'catalog');
  mkdirSync(catalog);
  writeFileSync(join(catalog, 'demo-crm.yaml'), demoCrmProviderFile(crm.url));
  const token = randomBytes(24).toString('base64url');
  const env = {
    PORT: String(port),
    PUBLIC_URL: url,
    DATA_DIR: join(directory, 'data'),
    CATALOG_DIR: catalog,
    ALLOW_PRIVATE_NETWORKS: 'true',
    SETUP_TOKEN: token,
  };
  const gateway = startGatewayProcess({ env, directory, ownGroup: true });
  await waitUntilReady(url, gateway);
  return {
    setupUrl: `${url}/setup#${token}`,
    async close() {
      await gateway.stop();
      await crm.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1);

await walkFirstHour();
