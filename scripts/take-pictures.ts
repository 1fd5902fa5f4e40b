import { resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { integrate } from '../examples/demo/provision.ts';
import { type Demo, startDemo } from '../examples/demo/start-demo.ts';
import { HUBS } from '../examples/demo-crm/hubs.ts';
import { ensureChromium } from './find-chromium.ts';

const IMAGES = resolve(import.meta.dirname, '../docs/images');
/** Shown on the connect page beside the demo CRM; their clients exist at no provider. */
const PROVIDERS = ['hubspot', 'github', 'notion', 'stripe', 'zendesk', 'asana', 'dropbox'];

/** `npm run pictures`: the README's pictures, taken of the running demo. */
async function takePictures(): Promise<void> {
  const demo = await startDemo({ ports: { gateway: 0, crm: 0, app: 0 } });
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1060, height: 820 } });
    await connectAccount(page, demo);
    await changeContacts(page, demo);
    await page.screenshot({ path: `${IMAGES}/sample-app.png` });
    await page.setViewportSize({ width: 1060, height: 640 });
    await openConnectPage(page, demo);
    await page.screenshot({ path: `${IMAGES}/connect-page.png` });
  } finally {
    await browser.close();
    await demo.close();
  }
}

async function connectAccount(page: Page, { app }: Demo): Promise<void> {
  await page.goto(app.url);
  await page.click('button[value=user-mia]');
  await page.click('#connect-redirect');
  await page.fill('#email', 'ada@northwind.test');
  await page.fill('#password', 'demo');
  await page.click('#sign-in');
  await page.click('#allow');
  await page.waitForSelector('#contacts tbody tr');
}

/** So that the list of changes has something to show. */
async function changeContacts(page: Page, { crm }: Demo): Promise<void> {
  const [northwind] = HUBS;
  await page.waitForSelector('#listening.good');
  for (const action of ['change', 'create', 'change'] as const) {
    const contact = northwind && crm.act(northwind.id, action);
    await page.waitForSelector(`#contacts tr.changed[data-id="${contact?.id}"]`);
  }
}

async function openConnectPage(page: Page, { gatewayUrl, project }: Demo): Promise<void> {
  for (const provider of PROVIDERS) {
    const client = { clientId: 'client', clientSecret: 'a secret of no client', scopes: ['read'] };
    await integrate(gatewayUrl, project, { provider, ...client });
  }
  const response = await fetch(`${gatewayUrl}/v1/connect-sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'user-noah', completion: 'link' }),
  });
  const session = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(session));
  await page.goto(session.url);
}

await takePictures();
