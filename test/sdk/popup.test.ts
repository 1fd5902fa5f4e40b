import type { BrowserContext, Page, Route } from 'playwright-core';
import { PROVIDER } from './provider.ts';
import { connectInPopup, expireSessions, listConnections, openPage, startSdkStage } from './stage.ts';

let context: BrowserContext;
let page: Page;
let user: string;

const stage = await startSdkStage();
afterAll(stage.close);
beforeEach(async () => {
  ({ user, context } = await stage.signInAgain());
  page = await openPage(stage, context);
});
afterEach(() => context.close());

describe('connecting in a popup', () => {
  it('gives the connection, closes the window, and leaves no token in any storage', async () => {
    const { popup, outcome } = await connectInPopup(page);
    const closed = popup.waitForEvent('close');
    await popup.click('#allow');
    const { id } = await outcome;
    await closed;
    expect(await listConnections(stage, user)).toEqual([expect.objectContaining({ id, status: 'active' })]);
    expect(await page.evaluate(() => window.events)).toEqual([
      { type: 'connection.created', connectionId: id },
    ]);
    const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
    expect(kept).toEqual([0, 0, `user=${user}`]);
  });

  it('keeps the id of a connection that is authorized again, and refuses another account', async () => {
    const first = await connectInPopup(page);
    await first.popup.click('#allow');
    const { id = '' } = await first.outcome;

    const reauthorize = async (account: string) => {
      stage.provider.account = account;
      const opening = page.waitForEvent('popup');
      const outcome = page.evaluate(
        (connectionId) =>
          window.gateway.reauthorize(connectionId).then(
            (connection) => connection.id,
            (error) => error.code,
          ),
        id,
      );
      await (await opening).click('#allow');
      return outcome;
    };
    expect(await reauthorize('south').finally(() => (stage.provider.account = 'north'))).toBe(
      'account_mismatch',
    );
    expect(await reauthorize('north')).toBe(id);
    const types = await page.evaluate(() => window.events.map(({ type }) => type));
    expect(types).toEqual(['connection.created', 'connection.reauthorized']);
  });

  it('closes the window of a page that was reloaded meanwhile, which hears of the connection', async () => {
    const { popup, outcome } = await connectInPopup(page, { returnUrl: `${stage.application.url}/back` });
    // The call is gone with the page.
    outcome.catch(() => undefined);
    await page.reload();
    await page.waitForFunction(() => window.gateway !== undefined);
    const closed = popup.waitForEvent('close');
    await popup.click('#allow');
    await closed;
    expect(await listConnections(stage, user)).toHaveLength(1);
    await page.waitForFunction(() => window.events.some(({ type }) => type === 'connection.created'));
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it('closes the window at once, however long the gateway takes to complete', async () => {
    const { popup, outcome } = await connectInPopup(page, { returnUrl: `${stage.application.url}/isolated` });
    const gone = popup.waitForEvent('close');
    await page.route('**/complete', (route) => gone.then(() => route.continue()));
    await popup.click('#allow');
    await gone;
    expect(await outcome).toEqual({ id: expect.any(String) });
  });

  it('closes a window that has gone on to the application, also after this page has done its part', async () => {
    await page.evaluate(() => {
      const hold = (event: MessageEvent) => {
        event.stopImmediatePropagation();
        const { data, origin, source } = event;
        Object.assign(window, { held: { data, origin, source } });
      };
      addEventListener('message', hold, { once: true });
    });
    const { popup, outcome } = await connectInPopup(page, { returnUrl: `${stage.application.url}/isolated` });
    const isDone = Promise.withResolvers<void>();
    await popup.route('**/complete', (route) => isDone.promise.then(() => route.continue()));
    const completing = popup.waitForRequest('**/complete');
    const gone = popup.waitForEvent('close');
    await popup.click('#allow');
    await completing;
    await page.evaluate('void dispatchEvent(new MessageEvent("message", held))');
    const { id } = await outcome;
    isDone.resolve();
    await gone;
    expect(await listConnections(stage, user)).toEqual([expect.objectContaining({ id })]);
  });

  it('tells that the user denied', async () => {
    const { popup, outcome } = await connectInPopup(page);
    const closed = popup.waitForEvent('close');
    await popup.click('#deny');
    expect(await outcome).toMatchObject({ name: 'ConnectError', code: 'access_denied' });
    await closed;
    expect(await listConnections(stage, user)).toEqual([]);
  });

  it('tells that the user closed the window', async () => {
    const { popup, outcome } = await connectInPopup(page);
    await popup.close();
    expect(await outcome).toMatchObject({ code: 'popup_closed' });
  });

  it('does both of two that are under way at once', async () => {
    const first = await connectInPopup(page, { allowMultiple: true });
    stage.provider.account = 'south';
    const second = await connectInPopup(page, { allowMultiple: true });
    stage.provider.account = 'north';
    await second.popup.click('#allow');
    const south = await second.outcome;
    await first.popup.click('#allow');
    const north = await first.outcome;
    const connections = await listConnections(stage, user);
    expect(connections).toEqual([
      expect.objectContaining({ id: north.id, accountId: 'north' }),
      expect.objectContaining({ id: south.id, accountId: 'south' }),
    ]);
  });

  it('leaves the window open for the reason to be read, until it is closed or the user tries again', async () => {
    const returnUrl = `${stage.application.url}/back`;
    const { popup, outcome } = await connectInPopup(page, { returnUrl });
    await expireSessions(stage);
    await popup.clock.install();
    await popup.click('#allow');
    expect(await outcome).toMatchObject({ code: 'session_expired' });
    const heading = popup.getByRole('heading', { name: 'This link has expired' });
    await heading.waitFor();
    // Nor does it go on to the return URL: the page that waited has heard.
    await popup.clock.runFor(60_000);
    expect(await heading.isVisible()).toBe(true);
    const closed = popup.waitForEvent('close');
    const again = await connectInPopup(page, { returnUrl });
    await closed;
    await again.popup.click('#allow');
    expect(await again.outcome).toEqual({ id: expect.any(String) });
  });

  it('is called off by its signal, which closes the window', async () => {
    const opening = page.waitForEvent('popup');
    const outcome = page.evaluate((provider) => {
      const calling = new AbortController();
      Object.assign(window, { callOff: () => calling.abort() });
      return window.gateway.connect(provider, { signal: calling.signal }).catch((error) => error.name);
    }, PROVIDER);
    const popup = await opening;
    await popup.waitForSelector('#allow');
    const closed = popup.waitForEvent('close');
    await page.evaluate('callOff()');
    expect(await outcome).toBe('AbortError');
    await closed;
  });

  it.each([
    ['its signal', 'AbortError', (): Promise<unknown> => page.evaluate('callOff()')],
    ['its user, who closes the window', 'ConnectError', (popup: Page): Promise<unknown> => popup.close()],
  ])('that has no token yet is ended by %s', async (_what, name, end) => {
    await page.route('**/token', () => undefined);
    const opening = page.waitForEvent('popup');
    const outcome = page.evaluate((provider) => {
      const calling = new AbortController();
      Object.assign(window, { callOff: () => calling.abort() });
      return window.gateway.connect(provider, { signal: calling.signal }).catch((error) => error.name);
    }, PROVIDER);
    const popup = await opening;
    const closed = popup.waitForEvent('close');
    await end(popup);
    expect(await outcome).toBe(name);
    await closed;
  });

  it('closes the window again when the gateway refuses to begin', async () => {
    const opening = page.waitForEvent('popup');
    const outcome = page.evaluate(() =>
      window.gateway.connect('no-such-provider').catch(({ name, status, code, remedy, requestId }) => ({
        name,
        status,
        code,
        hasRemedy: remedy !== '',
        hasRequestId: /^[0-9a-f-]{36}$/.test(requestId),
      })),
    );
    const popup = await opening;
    const closed = popup.isClosed() || popup.waitForEvent('close');
    expect(await outcome).toEqual({
      name: 'GatewayError',
      status: 404,
      code: 'provider_unknown',
      hasRemedy: true,
      hasRequestId: true,
    });
    await closed;
  });

  it('completes when the network is back, also if only the answer was lost', async () => {
    const { popup, outcome } = await connectInPopup(page);
    let attempts = 0;
    const isOffline = Promise.withResolvers<void>();
    const gone = popup.waitForEvent('close');
    const answer = async (route: Route) => {
      attempts += 1;
      if (attempts > 2) return route.continue();
      // The second one reaches the gateway, which does its part.
      if (attempts === 2) await route.fetch();
      // A page that closes while Playwright cuts the network of all pages would fail that.
      else await gone.then(() => context.setOffline(true));
      await route.abort('internetdisconnected');
      if (attempts === 1) isOffline.resolve();
    };
    // A page that is closed meanwhile must not end the process of all tests.
    await page.route('**/complete', (route) => answer(route).catch(isOffline.reject));
    await popup.click('#allow');
    await isOffline.promise;
    await context.setOffline(false);
    const { id } = await outcome;
    expect(attempts).toBe(3);
    expect(await listConnections(stage, user)).toEqual([expect.objectContaining({ id })]);
  });
});

it('completes also where the application gives no token at first', async () => {
  const { application, project } = stage;
  const { tokenOf } = application;
  // Too short for the token of the beginning to be used again at the end.
  application.tokenOf = (userId) => project.userToken(userId, { expiresInSeconds: 20 });
  try {
    const { popup, outcome } = await connectInPopup(page);
    await page.route('**/token', (route) => route.abort(), { times: 1 });
    await popup.click('#allow');
    const { id } = await outcome;
    expect(await listConnections(stage, user)).toEqual([expect.objectContaining({ id })]);
  } finally {
    application.tokenOf = tokenOf;
  }
});

describe('messages to the page that opened the window', () => {
  it('are ignored from another origin, from another window, and about another session', async () => {
    const answering = page.waitForResponse('**/v1/connect-sessions');
    const { popup, outcome } = await connectInPopup(page);
    const { id: sessionId } = await (await answering).json();
    const forged = {
      type: 'integration-gateway:connect',
      sessionId,
      status: 'error',
      error: 'access_denied',
    };
    // The right window, which now shows the provider's origin.
    await popup.evaluate((message) => window.opener.postMessage(message, '*'), forged);
    // The application's own page, as a script in a frame of it might.
    await page.evaluate((message) => window.postMessage(message, '*'), forged);
    // The gateway's origin, in a window that the page has opened for something else.
    const ownPage = `${stage.gateway.url}/docs/errors`;
    const opening = page.waitForEvent('popup');
    await page.evaluate((url) => void window.open(url), ownPage);
    const other = await opening;
    await other.waitForURL(ownPage);
    await other.evaluate((message) => window.opener.postMessage(message, '*'), forged);
    // The right window at the right origin, of a session before.
    await popup.goto(ownPage);
    const stale = { ...forged, sessionId: '01890a5d-ac96-774b-bcce-b302099a8057' };
    await popup.evaluate((message) => window.opener.postMessage(message, '*'), stale);
    await popup.goBack();
    await popup.click('#allow');
    expect(await outcome).toEqual({ id: expect.any(String) });
  });
});
