import { createServer, type Server } from 'node:http';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { createSetupRouter } from '../../src/operators/setup.router.ts';
import { prepareSetup } from '../../src/operators/setup.ts';
import { type Management, startManagement } from '../projects/support.ts';
import { startBrowser } from '../support/browser.ts';
import { closeServer, listen } from '../support/listen.ts';

describe('the set-up page', () => {
  let management: Management;
  let browser: Browser;
  let server: Server;
  let url: string;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    management = await startManagement();
    browser = await startBrowser();
    const app = express();
    app.use(createSetupRouter(management.setup));
    app.use(management.app);
    server = createServer(app);
    url = `http://127.0.0.1:${await listen(server)}/setup`;
    page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on(
      'console',
      (message) => /Content Security Policy/.test(message.text()) && problems.push(message.text()),
    );
  });
  afterAll(async () => {
    await browser.close();
    await closeServer(server);
    await management.drop();
  });

  async function submit(): Promise<void> {
    await page.getByLabel('E-mail address').fill('owner@example.test');
    await page.getByLabel('Password').fill('a long enough pass phrase');
    await page.getByLabel('Project name').fill('Shop');
    await page.getByRole('button', { name: 'Set up' }).click();
  }

  it('cannot be framed, tells no referrer and is not cached', async () => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('asks for the whole link when the token is missing', async () => {
    await page.goto(url);
    await page.getByRole('alert').filter({ hasText: 'lacks the set-up token' }).waitFor();
    expect(await page.getByRole('button', { name: 'Set up' }).isDisabled()).toBe(true);
  });

  it('takes the token out of the address, and says what is wrong with it', async () => {
    await prepareSetup(management.db, {});
    // In the tab of the test before: only the fragment changes.
    await page.goto(`${url}#a-wrong-token`);
    await page.waitForURL(url);
    await submit();
    await page.getByRole('alert').filter({ hasText: 'not the current one' }).waitFor();
  });

  it('sets up with the token of the link and shows the credentials once', async () => {
    const { token } = await prepareSetup(management.db, { configuredToken: 'a token % with signs' });
    await page.goto('about:blank');
    await page.goto(`${url}#${encodeURIComponent(token ?? '')}`);
    await submit();
    await page.getByRole('heading', { name: 'The gateway is set up' }).waitFor();
    expect(await page.getByLabel('Personal access token', { exact: true }).inputValue()).toMatch(/^igo_/);
    const key = await page.getByLabel('API key of the project', { exact: true }).inputValue();
    const project = await management.db('projects').first();
    expect(project.name).toBe('Shop');
    const reply = await fetch(new URL(`/v1/projects/${project.id}`, url), {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(reply.status).toBe(200);
    await page.getByRole('button', { name: 'Copy: API key of the project' }).click();
    await page.getByText(/^(Copied|Selected)/).waitFor();
  });

  it('says afterwards that the gateway is set up', async () => {
    await page.goto('about:blank');
    await page.goto(`${url}#any`);
    await page.getByRole('heading', { name: 'Already set up' }).waitFor();
    expect(await page.locator('form').count()).toBe(0);
  });

  it('ran into no fault and no policy on the way', () => {
    expect(problems).toEqual([]);
  });
});
