import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findingsInBothSchemes } from '../support/axe.ts';
import { openContext, startBrowser } from '../support/browser.ts';
import { buildDashboard, noteFaults, settled } from '../support/dashboard.ts';
import { callApiOk, type Gateway, OPERATOR, startGateway } from '../support/gateway.ts';
import { SETUP_TOKEN } from '../support/gateway-environment.ts';

let gateway: Gateway;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What the browser refused and what a page threw. */
const faults: string[] = [];

beforeAll(async () => {
  buildDashboard();
  [gateway, browser] = await Promise.all([startGateway(), startBrowser()]);
  context = await openContext(browser, { locale: 'en-GB', baseURL: gateway.url });
  page = await context.newPage();
  noteFaults(page, faults);
});

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

/** No test may end with a violation of the Content-Security-Policy or an uncaught error. */
afterEach(() => expect(faults.splice(0)).toEqual([]));

const heading = (name: string) => page.getByRole('heading', { name, level: 1 });

describe('before signing in', () => {
  it('the set-up page takes the token out of the address and leads to Home', async () => {
    await page.goto(`/setup#${SETUP_TOKEN}`);
    await heading('Set up the gateway').waitFor();
    expect(page.url()).toBe(`${gateway.url}/setup`);
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByLabel('E-mail').fill(OPERATOR.email);
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Create owner and project' }).click();
    await page.getByText(/12/).nth(1).waitFor();
    await page.getByLabel('Password', { exact: true }).fill(OPERATOR.password);
    await page.getByRole('button', { name: 'Create owner and project' }).click();
    await heading('Home').waitFor();
    expect(page.url()).toMatch(/\/p\/[0-9a-f-]{36}$/);
  });

  it('the set-up page says at once that the gateway is set up, and asks for nothing', async () => {
    await page.goto('/setup#abc');
    await heading('Already set up').waitFor();
    expect(await page.getByLabel('E-mail').count()).toBe(0);
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
  });

  it('a page without a session leads to the sign-in page and back to the very address', async () => {
    await context.clearCookies();
    await page.goto('/me?from=a-link');
    await heading('Sign in').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByLabel('E-mail').fill(OPERATOR.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password at all');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(OPERATOR.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading('Profile and security').waitFor();
    expect(page.url()).toBe(`${gateway.url}/me?from=a-link`);
  });

  it.each([
    'https://elsewhere.example/',
    '/.//elsewhere.example/',
    '/\t/elsewhere.example/',
    '/\\elsewhere.example/',
  ])('a return address on another site is not followed: %j', async (address) => {
    await context.clearCookies();
    await page.goto(`/sign-in?${new URLSearchParams({ returnTo: address })}`);
    await page.getByLabel('E-mail').fill(OPERATOR.email);
    await page.getByLabel('Password', { exact: true }).fill(OPERATOR.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading('Home').waitFor();
    expect(new URL(page.url()).origin).toBe(gateway.url);
  });
});

describe('the frame', () => {
  it('takes the first key after loading for itself, and goes to a page by g and its letter', async () => {
    const press = (key: string, timeStamp: number) =>
      page.evaluate(
        (init) => {
          const event = new KeyboardEvent('keydown', { key: init.key, bubbles: true });
          Object.defineProperty(event, 'timeStamp', { value: init.timeStamp });
          document.body.dispatchEvent(event);
        },
        { key, timeStamp },
      );
    const home = page.url();
    await press('s', 500);
    await press('?', 600);
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(page.url()).toBe(home);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press('g', 5_000);
    await press('s', 5_100);
    await heading('Settings').waitFor();
    await page.goBack();
    await heading('Home').waitFor();
  });

  it('has pages without serious accessibility faults, in light and dark', async () => {
    const projectPath = new URL(page.url()).pathname;
    for (const [path, name] of [
      [projectPath, 'Home'],
      ['/me', 'Profile and security'],
      ['/gateway', 'This gateway'],
    ] as const) {
      await settled(page, () => page.goto(path));
      await heading(name).waitFor();
      expect({ path, found: await findingsInBothSchemes(page) }).toEqual({ path, found: [] });
    }
  });

  it('goes to a page by the palette, with the keyboard alone', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('profile');
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await heading('Profile and security').waitFor();
    await page.locator('h1:focus').waitFor();
    expect(await page.title()).toBe('Profile and security · Integration Gateway');
  });

  it('changes its language at once', async () => {
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Deutsch' }).click();
    await heading('Profil und Sicherheit').waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe('de');
    await page.getByRole('button', { name: 'Ihr Konto' }).click();
    await page.getByRole('menuitem', { name: 'English' }).click();
    await heading('Profile and security').waitFor();
  });

  it('shows a new token once, the one that follows it too, and revokes both', async () => {
    const dialog = page.getByRole('dialog');
    const take = async (submit: string) => {
      await dialog.getByLabel('Current password', { exact: true }).fill(OPERATOR.password);
      await dialog.getByRole('button', { name: submit }).click();
      const token = (await dialog.locator('pre').textContent()) ?? '';
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      return token;
    };
    const rows = page.getByRole('row', { name: /for the test/ });
    await page.goto('/me');
    await page.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByLabel('Name').fill('for the test');
    const tokens = [await take('Create token')];
    await page.getByRole('button', { name: 'Rotate token for the test' }).click();
    tokens.push(await take('Rotate'));
    for (const bearer of tokens) await callApiOk(gateway.url, 'GET', '/v1/operators/me', { bearer });
    await rows.nth(1).waitFor();
    for (const left of [1, 0]) {
      await rows.first().getByRole('button', { name: 'Revoke' }).click();
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await rows.nth(left).waitFor({ state: 'detached' });
    }
  });

  it('reads at 320 pixels, as at 400 % zoom, without scrolling sideways', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await settled(page, () => page.goto('/'));
    await heading('Home').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Connections' }).click();
    await heading('Connections').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('says when the gateway does not answer, and goes on by itself when it does', async () => {
    await page.route('**/v1/**', (route) => route.abort());
    await page.route('**/livez', (route) => route.abort());
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill('northwind');
    await page.getByText('The gateway does not answer, it may be restarting', { exact: false }).waitFor();
    await page.unroute('**/v1/**');
    await page.unroute('**/livez');
    await page.getByText('The gateway answers again.').waitFor();
    await page.keyboard.press('Escape');
    await context.setOffline(true);
    await page.getByText('You are offline.', { exact: false }).waitFor();
    await context.setOffline(false);
    await page.getByText('The gateway answers again.').waitFor();
  });
});

describe('what the gateway sends', () => {
  it('answers every page with the document, a strict policy and a nonce of its own', async () => {
    const nonces = new Set<string | undefined>();
    for (const path of ['/', '/sign-in', '/p/x/integrations/y', '/me', '/gateway', '/providers/custom/z']) {
      const reply = await fetch(`${gateway.url}${path}`, { headers: { accept: 'text/html' } });
      const policy = reply.headers.get('content-security-policy') ?? '';
      expect([path, reply.status, reply.headers.get('cache-control')]).toEqual([path, 200, 'no-store']);
      expect(policy).not.toContain('unsafe-inline');
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      nonces.add(/'nonce-([^']+)'/.exec(policy)?.[1]);
    }
    expect(nonces.size).toBe(6);
  });

  it('answers 404 for other addresses, and for a page that is asked for as JSON', async () => {
    expect((await fetch(`${gateway.url}/nothing-here`)).status).toBe(404);
    expect((await fetch(`${gateway.url}/assets/nothing.js`)).status).toBe(404);
    const asJson = await fetch(`${gateway.url}/me`, { headers: { accept: 'application/json' } });
    expect(asJson.status).toBe(404);
  });

  it('sends assets compressed and for ever', async () => {
    const document = await (await fetch(`${gateway.url}/`)).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(document)?.[1] ?? '';
    const reply = await fetch(`${gateway.url}${script}`, { headers: { 'accept-encoding': 'br' } });
    expect(reply.headers.get('content-encoding')).toBe('br');
    expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });
});
