import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { seriousFindings } from '../support/axe.ts';
import { hostsAt, openContext, startBrowser } from '../support/browser.ts';
import { callApiOk, type Gateway, startGateway } from '../support/gateway.ts';
import { SETUP_TOKEN } from '../support/gateway-environment.ts';
import { APP_ORIGIN } from '../support/stage.ts';
import { type ConnectingStage, integrate, RETURN_URL, startConnectingStage } from './connecting-stage.ts';

const LOGO = 'https://logos.example.com/acme.svg';
const OWN = ['scripted', 'keyed', 'tenant', 'basic', 'keyed-tenant', 'other', 'unproven'];
const BUILT_IN = ['hubspot', 'slack', 'github', 'notion', 'xero', 'dropbox'];

let stage: ConnectingStage;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What the browser blocked because a page's content security policy said so. */
let blocked: string[] = [];

beforeAll(async () => {
  stage = await startConnectingStage(OWN);
  browser = await startBrowser([hostsAt('*.tenants.test', stage.provider.url)]);
  for (const id of BUILT_IN) await integrate(stage, id);
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

async function enter(options: BrowserContextOptions = {}): Promise<void> {
  context = await openContext(browser, {
    locale: 'en-GB',
    viewport: { width: 520, height: 760 },
    ...options,
  });
  blocked = [];
  context.on('console', (message) => {
    if (/content security policy/i.test(message.text())) blocked.push(message.text());
  });
  const answer = (body: string, contentType = 'text/html') => ({ body, contentType });
  await context.route(`${stage.provider.url}/authorize?**`, (route) =>
    route.fulfill(answer('<h1>The provider</h1>')),
  );
  await context.route(`${APP_ORIGIN}/**`, (route) => route.fulfill(answer('<h1>The application</h1>')));
  await context.route(LOGO, (route) =>
    route.fulfill(
      answer('<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"/>', 'image/svg+xml'),
    ),
  );
  page = await context.newPage();
}

afterEach(async () => {
  stage.provider.accepts = () => true;
  await context?.close();
  expect(blocked).toEqual([]);
});

/** A session made in the application's page; without a provider its user has yet to choose. */
const start = (body: object = {}) =>
  callApiOk(stage.gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: stage.project.userToken('mia'),
    headers: { origin: APP_ORIGIN },
    body,
  });

/** Goes to the provider and comes back with these parameters. */
async function comeBack(parameters: Record<string, string>, body: object = {}): Promise<void> {
  await page.goto((await start({ provider: 'scripted', ...body })).url);
  await page.goto(stage.callbackUrl(new URL(page.url()), parameters));
}

const brand = (branding: object) =>
  callApiOk(stage.gateway.url, 'PATCH', `/v1/projects/${stage.project.id}`, {
    bearer: stage.project.apiKey,
    body: { branding },
  });

const heading = () => page.getByRole('heading', { level: 1 }).innerText();
const shownChoices = () => page.locator('.choice:visible strong').allInnerTexts();
const focused = () =>
  page.evaluate(() => {
    const element = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(element ?? document.body);
    const name = element instanceof HTMLInputElement ? element.name : element?.textContent?.trim();
    return { name, outline: `${outlineStyle} ${outlineWidth}` };
  });
const isOverflowing = () =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

/** Every kind of page, each shown in turn. */
const KINDS: [string, () => Promise<unknown>][] = [
  ['the list of services', async () => page.goto((await start()).url)],
  ['an empty search', async () => page.goto(`${(await start()).url}?q=nothing-of-the-sort`)],
  ['the form for a key', async () => page.goto((await start({ provider: 'keyed-tenant' })).url)],
  [
    'a form with a fault',
    async () => {
      await page.goto((await start({ provider: 'tenant' })).url);
      await page.fill('#subdomain', 'not/right');
      await page.keyboard.press('Enter');
      await page.locator('[aria-invalid]').waitFor();
    },
  ],
  [
    'a form refused by the provider',
    async () => {
      stage.provider.accepts = () => false;
      await page.goto((await start({ provider: 'basic' })).url);
      await page.fill('#username', 'mia');
      await page.keyboard.press('Enter');
      await page.locator('#refusal').waitFor();
    },
  ],
  ['success', () => comeBack({ code: 'the-code' })],
  [
    'a failure with its details open',
    async () => {
      await comeBack({ error: 'invalid_scope' });
      await page.click('summary');
    },
  ],
  ['an unknown link', () => page.goto(`${stage.gateway.url}/connect/unknown`)],
];

describe('every page', () => {
  it.each([
    ['in the gateway’s own look', {}],
    ['with a logo and a pale colour', { displayName: 'Acme', logoUrl: LOGO, color: '#ffe45c' }],
  ])(
    '%s: axe finds nothing serious in light or dark, there is one heading in one main part, a phone shows all of it',
    async (_, branding) => {
      await enter({ reducedMotion: 'reduce', viewport: { width: 320, height: 640 } });
      await brand(branding);
      for (const [kind, show] of KINDS) {
        await show();
        await page.waitForLoadState();
        await page.emulateMedia({ colorScheme: 'light' });
        expect([kind, 'light', await seriousFindings(page)]).toEqual([kind, 'light', []]);
        // Nothing but colours differs in the dark.
        await page.emulateMedia({ colorScheme: 'dark' });
        expect([kind, 'dark', await seriousFindings(page, 'colors')]).toEqual([kind, 'dark', []]);
        expect([kind, await isOverflowing()]).toEqual([kind, false]);
        expect([kind, await page.locator('h1').count(), await page.locator('main').count()]).toEqual([
          kind,
          1,
          1,
        ]);
        expect(await page.title()).not.toBe('');
      }
      await brand({});
    },
  );
});

describe('an end user with a keyboard only', () => {
  it('searches, chooses, corrects a mistake and connects, always seeing where they are', async () => {
    await enter({ reducedMotion: 'reduce' });
    stage.provider.accepts = ({ headers }) => headers.authorization === `Basic ${btoa('mia:right')}`;
    await page.goto((await start()).url);
    await page.keyboard.press('Tab');
    expect(await focused()).toEqual({ name: 'q', outline: 'solid 3px' });
    await page.keyboard.type('bàsic');
    expect(await page.getByRole('status').innerText()).toBe('1 service');
    expect(await shownChoices()).toEqual(['Provider basic']);
    await page.keyboard.press('Tab');
    expect(await focused()).toMatchObject({
      name: expect.stringContaining('Provider basic'),
      outline: 'solid 3px',
    });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Connect Provider basic' }).waitFor();
    await page.waitForLoadState();
    await page.keyboard.press('Tab');
    await page.keyboard.type('mia');
    await page.keyboard.press('Tab');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('does not accept these credentials').waitFor();
    await page.locator('#password:focus').waitFor();
    expect(await page.getAttribute('#password', 'aria-describedby')).toBe('refusal');
    await page.keyboard.type('right');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Almost done' }).waitFor();
  });
});

describe('an end user without JavaScript', () => {
  it('searches by a form, chooses, is shown what is wrong beside the field, and goes on to the provider', async () => {
    await enter({ javaScriptEnabled: false });
    await page.goto(`${(await start()).url}?locale=en`);
    expect(await shownChoices()).toHaveLength(OWN.length + BUILT_IN.length);
    await page.fill('#q', 'crm tenant');
    await page.click('button:has-text("Search")');
    await page.waitForURL('**/connect/*?*q=crm*');
    expect(await shownChoices()).toEqual(['Provider tenant']);
    await page.click('a:has-text("Show all services")');
    await page.waitForURL((url) => !url.searchParams.has('q'));
    expect(await shownChoices()).toHaveLength(OWN.length + BUILT_IN.length);
    expect(page.url()).toContain('?locale=en');
    await page.click('button:has-text("Provider tenant")');
    await page.fill('#subdomain', 'no such');
    await page.click('button.primary');
    const error = page.locator('#subdomain-error');
    expect(await error.innerText()).toContain('Subdomain');
    expect(await page.inputValue('#subdomain')).toBe('no such');
    const described = (await page.getAttribute('#subdomain', 'aria-describedby'))?.split(' ');
    expect(described).toEqual(['subdomain-affix', 'subdomain-hint', 'subdomain-error']);
    await page.locator('#subdomain[aria-invalid=true]:focus').waitFor();
    await page.fill('#subdomain', 'https://acme.tenants.test/start');
    await page.click('button.primary');
    await page.waitForURL('http://acme.tenants.test/authorize?**');
  });
});

describe('the list of services', () => {
  it('is grouped by category where it is long, each with a heading of its own', async () => {
    await enter();
    await page.goto((await start()).url);
    const groups = await page.getByRole('region').allInnerTexts();
    expect(groups.find((text) => text.startsWith('Accounting'))).toContain('Xero');
    await page.fill('#q', 'xero');
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['Accounting']);
    await page.fill('#q', 'nobody offers this');
    expect(await page.getByRole('status').innerText()).toBe('No service matches “nobody offers this”.');
  });
});

describe('the language', () => {
  it('is the browser’s, and the link’s where that names one, also after the provider’s page', async () => {
    await enter({ locale: 'de-AT' });
    await page.goto((await start()).url);
    expect([await heading(), await page.getAttribute('html', 'lang')]).toEqual(['Konto verbinden', 'de']);
    await page.goto(`${(await start({ provider: 'scripted' })).url}?locale=es-MX`);
    await page.goto(stage.callbackUrl(new URL(page.url()), { code: 'the-code', locale: 'en' }));
    expect([await heading(), await page.getAttribute('html', 'lang')]).toEqual(['Casi listo', 'es']);
  });

  it('is the one that the session was made with, whatever the browser asks for', async () => {
    await enter({ locale: 'de-AT' });
    await comeBack({ error: 'access_denied' }, { locale: 'es' });
    expect(await heading()).toBe('No se concedió el acceso');
    await page.goto((await start({ provider: 'keyed', locale: 'fr' })).url);
    expect(await page.getAttribute('html', 'lang')).toBe('de');
    // The provider's own hint is in English, and says so.
    expect(await page.getAttribute('#apiKey-hint', 'lang')).toBe('en');
  });
});

describe('a project’s own look', () => {
  it('is its name, logo and colour, and no other address for pictures is allowed', async () => {
    await enter();
    await brand({ displayName: 'Acme <Cloud>', logoUrl: LOGO, color: '#ffe45c' });
    const reply = await page.goto((await start({ provider: 'keyed' })).url);
    expect(await page.getByRole('banner').innerText()).toBe('Acme <Cloud>');
    expect(await page.title()).toBe('Connect Provider keyed – Acme <Cloud>');
    expect(await page.locator('header img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(
      90,
    );
    expect(reply?.headers()['content-security-policy']).toContain(
      "img-src 'self' data: https://logos.example.com;",
    );
    const colors = await page.locator('button.primary').evaluate((button) => {
      const { color, backgroundColor } = getComputedStyle(button);
      return [color, backgroundColor];
    });
    expect(colors).toEqual(['rgb(0, 0, 0)', 'rgb(255, 228, 92)']);
    await brand({});
    await page.goto((await start({ provider: 'keyed' })).url);
    expect(await page.getByRole('banner').innerText()).toBe('End-to-end');
  });
});

describe('the closing page of a popup', () => {
  /** Opens the link in a window of the application's page, which keeps the messages that it gets. */
  async function openPopup(url: string): Promise<Page> {
    await page.goto(`${APP_ORIGIN}/`);
    const opened = page.waitForEvent('popup');
    await page.evaluate((link) => {
      Object.assign(window, {
        received: new Promise((resolve) => addEventListener('message', resolve, { once: true })),
      });
      window.open(link, '_blank', 'popup');
    }, url);
    return opened;
  }
  const received = () => page.evaluate('received.then(({ data, origin }) => ({ data, origin }))');

  it('tells the application of an expired link and stays for its user to read, until they close it', async () => {
    await enter();
    const session = await start({ provider: 'scripted' });
    await stage.database
      .knex('connect_sessions')
      .where({ id: session.id })
      // Not long ago: after a day the gateway forgets that there ever was such a link.
      .update({ expires_at: new Date() });
    const popup = await openPopup(session.url);
    const data = {
      type: 'integration-gateway:connect',
      sessionId: session.id,
      status: 'error',
      error: 'session_expired',
    };
    expect(await received()).toEqual({ origin: stage.gateway.url, data });
    await popup.getByRole('heading', { name: 'This link has expired' }).waitFor();
    const closed = popup.waitForEvent('close');
    // The window may be gone before the click has been reported as done.
    popup.click('button:has-text("Close this window")').catch(() => undefined);
    await closed;
  });

  it('whose opener is gone goes on to the return URL, with the outcome in the fragment', async () => {
    await enter();
    const session = await start({ provider: 'scripted', display: 'popup', returnUrl: RETURN_URL });
    await page.goto(session.url);
    await page.goto(stage.callbackUrl(new URL(page.url()), { error: 'access_denied' }));
    await page.waitForURL(`${RETURN_URL}#connect_session=${session.id}&error=access_denied`);
  });
});

describe('a gateway that is not set up', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway?.stop());

  it('shows the set-up page in the same look, without serious findings', async () => {
    await enter({ colorScheme: 'dark', viewport: { width: 320, height: 640 } });
    await page.goto(`${gateway.url}/setup#${SETUP_TOKEN}`);
    expect(await heading()).toBe('Set up the gateway');
    expect([await seriousFindings(page), await isOverflowing()]).toEqual([[], false]);
  });
});
