import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { seriousFindings } from '../support/axe.ts';
import { openPage, startBrowser } from '../support/browser.ts';

const ADDRESS = pathToFileURL(join(import.meta.dirname, '../../docs/providers.html')).href;

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

describe('docs/providers.html', () => {
  it('shows every provider without script', async () => {
    const page = await openPage(browser, { javaScriptEnabled: false });
    await page.goto(ADDRESS);
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(1_000);
    expect(await page.locator('form').isVisible()).toBe(false);
    expect(await page.getByRole('row', { name: /^HubSpot hubspot crm/ }).isVisible()).toBe(true);
    await page.close();
  });

  it('is filtered by keyboard, and a link to it keeps the filters', async () => {
    const page = await openPage(browser, { viewport: { width: 390, height: 844 } });
    await page.goto(ADDRESS);
    const shown = page.locator('tbody tr:not([hidden])');
    const whole = await page.locator('#count').innerText();
    await page.keyboard.press('Tab');
    await page.keyboard.type('google');
    await page.keyboard.press('Tab');
    await page.keyboard.type('stor');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Signed');
    for (const name of ['Webhooks', 'Further hosts'])
      expect(await page.getByRole('checkbox', { name }).isChecked()).toBe(false);
    const found = await shown.allInnerTexts();
    expect(found.length).toBeGreaterThan(0);
    for (const text of found) expect(text).toMatch(/google.*storage.*Signed JWT/is);
    const link = page.url();
    await page.goto('about:blank');
    await page.goto(link);
    expect(await shown.allInnerTexts()).toEqual(found);
    await page.getByRole('checkbox', { name: 'Polls' }).press('Space');
    const states = await page.locator('tbody tr:not([hidden])').count();
    expect(states).toBeLessThanOrEqual(found.length);
    await page.getByRole('button', { name: 'Remove all filters' }).press('Enter');
    await page.locator('#count').filter({ hasText: whole }).waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('ended');
    expect(await shown.first().innerText()).toContain('ended');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await seriousFindings(page)).toEqual([]);
    await page.close();
  });
});
