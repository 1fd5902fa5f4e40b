import type { HttpBrowser, Page } from '../examples/http-browser.ts';
import { callApiOk } from '../support/gateway.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';
import { type ConnectingStage, RETURN_URL, type Session, startConnectingStage } from './connecting-stage.ts';

let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage(['scripted', 'keyed']);
});
afterAll(() => stage?.close());

const pageOf = ({ id }: Pick<Session, 'id'>) => `${stage.gateway.url}/connect/sessions/${id}`;
const titleOf = ({ body }: Page) => /<h1>([^<]*)<\/h1>/.exec(body)?.[1];
const againOf = ({ body }: Page) => /<form method="post" action="([^"]*)" id="again">/.exec(body)?.[1];
const backOf = ({ body }: Page) => /<a class="button" id="back" href="([^"]*)"/.exec(body)?.[1];
/** What the page's script puts in place of its address. */
const addressOf = (page: Page) => JSON.parse(JSON.stringify(readOutcome(page))).address;

const startLink = (body: object = {}) => stage.startByKey('mia', { completion: 'link', ...body });

/** A user who declines at the provider, or whose provider answers so. */
async function decline(session: Session, browser: HttpBrowser, error = 'access_denied'): Promise<Page> {
  return stage.answer(await stage.follow(session, browser), browser, { code: '', error });
}

describe('a user who declined', () => {
  it('tries again in the same session, and is connected', async () => {
    const session = await startLink();
    const browser = stage.openBrowser();
    const declined = await decline(session, browser);
    expect([titleOf(declined), backOf(declined)]).toEqual(['Access was not granted', APP_ORIGIN]);
    expect(againOf(declined)).toBe(new URL(pageOf(session)).pathname);
    const request = await browser.submit(pageOf(session));
    expect(new URL(request.url).origin).toBe(new URL(stage.provider.url).origin);
    const done = await stage.answer(new URL(request.url), browser);
    expect([titleOf(done), backOf(done), againOf(done)]).toEqual(['Connected', APP_ORIGIN, undefined]);
    expect(await stage.connectionsOf('mia')).toHaveLength(1);
  });

  it('finds the same page at the link, and is refused in another browser', async () => {
    const session = await startLink();
    const browser = stage.openBrowser();
    await decline(session, browser);
    const reopened = await browser.open(session.url);
    expect([reopened.status, titleOf(reopened)]).toEqual([410, 'Access was not granted']);
    const other = stage.openBrowser();
    expect((await other.submit(pageOf(session))).status).toBe(410);
    expect((await other.open(session.url)).status).toBe(410);
    expect(againOf(await other.open(pageOf(session)))).toBeUndefined();
  });

  it('is sent back to a return URL with the same code as ever', async () => {
    const session = await stage.start('mia', { returnUrl: RETURN_URL });
    const page = await decline(session, stage.openBrowser());
    expect(page.url).toBe(`${RETURN_URL}#connect_session=${session.id}&error=access_denied`);
  });
});

describe('nothing is begun again', () => {
  it('in a session that has expired', async () => {
    const session = await startLink();
    const browser = stage.openBrowser();
    await decline(session, browser);
    const past = new Date(Date.now() - 1000);
    await stage.database.knex('connect_sessions').where({ id: session.id }).update({ expires_at: past });
    const page = await browser.submit(pageOf(session));
    expect([againOf(page), backOf(page)]).toEqual([undefined, APP_ORIGIN]);
  });

  it('whose answer came to another browser', async () => {
    const session = await startLink();
    const browser = stage.openBrowser();
    const request = await stage.follow(session, browser);
    const other = await stage.answer(request, stage.openBrowser());
    expect([titleOf(other), backOf(other), againOf(other)]).toEqual([
      'Another browser',
      APP_ORIGIN,
      undefined,
    ]);
    expect(titleOf(await browser.submit(pageOf(session)))).toBe('Another browser');
  });

  it('that is complete', async () => {
    const session = await startLink();
    const browser = stage.openBrowser();
    await stage.answer(await stage.follow(session, browser), browser);
    expect(titleOf(await browser.submit(pageOf(session)))).toBe('Connected');
  });
});

describe('a user who cancels', () => {
  it.each([
    ['the choice', {}],
    ['the form', { provider: 'keyed' }],
  ])('%s: the application gets the code of one who declines', async (_, body) => {
    const session = await stage.start('mia', { provider: undefined, ...body });
    const browser = stage.openBrowser();
    expect((await browser.open(session.url)).body).toContain('name="cancel" value="1"');
    const page = await browser.submit(session.url, { cancel: '1' });
    expect([page.status, titleOf(page)]).toEqual([403, 'Cancelled']);
    const { message, origin } = readOutcome(page);
    expect([message.status, message.error, origin]).toEqual(['error', 'access_denied', APP_ORIGIN]);
    const again = await browser.submit(pageOf(session));
    expect(again.body).toContain('name="cancel" value="1"');
  });

  it('goes back to the return URL', async () => {
    const session = await stage.start('mia', { provider: 'keyed', returnUrl: RETURN_URL });
    const browser = stage.openBrowser();
    await browser.open(session.url);
    const page = await browser.submit(session.url, { cancel: '1' });
    expect(page.url).toBe(`${RETURN_URL}#connect_session=${session.id}&error=access_denied`);
  });

  it('does so in the session’s own browser only', async () => {
    const session = await stage.start('mia', { provider: 'keyed' });
    await stage.openBrowser().open(session.url);
    expect((await stage.openBrowser().submit(session.url, { cancel: '1' })).status).toBe(403);
    const row = await stage.database.knex('connect_sessions').where({ id: session.id }).first('state');
    expect(row.state).toBe('opened');
  });
});

describe('a page that is loaded again', () => {
  it('says "Connected", at an address without code and state', async () => {
    const session = await startLink();
    const browser = stage.openBrowser();
    const request = await stage.follow(session, browser);
    const done = await stage.answer(request, browser);
    expect(addressOf(done)).toBe(new URL(pageOf(session)).pathname);
    const reloaded = await browser.open(pageOf(session));
    expect([reloaded.status, titleOf(reloaded), backOf(reloaded)]).toEqual([200, 'Connected', APP_ORIGIN]);
    expect(titleOf(await stage.answer(request, browser))).toBe('Connected');
    expect(titleOf(await browser.open(session.url))).toBe('Connected');
  });

  it('says so once the application has completed it, and hands no code over again', async () => {
    const session = await stage.start('noa');
    const browser = stage.openBrowser();
    const request = await stage.follow(session, browser);
    const { message } = readOutcome(await stage.answer(request, browser));
    const waiting = await browser.open(pageOf(session));
    expect([titleOf(waiting), waiting.body.includes(message.completionCode ?? '')]).toEqual([
      'Almost done',
      false,
    ]);
    await stage.complete(session.id, message.completionCode, stage.project.userToken('noa'));
    expect(titleOf(await browser.open(pageOf(session)))).toBe('Connected');
  });

  it('has no code in its address where it belongs to no session', async () => {
    const page = await stage.openBrowser().open(`${stage.gateway.url}/oauth/callback?code=x&state=made-up`);
    expect(addressOf(page)).toBe('/oauth/callback');
  });
});

it('the way back leads nowhere that the session did not name, whatever the address says', async () => {
  const session = await startLink();
  const browser = stage.openBrowser();
  await decline(session, browser);
  const evil = 'https://evil.example/';
  const page = await browser.open(`${pageOf(session)}?returnUrl=${evil}&return_url=${evil}&origin=${evil}`);
  expect([backOf(page), page.body.includes('evil.example')]).toEqual([APP_ORIGIN, false]);
});

it('a session of the gateway’s own origin has no application to go back to', async () => {
  const session = await startLink();
  await stage.database
    .knex('connect_sessions')
    .where({ id: session.id })
    .update({ origin: stage.gateway.url });
  const browser = stage.openBrowser();
  expect(backOf(await decline(session, browser))).toBeUndefined();
});

describe('a session whose address the project takes out', () => {
  const change = (body: object) =>
    callApiOk(stage.gateway.url, 'PATCH', `/v1/projects/${stage.project.id}`, {
      bearer: stage.project.apiKey,
      body,
    });
  const whole = { allowedOrigins: [APP_ORIGIN], returnUrls: [RETURN_URL] };
  afterEach(() => change(whole));

  it.each([
    ['return URL', { returnUrls: [] }, APP_ORIGIN, () => stage.startByKey('ivo', { returnUrl: RETURN_URL })],
    ['origin', { allowedOrigins: [] }, undefined, () => stage.start('ivo')],
  ])('has ended: %s', async (_address, removed, back, begin) => {
    const session = await begin();
    const browser = stage.openBrowser();
    const request = await stage.follow(session, browser);
    await change(removed);
    const late = await stage.openBrowser().open(session.url);
    expect([late.status, backOf(late)]).toEqual([410, back]);
    const closing = await stage.answer(request, browser);
    expect(closing.url + closing.body).not.toMatch(/completion_?code=?"?:?"?\w/i);
    expect(await stage.connectionsOf('ivo')).toEqual([]);
  });

  it('goes on where another address was taken out', async () => {
    await change({ ...whole, returnUrls: [RETURN_URL, `${APP_ORIGIN}/other`] });
    const session = await stage.startByKey('ivo', { returnUrl: RETURN_URL });
    const browser = stage.openBrowser();
    const request = await stage.follow(session, browser);
    await change(whole);
    expect((await stage.answer(request, browser)).url).toMatch(/completion_code=[\w-]/);
  });
});
