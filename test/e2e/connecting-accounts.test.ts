import { callApi, callApiOk } from '../support/gateway.ts';
import { readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { answerTokens } from './connecting-provider.ts';
import { type ConnectingStage, integrate, type Session, startConnectingStage } from './connecting-stage.ts';

let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage(['scripted', 'tenant'], {
    env: { CONNECT_SWEEP_INTERVAL_SECONDS: '1' },
  });
});
afterAll(() => stage?.close());

const token = (userId: string) => stage.project.userToken(userId);

/** An authorization of an account, up to the closing page's message, and the refresh token that it brought. */
async function authorizeAs(session: Session, accountId: string) {
  const { body } = answerTokens(accountId) as { body: { refresh_token: string; access_token: string } };
  stage.provider.answerToken = () => ({ body });
  return { session, ...readOutcome(await stage.authorize(session)).message, ...body };
}

const completed = ({ session, completionCode }: Awaited<ReturnType<typeof authorizeAs>>, userId: string) =>
  stage.complete(session.id, completionCode, token(userId));

async function credentialOf(userId: string, connectionId?: string): Promise<string | undefined> {
  await callApiOk(stage.gateway.url, 'GET', `/projects/${stage.project.id}/proxy/scripted/contacts`, {
    bearer: token(userId),
    headers: connectionId === undefined ? {} : { 'gateway-connection': connectionId },
  });
  return stage.provider.apiCalls.at(-1)?.headers.authorization;
}

const remove = (path: string) => callApi(stage.gateway.url, 'DELETE', path, { bearer: stage.project.apiKey });

describe('authorizing again', () => {
  it('keeps the connection’s id and metadata, and the calls go out with the new token', async () => {
    const before = (await stage.connect('mia', 'north')).body;
    await callApiOk(stage.gateway.url, 'PATCH', `/v1/connections/${before.id}`, {
      bearer: token('mia'),
      body: { customMetadata: { plan: 'gold' } },
    });
    const again = await authorizeAs(await stage.start('mia', { connectionId: before.id }), 'north');
    const after = (await completed(again, 'mia')).body;
    expect(after).toMatchObject({
      id: before.id,
      createdAt: before.createdAt,
      customMetadata: { plan: 'gold' },
    });
    expect(await credentialOf('mia')).toBe(`Bearer ${again.access_token}`);
    expect(await stage.connectionsOf('mia')).toHaveLength(1);
    const path = `/v1/activity?subjectId=${before.id}&action=connection.reauthorized`;
    const { activity } = await callApiOk(stage.gateway.url, 'GET', path, { bearer: stage.project.apiKey });
    expect(activity).toHaveLength(1);
  });

  it('with another account ends in account_mismatch: its tokens are revoked, and the connection is as it was', async () => {
    const connected = await authorizeAs(await stage.start('noah'), 'north');
    const { body: before } = await completed(connected, 'noah');
    for (const body of [{ connectionId: before.id }, {}]) {
      const other = await authorizeAs(await stage.start('noah', body), 'south');
      expect(other).toMatchObject({ status: 'error', error: 'account_mismatch' });
      expect(other).not.toHaveProperty('completionCode');
      await until(() => stage.provider.revoked.includes(other.refresh_token));
    }
    expect(await stage.connectionsOf('noah')).toEqual([
      expect.objectContaining({ id: before.id, accountId: 'north' }),
    ]);
    expect(await credentialOf('noah')).toBe(`Bearer ${connected.access_token}`);
    expect(stage.provider.revoked).not.toContain(connected.refresh_token);
  });

  it('tells accounts apart whose ids are numbers of more digits than JavaScript holds', async () => {
    const asNumber = Reflect.get(JSON, 'rawJSON');
    const authorizeAsNumber = async (session: Session, id: string) => {
      stage.provider.answerToken = () => answerTokens('any', { account_id: asNumber(id) });
      return { session, ...readOutcome(await stage.authorize(session)).message };
    };
    const connected = await authorizeAsNumber(await stage.start('pia'), '12345678901234567001');
    const { body } = await stage.complete(connected.session.id, connected.completionCode, token('pia'));
    expect(body).toMatchObject({ accountId: '12345678901234567001' });
    const again = await stage.start('pia', { connectionId: body.id });
    expect(await authorizeAsNumber(again, '12345678901234567899')).toMatchObject({
      status: 'error',
      error: 'account_mismatch',
    });
  });

  it('without an account id ends in account_mismatch, and the page does not blame the user', async () => {
    const connected = await authorizeAs(await stage.start('olga'), 'north');
    const { body: before } = await completed(connected, 'olga');
    stage.provider.answerToken = () => answerTokens('north', { account_id: undefined });
    const page = await stage.authorize(await stage.start('olga', { connectionId: before.id }));
    expect(readOutcome(page).message).toMatchObject({ status: 'error', error: 'account_mismatch' });
    expect(page.body).toContain('The provider answered with an error');
    expect(page.body).not.toContain('Another account');
  });

  it('keeps what the user once told about where the account is', async () => {
    const browser = stage.openBrowser();
    const session = await stage.start('tom', { provider: 'tenant' });
    await browser.open(session.url);
    const sent = await browser.submit(session.url, { subdomain: 'acme' });
    stage.provider.answerToken = () => answerTokens('north');
    const { message } = readOutcome(await stage.answer(new URL(sent.url), browser));
    const { body: before } = await stage.complete(session.id, message.completionCode, token('tom'));
    const again = await stage.start('tom', { provider: 'tenant', connectionId: before.id });
    const request = await stage.follow(again, browser);
    expect(request.host).toBe('acme.tenants.test');
    const second = readOutcome(await stage.answer(request, browser)).message;
    expect((await stage.complete(again.id, second.completionCode, token('tom'))).status).toBe(200);
    await callApiOk(stage.gateway.url, 'GET', `/projects/${stage.project.id}/proxy/tenant/contacts`, {
      bearer: token('tom'),
    });
    expect(stage.provider.apiCalls.at(-1)?.path).toBe('/api/acme/contacts');
  });
});

describe('connecting a second account', () => {
  it('makes a second connection where the application allows several, and the same account keeps its own', async () => {
    const [north, south] = [
      (await stage.connect('zoe', 'north')).body,
      (await stage.connect('zoe', 'south', { allowMultiple: true })).body,
    ];
    expect(south.id).not.toBe(north.id);
    expect((await stage.connect('zoe', 'north', { allowMultiple: true })).body.id).toBe(north.id);
    expect((await stage.connect('zoe', 'south')).body.id).toBe(south.id);
    const ambiguous = await callApi(
      stage.gateway.url,
      'GET',
      `/projects/${stage.project.id}/proxy/scripted/x`,
      {
        bearer: token('zoe'),
      },
    );
    expect([ambiguous.status, ambiguous.body.code]).toEqual([409, 'connection_ambiguous']);
    for (const { id } of [north, south]) expect(ambiguous.text).toContain(id);
    expect(await credentialOf('zoe', south.id)).toMatch(/^Bearer access-/);
  });

  it('is an account_mismatch at the completion, too, where another one was completed meanwhile', async () => {
    const north = await authorizeAs(await stage.start('eli'), 'north');
    const south = await authorizeAs(await stage.start('eli'), 'south');
    expect((await completed(north, 'eli')).status).toBe(200);
    const late = await completed(south, 'eli');
    expect([late.status, late.body.code]).toEqual([409, 'account_mismatch']);
    const { knex } = stage.database;
    await knex('connect_sessions')
      .where({ id: south.session.id })
      .update({ expires_at: new Date(0) });
    await until(() => stage.provider.revoked.includes(south.refresh_token));
    expect(stage.provider.revoked).not.toContain(north.refresh_token);
  });
});

describe('disconnecting', () => {
  it('revokes the grant at the provider; the connection is gone from lists and from the proxy', async () => {
    const connected = await authorizeAs(await stage.start('ida'), 'north');
    const { body } = await completed(connected, 'ida');
    const path = `/v1/connections/${body.id}`;
    expect((await callApi(stage.gateway.url, 'DELETE', path, { bearer: token('eve') })).status).toBe(404);
    expect((await callApi(stage.gateway.url, 'DELETE', path, { bearer: token('ida') })).status).toBe(204);
    await until(() => stage.provider.revoked.includes(connected.refresh_token));
    expect(await stage.connectionsOf('ida')).toEqual([]);
    const call = await callApi(stage.gateway.url, 'GET', `/projects/${stage.project.id}/proxy/scripted/x`, {
      bearer: token('ida'),
    });
    expect([call.status, call.body.code]).toEqual([404, 'connection_not_found']);
  });

  it('erases the connection also where the provider does not answer the revocation well', async () => {
    const { body } = await stage.connect('una', 'north');
    stage.provider.revocationStatus = 500;
    const answer = await callApi(stage.gateway.url, 'DELETE', `/v1/connections/${body.id}`, {
      bearer: token('una'),
    });
    expect(answer.status).toBe(204);
    expect(await stage.database.knex('connections').where({ id: body.id })).toEqual([]);
    await until(() => stage.gateway.logs().includes('revocation failed'));
    stage.provider.revocationStatus = 200;
  });

  it('revokes also the grant of a re-authorization that was not completed', async () => {
    const { body } = await stage.connect('ole', 'north');
    const pending = await authorizeAs(await stage.start('ole', { connectionId: body.id }), 'north');
    expect((await remove(`/v1/connections/${body.id}`)).status).toBe(204);
    await until(() => stage.provider.revoked.includes(pending.refresh_token));
    expect((await completed(pending, 'ole')).status).toBe(404);
  });
});

describe('an operator who connects a test account', () => {
  it('is the user of it, completes it, and sees it among their own connections', async () => {
    const { personalAccessToken: bearer } = stage.project;
    const session = await callApiOk(stage.gateway.url, 'POST', '/v1/connect-sessions', {
      bearer,
      headers: { origin: stage.gateway.url },
      body: { provider: 'scripted' },
    });
    const grant = await authorizeAs(session, 'north');
    const foreign = await stage.complete(session.id, grant.completionCode, stage.project.apiKey);
    expect(foreign.status).toBe(404);
    const { status, body } = await stage.complete(session.id, grant.completionCode, bearer);
    expect([status, body.userId]).toEqual([200, expect.stringMatching(/^operator:/)]);
    const { connections } = await callApiOk(stage.gateway.url, 'GET', '/v1/connections', { bearer });
    expect(connections).toEqual([expect.objectContaining({ id: body.id })]);
  });

  it('makes a link on which a user re-authorizes, and no link that connects an account again', async () => {
    const { personalAccessToken: bearer } = stage.project;
    const ask = (body: object) =>
      callApi(stage.gateway.url, 'POST', '/v1/connect-sessions', { bearer, body });
    const { body: connection } = await stage.connect('rosa', 'north');
    const foreign = await ask({ connectionId: connection.id });
    expect([foreign.status, foreign.body.code]).toEqual([404, 'connection_not_found']);
    const again = await ask({ provider: 'scripted', completion: 'link' });
    expect([again.status, again.body.code]).toEqual([403, 'forbidden']);

    const { status, body: session } = await ask({ connectionId: connection.id, completion: 'link' });
    expect(status).toBe(201);
    const outcome = await authorizeAs(session, 'north');
    expect(outcome.status).toBe('success');
    const { activity } = await callApiOk(
      stage.gateway.url,
      'GET',
      `/v1/activity?subjectId=${connection.id}&action=connection.reauthorized`,
      { bearer },
    );
    expect(activity).toEqual([
      expect.objectContaining({
        details: expect.objectContaining({ completion: 'link', connectSessionId: session.id }),
      }),
    ]);
    expect(await stage.connectionsOf('rosa')).toEqual([expect.objectContaining({ id: connection.id })]);
  });

  it('is out of reach for users and keys that take an operator’s name', async () => {
    const { apiKey, personalAccessToken, userToken } = stage.project;
    const own = await callApiOk(stage.gateway.url, 'GET', '/v1/connections', { bearer: personalAccessToken });
    const userId: string = own.connections[0].userId;
    const asUser = await callApi(stage.gateway.url, 'GET', '/v1/connections', { bearer: userToken(userId) });
    expect([asUser.status, asUser.body.code]).toEqual([401, 'token_invalid']);
    const credentials = { accessToken: 'planted' };
    const imported = { integrationId: stage.integrations.scripted, userId, credentials };
    for (const [path, body] of [
      ['/v1/user-tokens', { userId }],
      ['/v1/connect-sessions', { provider: 'scripted', userId }],
      ['/v1/connections', imported],
    ] as const) {
      const answer = await callApi(stage.gateway.url, 'POST', path, { bearer: apiKey, body });
      expect([path, answer.status, answer.body.errors?.[0]?.path]).toEqual([path, 400, 'body.userId']);
    }
    const stranger = { ...imported, userId: 'operator:01890000-0000-7000-8000-0000000000ff' };
    const post = (body: object) =>
      callApi(stage.gateway.url, 'POST', '/v1/connections', { bearer: personalAccessToken, body });
    expect((await post(stranger)).status).toBe(400);
    expect((await post(imported)).status).toBe(201);
  });
});

describe('importing credentials', () => {
  const importKey = (credentials: object) =>
    callApi(stage.gateway.url, 'POST', '/v1/connections', {
      bearer: stage.project.apiKey,
      body: { integrationId: stage.integrations.scripted, userId: 'ivo', credentials },
    });

  it('is refused for a token that no header can carry', async () => {
    for (const accessToken of ['two words', 'token\r\nX-Evil: 1', 'tökén', 'to“ken']) {
      const answer = await importKey({ accessToken });
      expect([accessToken, answer.status, answer.body.errors?.[0]?.path]).toEqual([
        accessToken,
        400,
        'body.credentials.accessToken',
      ]);
      expect(answer.text).not.toContain(accessToken);
    }
    expect((await importKey({ accessToken: 'imported-1' })).status).toBe(201);
    expect(await credentialOf('ivo')).toBe('Bearer imported-1');
  });
});

describe('deleting an integration', () => {
  const start = (userId: string, integrationId: string) =>
    stage.start(userId, { provider: undefined, integrationId });

  it('is refused while connections exist; forced, it revokes each of them, and the pending ones', async () => {
    const id = await integrate(stage, 'other');
    const grants = [];
    for (const userId of ['one', 'two']) {
      const grant = await authorizeAs(await start(userId, id), `account of ${userId}`);
      expect((await completed(grant, userId)).status).toBe(200);
      grants.push(grant);
    }
    grants.push(await authorizeAs(await start('three', id), 'account of three'));
    const refused = await remove(`/v1/integrations/${id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'connections_exist']);
    for (const { refresh_token } of grants) expect(stage.provider.revoked).not.toContain(refresh_token);
    expect((await remove(`/v1/integrations/${id}?force=true`)).status).toBe(204);
    for (const { refresh_token } of grants) await until(() => stage.provider.revoked.includes(refresh_token));
    expect(await stage.connectionsOf('one')).toEqual([]);
  });

  it('revokes what is pending also where no connection stands in its way', async () => {
    const id = await integrate(stage, 'other');
    const pending = await authorizeAs(await start('four', id), 'account of four');
    expect((await remove(`/v1/integrations/${id}`)).status).toBe(204);
    await until(() => stage.provider.revoked.includes(pending.refresh_token));
    expect((await completed(pending, 'four')).status).toBe(404);
  });
});
