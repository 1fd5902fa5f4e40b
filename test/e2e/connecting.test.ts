import { createHttpBrowser } from '../examples/http-browser.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import {
  APP_ORIGIN,
  authorize,
  complete,
  connectAccount,
  PROVIDER,
  proxyUrl,
  readOutcome,
  startConnectSession,
  startStage,
} from '../support/stage.ts';

const stage = await startStage();
afterAll(stage.close);

function connectionsOf(userId: string): Promise<{ connections: { id: string; accountId: string }[] }> {
  return callApiOk(stage.gateway.url, 'GET', '/v1/connections', { bearer: stage.project.userToken(userId) });
}

async function callProvider(userId: string): Promise<number> {
  const response = await fetch(proxyUrl(stage, '/crm/v3/objects/contacts?limit=1'), {
    headers: { authorization: `Bearer ${stage.project.userToken(userId)}` },
  });
  await response.arrayBuffer();
  return response.status;
}

describe('an authorization', () => {
  it('makes no connection that is listed or usable until the same user brings the completion code', async () => {
    const session = await startConnectSession(stage, 'mia');
    const outcome = readOutcome(await authorize(stage, session.url));
    expect(outcome).toEqual({
      origin: APP_ORIGIN,
      message: {
        type: 'integration-gateway:connect',
        sessionId: session.id,
        status: 'success',
        completionCode: expect.any(String),
      },
    });
    expect((await connectionsOf('mia')).connections).toEqual([]);
    expect(await callProvider('mia')).toBe(404);

    // Somebody who was sent the link, or who sent it: the right code, but another user.
    expect(await complete(stage, 'mallory', outcome)).toMatchObject({
      status: 404,
      body: { code: 'connect_session_not_found' },
    });
    const wrong = { ...outcome, message: { ...outcome.message, completionCode: 'x'.repeat(43) } };
    expect((await complete(stage, 'mia', wrong)).body.code).toBe('completion_code_invalid');

    const completed = await complete(stage, 'mia', outcome);
    expect(completed).toMatchObject({ status: 200, body: { status: 'active', accountId: '48100271' } });
    expect((await connectionsOf('mia')).connections).toEqual([completed.body]);
    expect((await connectionsOf('mallory')).connections).toEqual([]);
    expect(await callProvider('mia')).toBe(200);
    expect((await complete(stage, 'mia', outcome)).body.code).toBe('session_used');
  });

  it('shows the connection with every field of the specification, and metadata in one variant', async () => {
    const connection = await connectAccount(stage, { userId: 'fields' });
    const uuid = expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    expect(connection).toMatchObject({
      id: uuid,
      projectId: stage.project.id,
      integrationId: stage.integration.id,
      integrationUserId: uuid,
      customMetadata: {},
      createdAt: time,
      updatedAt: time,
    });
    expect(Object.keys(connection.authMetadata)).toEqual(['ProviderAccount']);
  });

  it('goes on only in the browser in which it began', async () => {
    const session = await startConnectSession(stage, 'noah');
    const origins = [stage.gateway.url, stage.crm.url];
    const victim = createHttpBrowser({ origins });
    // The first browser binds the session to itself; the same link opened elsewhere is of no use.
    const first = createHttpBrowser({ origins });
    expect((await first.open(session.url)).url).toContain(stage.crm.url);
    const second = await victim.open(session.url);
    expect(second.url).toBe(session.url);
    expect(second.status).toBe(410);
  });

  it('is finished by the browser that began it, once, and by no other that gets hold of the callback’s address', async () => {
    const session = await startConnectSession(stage, 'noah');
    const browser = createHttpBrowser({ origins: [stage.crm.url] });
    const login = await fetch(session.url, { redirect: 'manual' });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    const form = await browser.open(login.headers.get('location') ?? '');
    const consent = await browser.submit(`${form.url}/sign-in`, {
      email: 'ben@northwind.test',
      password: 'demo',
    });
    // This browser does not follow to the gateway: its address holds state and code.
    const callback = await browser.submit(`${consent.url}/allow`);
    const exchanges = () => stage.crm.stats.tokenRequests.authorization_code ?? 0;
    const before = exchanges();
    const stolen = await fetch(callback.url);
    expect(stolen.status).toBe(403);
    expect(await stolen.text()).not.toContain('completionCode');
    expect(exchanges()).toBe(before);
    const rightful = await fetch(callback.url, { headers: { cookie } });
    expect(await rightful.text()).toContain('completionCode');
    const replayed = await fetch(callback.url, { headers: { cookie } });
    expect(replayed.status).toBeGreaterThanOrEqual(400);
    expect(await replayed.text()).not.toContain('completionCode');
    expect(exchanges() - before).toBe(1);
    expect((await connectionsOf('noah')).connections).toEqual([]);
  });

  it('tells the page that the user denied, and of nothing else', async () => {
    const session = await startConnectSession(stage, 'noah');
    const outcome = readOutcome(await authorize(stage, session.url, { decision: 'deny' }));
    expect(outcome.message).toEqual({
      type: 'integration-gateway:connect',
      sessionId: session.id,
      status: 'error',
      error: 'access_denied',
    });
  });

  it('comes back by redirect to a registered address only, with the code in the fragment', async () => {
    const returnUrl = `${APP_ORIGIN}/`;
    const session = await startConnectSession(stage, 'redirected', { provider: PROVIDER, returnUrl });
    const page = await authorize(stage, session.url);
    const { origin, pathname, search, hash } = new URL(page.url);
    expect([origin + pathname, search]).toEqual([returnUrl, '']);
    const told = new URLSearchParams(hash.slice(1));
    expect([...told.keys()]).toEqual(['connect_session', 'completion_code']);
    const completed = await callApi(
      stage.gateway.url,
      'POST',
      `/v1/connect-sessions/${session.id}/complete`,
      {
        bearer: stage.project.userToken('redirected'),
        body: { completionCode: told.get('completion_code') },
      },
    );
    expect(completed.status).toBe(200);

    for (const stray of [`${APP_ORIGIN}/other`, `${APP_ORIGIN}/?next=1`, 'https://evil.test/']) {
      const refused = await callApi(stage.gateway.url, 'POST', '/v1/connect-sessions', {
        bearer: stage.project.userToken('redirected'),
        headers: { origin: APP_ORIGIN },
        body: { provider: PROVIDER, returnUrl: stray },
      });
      expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_return_url' } });
    }
  });

  it('is not begun for a page of an origin that the project does not list', async () => {
    const refused = await callApi(stage.gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: stage.project.userToken('noah'),
      headers: { origin: 'https://evil.test' },
      body: { provider: PROVIDER },
    });
    expect(refused.body.code).toBe('invalid_origin');
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('authorizing the same connection again', () => {
  it('keeps its id, and refuses another account than the one that it stands for', async () => {
    const userId = 'zoe';
    const connection = await connectAccount(stage, { userId });
    const again = { provider: PROVIDER, connectionId: connection.id };
    const mismatch = await startConnectSession(stage, userId, again);
    const { message } = readOutcome(await authorize(stage, mismatch.url, { email: 'carol@contoso.test' }));
    expect(message).toMatchObject({ status: 'error', error: 'account_mismatch' });
    expect(await callProvider(userId)).toBe(200);

    const kept = await connectAccount(stage, { userId, session: { connectionId: connection.id } });
    expect(kept).toMatchObject({ id: connection.id, accountId: '48100271' });
    expect((await connectionsOf(userId)).connections).toHaveLength(1);
  });
});

describe('a user with two accounts', () => {
  it('chooses one per call; without a choice the call is refused and told the ids', async () => {
    const userId = 'two-accounts';
    const first = await connectAccount(stage, { userId });
    const second = await connectAccount(stage, {
      userId,
      email: 'carol@contoso.test',
      session: { allowMultiple: true },
    });
    const path = `/projects/${stage.project.id}/proxy/${PROVIDER}/crm/v3/objects/contacts?limit=1`;
    const bearer = stage.project.userToken(userId);
    const ambiguous = await callApi(stage.gateway.url, 'GET', path, { bearer });
    expect(ambiguous).toMatchObject({ status: 409, body: { code: 'connection_ambiguous' } });
    for (const { id } of [first, second]) expect(ambiguous.text).toContain(id);
    const emails = [];
    for (const { id } of [first, second]) {
      const headers = { 'gateway-connection': id };
      const answer = await callApi(stage.gateway.url, 'GET', path, { bearer, headers });
      emails.push(answer.body.results[0].properties.email);
    }
    expect(new Set(emails).size).toBe(2);
  });
});

describe('a link that a backend vouches for', () => {
  it('needs no completion, and only an API key may make one', async () => {
    const link = { provider: PROVIDER, completion: 'link' };
    const session = await callApiOk(stage.gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: stage.project.apiKey,
      body: { ...link, userId: 'by-mail' },
    });
    await authorize(stage, session.url);
    expect((await connectionsOf('by-mail')).connections).toHaveLength(1);
    const refused = await callApi(stage.gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: stage.project.userToken('mallory'),
      body: link,
    });
    expect(refused.status).toBe(403);
  });
});

describe('disconnecting', () => {
  it('revokes at the provider, ends calls at once, and leaves nothing listed', async () => {
    const userId = 'leaver';
    const connection = await connectAccount(stage, { userId });
    expect(await callProvider(userId)).toBe(200);
    const before = stage.crm.stats.revokedTokens;
    const bearer = stage.project.userToken(userId);
    const deleted = await callApi(stage.gateway.url, 'DELETE', `/v1/connections/${connection.id}`, {
      bearer,
    });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(await callProvider(userId)).toBe(404);
    expect((await connectionsOf(userId)).connections).toEqual([]);
    expect(stage.crm.stats.revokedTokens).toBeGreaterThan(before);
  });
});
