import type { Browser } from 'playwright-core';
import { seriousFindings } from '../support/axe.ts';
import { openPage, startBrowser } from '../support/browser.ts';
import { callApiOk } from '../support/gateway.ts';
import { connectAccount, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
let browser: Browser;
beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage(), startBrowser()]);
  await connectAccount(stage, { userId: 'bob', email: 'ben@northwind.test' });
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

describe('the page of a person’s connections, in a browser', () => {
  it('shows an account, connects it again by the way back, and removes it', async () => {
    const { gateway, project } = stage;
    const { url } = await callApiOk(gateway.url, 'POST', '/v1/portal-sessions', {
      bearer: project.apiKey,
      body: { userId: 'bob' },
    });
    const page = await openPage(browser, { locale: 'en-GB', reducedMotion: 'reduce' });
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('northwind.test').first().waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
    }

    await page.getByRole('button', { name: /Connect again/ }).click();
    await page.fill('#email', 'ben@northwind.test');
    await page.fill('#password', 'demo');
    await page.click('#sign-in');
    await page.click('#allow');
    await page.waitForURL(/\/connections\//);
    await page.getByRole('status').or(page.getByRole('alert')).first().waitFor();
    expect(new URL(page.url()).hash).toBe('');

    expect(
      await page.locator('img.logo').evaluate((img) => img instanceof HTMLImageElement && img.naturalWidth),
    ).not.toBe(0);
    await page.getByText('Remove', { exact: true }).click();
    await page.getByRole('button', { name: /Remove now/ }).click();
    await page.getByText('northwind.test').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });
});
