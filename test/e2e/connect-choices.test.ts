import type { Browser } from 'playwright-core';
import { seriousFindings } from '../support/axe.ts';
import { hostsAt, openPage, startBrowser } from '../support/browser.ts';
import { type ConnectingStage, integrate, startConnectingStage } from './connecting-stage.ts';

let stage: ConnectingStage;
let browser: Browser;

beforeAll(async () => {
  stage = await startConnectingStage(['scripted', 'other', 'keyed']);
  browser = await startBrowser([hostsAt('*.tenants.test', stage.provider.url)]);
  await integrate(stage, 'other');
  for (const subdomain of ['north', 'south']) await integrate(stage, 'tenant', { variables: { subdomain } });
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

it('two integrations of one provider can be told apart, the others show nothing more', async () => {
  const page = await openPage(browser, { viewport: { width: 520, height: 760 } });
  await page.goto((await stage.start('mia', { provider: undefined })).url);
  const shown = await page.locator('.choice > span').allInnerTexts();
  const texts = shown.map((text) => text.replaceAll(/\s*\n\s*/g, ': ').replace(/[0-9a-f]{8}$/, 'id'));
  expect(texts).toEqual([
    'Provider keyed: Other services',
    'Provider other: CRM · id',
    'Provider other: CRM · id',
    'Provider scripted: CRM',
    'Provider tenant: CRM · north',
    'Provider tenant: CRM · south',
  ]);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('button', { name: /south/ }).click();
  await page.waitForURL(/^http:\/\/south\.tenants\.test\//);
  await page.close();
});
