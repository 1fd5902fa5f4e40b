import type { Page } from '../examples/http-browser.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import { waitForLockQueue } from '../support/postgres.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';
import {
  type ConnectingStage,
  integrate,
  RETURN_URL,
  type Session,
  startConnectingStage,
} from './connecting-stage.ts';

const OTHER_ORIGIN = 'http://127.0.0.1:10';

let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage(['scripted', 'other', 'keyed', 'tenant'], {
    env: { CONNECT_SESSION_LIFETIME_SECONDS: '120' },
    allowedOrigins: [APP_ORIGIN, OTHER_ORIGIN],
  });
});
afterAll(() => stage?.close());

/** Moves the end of a session's life into the past, as waiting would. */
async function expire({ id }: Session): Promise<void> {
  await stage.database
    .knex('connect_sessions')
    .where({ id })
    .update({ expires_at: new Date(Date.now() - 1000) });
}

const create = (body: object, options: { bearer?: string; origin?: string } = {}) =>
  callApi(stage.gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: options.bearer ?? stage.project.userToken('mia'),
    headers: options.origin === undefined ? {} : { origin: options.origin },
    body,
  });

const secondsUntil = (instant: string) => (Date.parse(instant) - Date.now()) / 1000;

const words = ({ body }: Page) => body.replace(/<[^>]*>/g, ' ');

describe('the link of a connect session', () => {
  it('has 256 random bits, no token of the user, and is stored only as a hash', async () => {
    const session = await stage.start('mia');
    const secret = /^http:\/\/127\.0\.0\.1:\d+\/connect\/([A-Za-z0-9_-]{43})$/.exec(session.url)?.[1] ?? '';
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    const row = await stage.database.knex('connect_sessions').where({ id: session.id }).first();
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  it('sets a HttpOnly Lax cookie that lives as long as the session and sends the browser on, uncached', async () => {
    const { url } = await stage.start('mia');
    const response = await fetch(url, { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(
      /^gateway_connect_[0-9a-f]{32}=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=(1[12]\d)$/,
    );
  });

  it('is refused to a second browser with 410, while the first may load it again and finish', async () => {
    const session = await stage.start('mia');
    const first = stage.openBrowser();
    await stage.follow(session, first);
    const second = await stage.openBrowser().open(session.url);
    expect(second.status).toBe(410);
    expect(words(second)).toContain('opened in another browser');
    expect(second.headers.getSetCookie()).toEqual([]);
    const again = await stage.follow(session, first);
    expect(readOutcome(await stage.answer(again, first)).message.status).toBe('success');
  });

  it('is not used up by a HEAD request, which gets no cookie', async () => {
    const session = await stage.start('mia');
    const head = await fetch(session.url, { method: 'HEAD', redirect: 'manual' });
    expect([head.status, head.headers.getSetCookie()]).toEqual([200, []]);
    await stage.follow(session, stage.openBrowser());
  });

  it('is over with 410 once it came to something, also in the browser that used it', async () => {
    const session = await stage.start('mia');
    const browser = stage.openBrowser();
    await stage.answer(await stage.follow(session, browser), browser);
    expect((await browser.open(session.url)).status).toBe(410);
    const refused = await stage.start('mia');
    await stage.answer(await stage.follow(refused, browser), browser, { code: '', error: 'access_denied' });
    expect((await browser.open(refused.url)).status).toBe(410);
  });

  it('is unknown with 404 where it was never created', async () => {
    for (const token of ['A'.repeat(43), 'short', '%00']) {
      const page = await stage.openBrowser().open(`${stage.gateway.url}/connect/${token}`);
      expect(page.status).toBe(404);
      expect(page.headers.get('content-type')).toContain('text/html');
    }
  });

  it('made with completion "link" goes to a later browser while nothing has come of it', async () => {
    const session = await stage.startByKey('mia', { completion: 'link' });
    const scanner = stage.openBrowser();
    const scanned = await stage.follow(session, scanner);
    const person = stage.openBrowser();
    const request = await stage.follow(session, person);
    expect((await stage.answer(scanned, scanner)).status).toBe(403);
    expect(readOutcome(await stage.answer(request, person)).message.status).toBe('success');
    expect((await stage.openBrowser().open(session.url)).status).toBe(410);
  });
});

describe('the life of a connect session', () => {
  it('is the configured time, and half an hour for a link', async () => {
    expect(Math.round(secondsUntil((await stage.start('mia')).expiresAt) / 10)).toBe(12);
    const link = await stage.startByKey('mia', { completion: 'link' });
    expect(Math.round(secondsUntil(link.expiresAt) / 60)).toBe(30);
  });

  it('ends in a page that explains it', async () => {
    const session = await stage.start('mia');
    await expire(session);
    const page = await stage.openBrowser().open(session.url);
    expect(page.status).toBe(410);
    expect(words(page)).toContain('This took too long');
  });

  it.each(['tenant', 'scripted'])(
    'ends so also at the moment in which the browser is sent on to the provider: %s',
    async (provider) => {
      const session = await stage.start('mia', { provider });
      const browser = stage.openBrowser();
      await browser.open(session.url);
      const { knex } = stage.database;
      const { answer } = await knex.transaction(async (trx) => {
        await trx('connect_sessions')
          .where({ id: session.id })
          .update({ expires_at: new Date(Date.now() - 1000) });
        const sent =
          provider === 'tenant'
            ? browser.submit(session.url, { subdomain: 'acme' })
            : browser.open(session.url);
        await waitForLockQueue(trx, knex);
        return { answer: sent };
      });
      const page = await answer;
      expect(page.status).toBe(410);
      expect(words(page)).toContain('This took too long');
      expect(readOutcome(page).message).toMatchObject({ status: 'error', error: 'session_expired' });
    },
  );

  it('ends so also when the provider’s answer comes too late: the application is told, and no code is exchanged', async () => {
    const session = await stage.start('mia');
    const browser = stage.openBrowser();
    const request = await stage.follow(session, browser);
    await expire(session);
    const before = stage.provider.tokenCalls.length;
    const page = await stage.answer(request, browser);
    expect(stage.provider.tokenCalls).toHaveLength(before);
    expect(readOutcome(page).message).toMatchObject({ status: 'error', error: 'session_expired' });
    expect(words(page)).toContain('This took too long');
  });
});

describe('who may make a session, and for which page', () => {
  it('is refused to a page whose origin the project does not allow, with 403 invalid_origin', async () => {
    const refused = await create({ provider: 'scripted' }, { origin: 'https://evil.example' });
    expect([refused.status, refused.body.code]).toEqual([403, 'invalid_origin']);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    expect((await create({ provider: 'scripted' }, { origin: OTHER_ORIGIN })).status).toBe(201);
  });

  it('hands the closing page’s message to the origin that made it or that was named, else to the project’s first', async () => {
    const originOf = async (session: Session) => readOutcome(await stage.authorize(session)).origin;
    expect(await originOf(await stage.start('mia'))).toBe(APP_ORIGIN);
    expect(await originOf(await stage.startByKey('mia', { origin: OTHER_ORIGIN }))).toBe(OTHER_ORIGIN);
    expect(await originOf(await stage.startByKey('mia'))).toBe(APP_ORIGIN);
    expect(await originOf((await create({ provider: 'scripted' })).body)).toBe(APP_ORIGIN);
    const named = await create({ provider: 'scripted', origin: OTHER_ORIGIN });
    expect(await originOf(named.body)).toBe(OTHER_ORIGIN);
  });

  it('refuses to hand the message to an origin that is not the project’s, or not that of the page that asks', async () => {
    const evil = { provider: 'scripted', origin: 'https://evil.example' };
    const refusals = await Promise.all([
      create({ ...evil, userId: 'mia' }, { bearer: stage.project.apiKey }),
      create(evil),
      create(evil, { origin: APP_ORIGIN }),
      create({ ...evil, origin: OTHER_ORIGIN }, { origin: APP_ORIGIN }),
    ]);
    for (const { status, body } of refusals) expect([status, body.code]).toEqual([403, 'invalid_origin']);
  });

  it('takes a registered return URL exactly, and nothing that looks like it', async () => {
    for (const returnUrl of [
      `${RETURN_URL}&more=1`,
      RETURN_URL.toUpperCase(),
      `${APP_ORIGIN}/`,
      'javascript:1',
      '',
    ]) {
      const refused = await create({ provider: 'scripted', returnUrl });
      expect([returnUrl, refused.status, refused.body.code]).toEqual([returnUrl, 400, 'invalid_return_url']);
    }
    expect((await create({ provider: 'scripted', returnUrl: RETURN_URL })).status).toBe(201);
  });

  it('lets an end user act for no other user, and vouch for no link', async () => {
    const origin = APP_ORIGIN;
    expect((await create({ provider: 'scripted', userId: 'noah' }, { origin })).status).toBe(403);
    expect((await create({ provider: 'scripted', completion: 'link' }, { origin })).status).toBe(403);
    expect((await create({ provider: 'scripted', completion: 'both' }, { origin })).status).toBe(400);
    expect((await create({ provider: 'scripted' }, { bearer: stage.project.apiKey })).status).toBe(400);
    expect((await create({ provider: 'scripted' }, { bearer: 'no token' })).status).toBe(401);
  });

  it('re-authorizes only a connection of that user', async () => {
    const connection = (await stage.connect('noah', 'north')).body;
    const foreign = await create({ connectionId: connection.id });
    expect([foreign.status, foreign.body.code]).toEqual([404, 'connection_not_found']);
    const own = await create({ connectionId: connection.id }, { bearer: stage.project.userToken('noah') });
    expect(own.status).toBe(201);
    const asOther = await create(
      { connectionId: connection.id, provider: 'other' },
      { bearer: stage.project.userToken('noah') },
    );
    expect(asOther.status).toBe(404);
  });
});

describe('what a session connects', () => {
  it('is refused where the provider is unknown or not integrated', async () => {
    const unknown = await create({ provider: 'nobody' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'provider_unknown']);
    const misspelt = await create({ provider: 'scriptd' });
    expect(misspelt.body.detail).toContain('Did you mean `scripted`?');
    const swapped = await create({ serviceProvider: 'scripted' });
    expect(swapped.body.errors).toEqual([
      { path: 'body.serviceProvider', message: 'Not a known name here. Did you mean `provider`?' },
    ]);
    const missing = await create({ provider: 'basic' });
    expect([missing.status, missing.body.code]).toEqual([404, 'integration_not_found']);
    const contrary = await create({ provider: 'other', integrationId: stage.integrations.scripted });
    expect([contrary.status, contrary.body.code]).toEqual([404, 'integration_not_found']);
  });

  it('is refused with 409 and the ids where two integrations of the provider exist, until one is named', async () => {
    const second = await integrate(stage, 'keyed');
    const ambiguous = await create({ provider: 'keyed' });
    expect([ambiguous.status, ambiguous.body.code]).toEqual([409, 'integration_ambiguous']);
    expect(ambiguous.body.detail).toContain('as `integrationId`');
    expect(ambiguous.body.integrationIds.sort()).toEqual([stage.integrations.keyed, second].sort());
    expect((await create({ integrationId: second })).status).toBe(201);
    await callApiOk(stage.gateway.url, 'DELETE', `/v1/integrations/${second}`, {
      bearer: stage.project.apiKey,
    });
  });

  it('is chosen on a page, without a script, where no provider is named', async () => {
    const browser = stage.openBrowser();
    const session: Session = (await create({}, { origin: APP_ORIGIN })).body;
    const page = await browser.open(session.url);
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('<script');
    for (const id of Object.values(stage.integrations)) expect(page.body).toContain(`value="${id}"`);
    const foreign = await browser.submit(session.url, { integrationId: session.id });
    expect(foreign.body).toContain(`value="${stage.integrations.scripted}"`);
    const stranger = await stage
      .openBrowser()
      .submit(session.url, { integrationId: stage.integrations.other ?? '' });
    expect(stranger.status).toBe(403);
    const sent = await browser.submit(session.url, { integrationId: stage.integrations.other ?? '' });
    const closing = await stage.answer(new URL(sent.url), browser);
    const { message } = readOutcome(closing);
    const { body } = await stage.complete(session.id, message.completionCode, stage.project.userToken('mia'));
    expect(body).toMatchObject({ integrationId: stage.integrations.other, serviceProvider: 'other' });
  });
});
