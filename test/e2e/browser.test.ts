import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Demo, startDemo } from '../../examples/demo/start-demo.ts';
import { seriousFindings } from '../support/axe.ts';
import { openContext, startBrowser } from '../support/browser.ts';
import { callApiOk } from '../support/gateway.ts';
import { findDemoPorts } from '../support/ports.ts';
import { programPath } from '../support/programs.ts';
import { until } from '../support/until.ts';

/** The hub of those who log in at northwind.test. */
const NORTHWIND = 48_100_271;

let demo: Demo;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [demo, browser] = await Promise.all([
    startDemo({ ports: await findDemoPorts(), main: programPath('src/main.ts') }),
    startBrowser(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

// A person with a browser of their own for each test.
beforeEach(async () => {
  context = await openContext(browser);
  page = await context.newPage();
});

afterEach(async () => {
  await context.close();
  const { projectId, apiKey: bearer } = demo.project;
  const path = `/v1/projects/${projectId}/connections`;
  const { connections } = await callApiOk(demo.gatewayUrl, 'GET', path, { bearer });
  for (const { id } of connections)
    await callApiOk(demo.gatewayUrl, 'DELETE', `/v1/connections/${id}`, { bearer });
});

async function signIn(userId: string): Promise<void> {
  await page.goto(demo.app.url);
  await page.click(`button[value=${userId}]`);
  await page.waitForSelector('#connect:visible, #disconnect:visible');
}

async function logInAndDecide(window: Page, decision: '#allow' | '#deny', email = 'ada@northwind.test') {
  await window.waitForSelector('#email, #allow');
  if (await window.isVisible('#email')) {
    await window.fill('#email', email);
    await window.fill('#password', 'demo');
    await window.click('#sign-in');
  }
  await window.click(decision);
}

async function openPopup(button: string): Promise<Page> {
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.click(button)]);
  return popup;
}

/** Presses a button of the sample app and goes through its window until that has closed itself. */
async function throughPopup(button: string, decision: '#allow' | '#deny', email?: string): Promise<void> {
  const popup = await openPopup(button);
  const closed = popup.waitForEvent('close');
  await logInAndDecide(popup, decision, email);
  await closed;
}

async function connectionsOf(userId: string): Promise<{ id: string; status: string; accountId: string }[]> {
  const { token } = await callApiOk(demo.gatewayUrl, 'POST', '/v1/user-tokens', {
    bearer: demo.project.apiKey,
    body: { userId },
  });
  return (await callApiOk(demo.gatewayUrl, 'GET', '/v1/connections', { bearer: token })).connections;
}

const contactRows = '#contacts tbody tr';

describe('a user of the sample app', () => {
  it('connects in a window, sees and creates contacts, comes back later, re-authorizes, and disconnects', async () => {
    await signIn('user-mia');
    await throughPopup('#connect', '#allow');
    await page.waitForSelector(contactRows);
    expect(await page.textContent('#account')).toBe('Connected to northwind.test');
    expect(await page.locator(contactRows).count()).toBe(20);
    expect(await seriousFindings(page)).toEqual([]);

    const first = await page.textContent(`${contactRows}:first-child`);
    await page.click('#next');
    await page.waitForSelector('#previous:enabled');
    expect(await page.textContent(`${contactRows}:first-child`)).not.toBe(first);

    await page.fill('#firstname', 'Grace');
    await page.fill('#lastname', 'Hopper');
    await page.fill('#create [name=email]', 'grace@example.test');
    await page.click('#create [type=submit]');
    await page.getByText('Grace Hopper was created in your CRM.').waitFor();

    await page.reload();
    await page.waitForSelector(contactRows);
    const [connected] = await connectionsOf('user-mia');

    await throughPopup('#reauthorize', '#allow');
    await page.getByText('Re-authorized.').waitFor();
    await expectStill(connected?.id);

    const revokedBefore = demo.crm.stats.revokedTokens;
    await page.click('#disconnect');
    await page.waitForSelector('#connect:visible');
    await until(() => demo.crm.stats.revokedTokens > revokedBefore);
    expect(await connectionsOf('user-mia')).toEqual([]);
  });

  async function expectStill(id: string | undefined): Promise<void> {
    expect((await connectionsOf('user-mia')).map((connection) => connection.id)).toEqual([id]);
  }

  it('sees what changes in the CRM on the page that is open, row by row', async () => {
    await signIn('user-mia');
    const held = Promise.withResolvers<void>();
    await page.route(/\/proxy\/.*\/contacts\?/, (route) => held.promise.then(() => route.continue()));
    await throughPopup('#connect', '#allow');
    await page.click('#change');
    await page.getByText('There is no contact on this page yet').waitFor();
    held.resolve();
    await page.waitForSelector(contactRows);
    await page.waitForSelector('#listening.good');

    const changed = demo.crm.act(NORTHWIND, 'change');
    const row = page.locator(`#contacts tr[data-id="${changed?.id}"]`);
    await row.getByText(changed?.properties.jobtitle ?? 'none', { exact: true }).waitFor();
    const line = page.locator(`#change-list li[data-id="${changed?.id}"]`).first();
    expect(await line.textContent()).toMatch(/updated.+job title: .+by webhook in [0-9.]+ s$/);

    const archived = demo.crm.act(NORTHWIND, 'archive');
    await page.waitForSelector(`#contacts tr.deleted[data-id="${archived?.id}"]`);
    const created = demo.crm.act(NORTHWIND, 'create');
    await page.waitForSelector(`#contacts tr[data-id="${created?.id}"]`);

    const linesBefore = await page.locator('#change-list li').count();
    await page.click('#change');
    await page.waitForFunction(
      (before) => document.querySelectorAll('#change-list li').length > before,
      linesBefore,
    );
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('sees a change by poll where the CRM sends no webhooks', async () => {
    await signIn('user-noah');
    await throughPopup('#connect', '#allow');
    await page.waitForSelector(contactRows);
    const bearer = demo.project.apiKey;
    const { polls } = await callApiOk(demo.gatewayUrl, 'GET', '/v1/polls', { bearer });
    const path = `/v1/polls/${polls[0].id}`;
    await until(async () => {
      const found = await callApiOk(demo.gatewayUrl, 'GET', `${path}/connections`, { bearer });
      return found.connections.some((one: { state: string; cursor: string | null }) => {
        return one.state === 'waiting' && one.cursor !== null;
      });
    });

    const target = await turnWebhooksOff();
    try {
      const changed = demo.crm.act(NORTHWIND, 'change');
      await callApiOk(demo.gatewayUrl, 'POST', `${path}/run`, { bearer });
      const row = page.locator(`#contacts tr[data-id="${changed?.id}"]`);
      await row.getByText(changed?.properties.jobtitle ?? 'none', { exact: true }).waitFor();
      const line = page.locator(`#change-list li[data-id="${changed?.id}"]`).first();
      expect(await line.textContent()).toContain('by poll');
    } finally {
      demo.crm.sendWebhooksTo('sample-app', target);
    }
  });

  /** The address that they were sent to. */
  async function turnWebhooksOff(): Promise<string> {
    const path = `/v1/integrations?projectId=${demo.project.projectId}`;
    const found = await callApiOk(demo.gatewayUrl, 'GET', path, { bearer: demo.project.apiKey });
    demo.crm.sendWebhooksTo('sample-app', undefined);
    return found.integrations[0].webhookUrl;
  }

  it('is told so when they deny, and nothing is connected', async () => {
    await signIn('user-noah');
    await throughPopup('#connect', '#deny');
    await page.getByText('You did not allow the connection').waitFor();
    expect(await page.isVisible('#connect')).toBe(true);
    expect(await connectionsOf('user-noah')).toEqual([]);
  });

  it('is told so when they close the window', async () => {
    await signIn('user-noah');
    const popup = await openPopup('#connect');
    await popup.waitForSelector('#email');
    await popup.close();
    await page.getByText('The window was closed before the account was connected').waitFor();
  });

  it('connects without a window by leaving the page and coming back, with no code left in the address', async () => {
    await signIn('user-noah');
    await page.click('#connect-redirect');
    await logInAndDecide(page, '#allow', 'carol@contoso.test');
    await page.waitForSelector(contactRows);
    expect(page.url()).toBe(`${demo.app.url}/`);
    expect(await page.textContent('#account')).toBe('Connected to contoso.test');
  });

  it('comes back with a message when they deny on that way', async () => {
    await signIn('user-zoe');
    await page.click('#connect-redirect');
    await logInAndDecide(page, '#deny');
    await page.getByText('You did not allow the connection').waitFor();
    expect(page.url()).toBe(`${demo.app.url}/`);
  });

  it('keeps a second account beside the first', async () => {
    await signIn('user-zoe');
    await throughPopup('#connect', '#allow');
    await page.waitForSelector(contactRows);
    const popup = await openPopup('#connect-another');
    const closed = popup.waitForEvent('close');
    // The demo CRM still knows who logged in before.
    await popup.click('#switch-user');
    await logInAndDecide(popup, '#allow', 'carol@contoso.test');
    await closed;
    await page.getByText('Connected to contoso.test').waitFor();
    const accountIds = (await connectionsOf('user-zoe')).map(({ accountId }) => accountId);
    expect(accountIds.sort()).toEqual(['48100271', '48233904']);
    await page.selectOption('#accounts', { label: 'northwind.test' });
    await page.getByText('Connected to northwind.test').waitFor();
    await page.waitForSelector(contactRows);
  });
});

describe('messages to the page that opened the window', () => {
  it('are ignored when they come from another origin, or from another window than the one opened', async () => {
    await signIn('user-mia');
    const [answer, popup] = await Promise.all([
      page.waitForResponse((response) => response.url() === `${demo.gatewayUrl}/v1/connect-sessions`),
      openPopup('#connect'),
    ]);
    await popup.waitForSelector('#email');
    const { id: sessionId } = await answer.json();
    const forged = {
      type: 'integration-gateway:connect',
      sessionId,
      status: 'error',
      error: 'access_denied',
    };
    // The window now shows the demo CRM's origin, which says what only the gateway may say.
    await popup.evaluate(([message, origin]) => window.opener.postMessage(message, origin), [
      forged,
      demo.app.url,
    ] as const);
    // And so does the application's own page, as a script in a frame might.
    await page.evaluate((message) => window.postMessage(message, '*'), forged);
    const closed = popup.waitForEvent('close');
    await logInAndDecide(popup, '#allow');
    await closed;
    await page.waitForSelector(contactRows);
    expect(await page.textContent('#message')).toBe('Connected.');
  });
});

describe('pages of the gateway in a browser', () => {
  it('write no errors to the console and break no rule of their own content security policy', async () => {
    const problems: string[] = [];
    context.on('console', (message) => {
      if (message.type() === 'error') problems.push(`${message.page()?.url()}: ${message.text()}`);
    });
    context.on('weberror', (error) => problems.push(String(error.error())));
    await signIn('user-mia');
    await throughPopup('#connect', '#allow');
    await page.waitForSelector(contactRows);
    await page.click('#disconnect');
    await page.waitForSelector('#connect:visible');
    expect(problems).toEqual([]);
  });
});
