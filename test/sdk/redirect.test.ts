import type { BrowserContext, Page } from 'playwright-core';
import { connect, connectInPopup, listConnections, type Outcome, openPage, startSdkStage } from './stage.ts';

let context: BrowserContext;
let user: string;

const stage = await startSdkStage();
afterAll(stage.close);
beforeEach(async () => {
  ({ user, context } = await stage.signInAgain());
});
afterEach(async () => {
  stage.provider.isIsolated = false;
  await context.close();
});

const blockPopups = (page: Page) =>
  page.evaluate(() => {
    window.open = () => null;
  });

/** Begins in a page that the browser allows no popup, as far as the provider's page. */
async function leave(page: Page): Promise<void> {
  await blockPopups(page);
  // The page goes away under the call, which therefore never ends.
  connect(page).catch(() => undefined);
  await page.waitForSelector('#allow');
}

const completed = (page: Page): Promise<Outcome> =>
  page.evaluate(() =>
    window.gateway.completeRedirect().then(
      (connection) => ({ ...(connection && { id: connection.id }) }),
      ({ name, code }) => ({ name, code }),
    ),
  );

describe('a blocked popup', () => {
  it('leads away from the page and back, with no code left in the address or the history', async () => {
    const page = await openPage(stage, context, '/?return=/back');
    const elsewhere = await openPage(stage, context);
    await leave(page);
    await page.click('#allow');
    await page.waitForFunction(() => 'gateway' in window);
    const { id } = await completed(page);
    expect(await listConnections(stage, user)).toEqual([expect.objectContaining({ id })]);
    expect(page.url()).toBe(`${stage.application.url}/back`);
    expect(await page.evaluate(() => [history.state, sessionStorage.length, localStorage.length])).toEqual([
      null,
      0,
      0,
    ]);
    // Another tab of the application hears of it.
    await elsewhere.waitForFunction(() => window.events.length > 0);
    expect(await elsewhere.evaluate(() => window.events)).toEqual([
      { type: 'connection.created', connectionId: id },
    ]);
  });

  it('leads nowhere once the application calls it off, however late its link comes', async () => {
    const page = await openPage(stage, context, '/?return=/back');
    const isCalledOff = Promise.withResolvers<void>();
    await page.route('**/v1/connect-sessions', (route) => isCalledOff.promise.then(() => route.continue()));
    const outcome = page.evaluate(() => {
      const calling = new AbortController();
      const ended = window.gateway
        .connect(undefined, { mode: 'redirect', signal: calling.signal })
        .catch((error) => error.name);
      calling.abort();
      return ended;
    });
    expect(await outcome).toBe('AbortError');
    const answered = page.waitForResponse('**/v1/connect-sessions');
    isCalledOff.resolve();
    await (await answered).finished();
    expect(page.url()).toBe(`${stage.application.url}/?return=/back`);
  });

  it('is an error where there is no return URL, or where leaving is not wanted', async () => {
    const page = await openPage(stage, context);
    await blockPopups(page);
    expect(await connect(page)).toMatchObject({ name: 'ConnectError', code: 'popup_blocked' });
    const returnUrl = `${stage.application.url}/back`;
    expect(await connect(page, { returnUrl, mode: 'popup' })).toMatchObject({ code: 'popup_blocked' });
  });
});

describe('coming back by redirect', () => {
  it('tells that the user denied', async () => {
    const page = await openPage(stage, context, '/?return=/back');
    await leave(page);
    await page.click('#deny');
    await page.waitForFunction(() => 'gateway' in window);
    expect(await completed(page)).toEqual({ name: 'ConnectError', code: 'access_denied' });
    expect(page.url()).toBe(`${stage.application.url}/back`);
  });

  it('survives a reload in the middle', async () => {
    const page = await openPage(stage, context, '/?return=/back');
    await leave(page);
    const asked = Promise.withResolvers<void>();
    // Never answered: the page is reloaded first.
    await page.route('**/complete', () => asked.resolve(), { times: 1 });
    await page.click('#allow');
    await asked.promise;
    expect(page.url()).toBe(`${stage.application.url}/back`);
    await page.reload();
    await page.waitForFunction(() => 'gateway' in window);
    const { id } = await completed(page);
    expect(await listConnections(stage, user)).toEqual([expect.objectContaining({ id })]);
    await page.reload();
    await page.waitForFunction(() => 'gateway' in window);
    expect(await completed(page)).toEqual({});
  });

  it('is refused to another user than the one who began', async () => {
    const page = await openPage(stage, context, '/?return=/back');
    await leave(page);
    // The rightful user comes no further than the address.
    await page.route('**/complete', (route) => route.abort());
    const returning = page.waitForResponse('**/oauth/callback?**');
    await page.click('#allow');
    const { location = '' } = (await returning).headers();
    expect(location).toMatch(/\/back#connect_session=.+&completion_code=.+/);
    const victim = await stage.signIn('mallory');
    try {
      const other = await victim.newPage();
      await other.goto(location);
      await other.waitForFunction(() => 'gateway' in window);
      expect(await completed(other)).toEqual({ name: 'GatewayError', code: 'connect_session_not_found' });
    } finally {
      await victim.close();
    }
    expect(await listConnections(stage, 'mallory')).toEqual([]);
    expect(await listConnections(stage, user)).toEqual([]);
  });
});

describe('a popup that is cut off from the page that opened it', () => {
  /** Its user is in the popup; a browser without windows takes every page for the one in front. */
  const lookElsewhere = (page: Page) =>
    page.evaluate(() => {
      document.hasFocus = () => false;
    });

  it('by the provider’s page: comes back to the return URL, and the waiting page is notified', async () => {
    stage.provider.isIsolated = true;
    const page = await openPage(stage, context, '/?return=/back');
    await lookElsewhere(page);
    const { popup, outcome } = await connectInPopup(page);
    const closed = popup.waitForEvent('close');
    await popup.click('#allow');
    const { id } = await outcome;
    await closed;
    expect(await listConnections(stage, user)).toEqual([expect.objectContaining({ id })]);
    expect(await page.evaluate(() => window.events)).toEqual([
      { type: 'connection.created', connectionId: id },
    ]);
  });

  it('by the application’s own page: the same, with an error as well', async () => {
    const page = await openPage(stage, context, '/isolated?return=/isolated');
    await lookElsewhere(page);
    const denied = await connectInPopup(page);
    await denied.popup.click('#deny');
    expect(await denied.outcome).toMatchObject({ code: 'access_denied' });
    const agreed = await connectInPopup(page);
    await agreed.popup.click('#allow');
    const { id } = await agreed.outcome;
    expect(await listConnections(stage, user)).toEqual([expect.objectContaining({ id })]);
  });

  it('counts as closed once its user is back on the page, and still reports when it ends later', async () => {
    stage.provider.isIsolated = true;
    const page = await openPage(stage, context, '/?return=/back');
    const { popup, outcome } = await connectInPopup(page);
    expect(await outcome).toMatchObject({ code: 'popup_closed' });
    await popup.click('#allow');
    await page.waitForFunction(() => window.events.length > 0);
    expect(await listConnections(stage, user)).toHaveLength(1);
  });
});
