import { callApi, callApiOk, createProject, seedOperator } from '../support/gateway.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { answerTokens } from './connecting-provider.ts';
import { type ConnectingStage, type Session, startConnectingStage } from './connecting-stage.ts';

const UUID_V7 = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);
const INSTANT = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage(['scripted'], { env: { CONNECT_SWEEP_INTERVAL_SECONDS: '1' } });
});
beforeEach(() => {
  stage.provider.answerToken = () => answerTokens('north');
});
afterAll(() => stage?.close());

type Pending = { session: Session; code: string | undefined; refreshToken: string };

/** A session whose user has come back from the provider, not completed yet. */
async function pendingOf(session: Session, accountId = 'north'): Promise<Pending> {
  const { body } = answerTokens(accountId) as { body: { refresh_token: string } };
  stage.provider.answerToken = () => ({ body });
  const { message } = readOutcome(await stage.authorize(session));
  return { session, code: message.completionCode, refreshToken: body.refresh_token };
}

const completeAs = ({ session, code }: Pending, bearer: string) => stage.complete(session.id, code, bearer);
const token = (userId: string) => stage.project.userToken(userId);

const callProvider = (userId: string, headers: Record<string, string> = {}) =>
  callApi(stage.gateway.url, 'GET', `/projects/${stage.project.id}/proxy/scripted/contacts`, {
    bearer: token(userId),
    headers,
  });

async function refusal(
  answer: Promise<{ status: number; body: { code: string } }>,
): Promise<[number, string]> {
  const { status, body } = await answer;
  return [status, body.code];
}

const rowOf = ({ session }: Pending) =>
  stage.database.knex('connect_sessions').where({ id: session.id }).first();

/** Lets the ten minutes pass in which a connection is to be completed. */
const letTimePass = ({ session }: Pending) =>
  stage.database
    .knex('connect_sessions')
    .where({ id: session.id })
    .update({ expires_at: new Date(Date.now() - 1000) });

describe('a connection that is not completed yet', () => {
  it('is neither listed nor usable, and its tokens are stored sealed', async () => {
    const pending = await pendingOf(await stage.start('pia'));
    expect(await stage.connectionsOf('pia')).toEqual([]);
    const { connections } = await callApiOk(
      stage.gateway.url,
      'GET',
      `/v1/projects/${stage.project.id}/connections?userId=pia`,
      { bearer: stage.project.apiKey },
    );
    expect(connections).toEqual([]);
    expect(await refusal(callProvider('pia'))).toEqual([404, 'connection_not_found']);
    const row = JSON.stringify(await rowOf(pending));
    expect(row).not.toContain(pending.refreshToken);
    expect(row).not.toContain(pending.code);
  });

  it('has ten minutes from the moment that the provider agreed', async () => {
    const { expires_at } = await rowOf(await pendingOf(await stage.start('pia')));
    expect(Math.round((expires_at.getTime() - Date.now()) / 60_000)).toBe(10);
  });

  it('is revoked at the provider and erased when that time is over', async () => {
    const pending = await pendingOf(await stage.start('pia'));
    await letTimePass(pending);
    expect(await refusal(completeAs(pending, token('pia')))).toEqual([410, 'session_expired']);
    await until(() => stage.provider.revoked.includes(pending.refreshToken));
    expect(await rowOf(pending)).toMatchObject({
      state: 'failed',
      pending_sealed: null,
      completion_code_hash: null,
      pkce_verifier_sealed: null,
    });
    expect(await refusal(completeAs(pending, token('pia')))).toEqual([410, 'session_expired']);
    expect(stage.provider.revoked.filter((one) => one === pending.refreshToken)).toHaveLength(1);
    expect(await stage.connectionsOf('pia')).toEqual([]);
  });

  it('that cannot be unsealed does not keep the others from being revoked', async () => {
    const [broken, good] = [
      await pendingOf(await stage.start('pia')),
      await pendingOf(await stage.start('pia')),
    ];
    const { knex } = stage.database;
    const row = knex('connect_sessions').where({ id: broken.session.id });
    await row.update({ pending_sealed: 'no envelope', expires_at: new Date(Date.now() - 2000) });
    await letTimePass(good);
    await until(() => stage.provider.revoked.includes(good.refreshToken));
    expect(await rowOf(broken)).toMatchObject({ state: 'failed', pending_sealed: null });
    await until(() => stage.gateway.logs().includes(broken.session.id));
  });
});

describe('a completion', () => {
  it('by the same user with the code activates the connection, which is answered, listed and usable', async () => {
    const pending = await pendingOf(await stage.start('mia'));
    const { status, body } = await completeAs(pending, token('mia'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: UUID_V7,
      projectId: stage.project.id,
      integrationId: stage.integrations.scripted,
      serviceProvider: 'scripted',
      userId: 'mia',
      status: 'active',
      grantedScopes: ['read', 'write'],
      accountId: 'north',
      accountName: 'north.test',
      customMetadata: {},
      integrationUserId: UUID_V7,
      createdAt: INSTANT,
      updatedAt: INSTANT,
    });
    expect(Object.keys(body.authMetadata)).toEqual(['ProviderAccount']);
    expect(await stage.connectionsOf('mia')).toEqual([body]);
    expect((await callProvider('mia')).status).toBe(200);
    expect(stage.provider.revoked).not.toContain(pending.refreshToken);
  });

  it('by another user is a 404 like that of a session which does not exist, and the right one still can', async () => {
    const pending = await pendingOf(await stage.start('ava'));
    const foreign = await completeAs(pending, token('eve'));
    const absent = await stage.complete('01890a5d-ac96-774b-bcce-b302099a8057', pending.code, token('eve'));
    const { requestId: _one, ...problem } = foreign.body;
    const { requestId: _two, ...expected } = absent.body;
    expect([foreign.status, problem]).toEqual([404, expected]);
    expect(await stage.connectionsOf('eve')).toEqual([]);
    expect((await completeAs(pending, token('ava'))).status).toBe(200);
  });

  it('by the user of the same name in another project is a 404', async () => {
    const { personalAccessToken } = stage.project;
    const other = await createProject(stage.gateway.url, personalAccessToken);
    const pending = await pendingOf(await stage.start('ben'));
    expect(await refusal(completeAs(pending, other.userToken('ben')))).toEqual([
      404,
      'connect_session_not_found',
    ]);
    expect((await completeAs(pending, token('ben'))).status).toBe(200);
  });

  it('with a wrong code is a 403, and the right code still works', async () => {
    const pending = await pendingOf(await stage.start('cem'));
    const foreign = await pendingOf(await stage.start('cem'));
    for (const code of ['guess', foreign.code, `${pending.code}=`]) {
      expect(await refusal(completeAs({ ...pending, code }, token('cem')))).toEqual([
        403,
        'completion_code_invalid',
      ]);
    }
    expect((await stage.complete(pending.session.id, undefined, token('cem'))).status).toBe(400);
    expect((await completeAs(pending, token('cem'))).status).toBe(200);
  });

  it('before the provider agreed is a 403', async () => {
    const session = await stage.start('cem');
    expect(await refusal(stage.complete(session.id, 'guess', token('cem')))).toEqual([
      403,
      'completion_code_invalid',
    ]);
  });

  it('counts once, also where ten come at the same moment', async () => {
    const pending = await pendingOf(await stage.start('dan'));
    const answers = await Promise.all(Array.from({ length: 10 }, () => completeAs(pending, token('dan'))));
    const [connection, ...others] = await stage.connectionsOf('dan');
    expect(others).toEqual([]);
    const [taken] = answers.filter(({ status }) => status === 200);
    expect(taken?.body).toEqual(connection);
    const refused = answers.filter((answer) => answer !== taken);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      Array(9).fill([409, 'session_used']),
    );
    expect(await refusal(completeAs(pending, token('dan')))).toEqual([409, 'session_used']);
  });

  it('is answered again to a request with the same Idempotency-Key, whose answer may have been lost', async () => {
    const pending = await pendingOf(await stage.start('ida'));
    const repeat = () =>
      callApi(stage.gateway.url, 'POST', `/v1/connect-sessions/${pending.session.id}/complete`, {
        bearer: token('ida'),
        headers: { 'idempotency-key': pending.session.id },
        body: { completionCode: pending.code },
      });
    const first = await repeat();
    await letTimePass(pending);
    const second = await repeat();
    expect([second.status, second.body]).toEqual([200, first.body]);
  });

  it('is refused to another principal, with another code, and when the connection is gone', async () => {
    const pending = await pendingOf(await stage.start('eli'));
    const { body } = await completeAs(pending, token('eli'));
    expect(await refusal(completeAs(pending, token('eve')))).toEqual([404, 'connect_session_not_found']);
    const guess = completeAs({ ...pending, code: 'guess' }, token('eli'));
    expect(await refusal(guess)).toEqual([409, 'session_used']);
    await callApiOk(stage.gateway.url, 'DELETE', `/v1/connections/${body.id}`, { bearer: token('eli') });
    expect(await refusal(completeAs(pending, token('eli')))).toEqual([409, 'session_used']);
  });

  it('after a failed authorization is a 409', async () => {
    const session = await stage.start('dan');
    const browser = stage.openBrowser();
    const request = await stage.follow(session, browser);
    await browser.open(stage.callbackUrl(request, { error: 'access_denied' }));
    expect(await refusal(stage.complete(session.id, 'guess', token('dan')))).toEqual([409, 'session_used']);
  });

  it('by the API key that made the session works, and by another key or an operator it does not', async () => {
    const { apiKey, personalAccessToken, id } = stage.project;
    const { key: otherKey } = await callApiOk(stage.gateway.url, 'POST', `/v1/projects/${id}/api-keys`, {
      bearer: personalAccessToken,
      body: { name: 'another' },
    });
    const stranger = await seedOperator(stage.database.url);
    const pending = await pendingOf(await stage.startByKey('kim'));
    for (const bearer of [otherKey, personalAccessToken, stranger]) {
      expect(await refusal(completeAs(pending, bearer))).toEqual([404, 'connect_session_not_found']);
    }
    expect((await completeAs(pending, apiKey)).body).toMatchObject({ userId: 'kim', status: 'active' });
  });

  it('by a key works for the key that it was rotated to, also once more', async () => {
    const bearer = stage.project.personalAccessToken;
    const keys = `/v1/projects/${stage.project.id}/api-keys`;
    const old = await callApiOk(stage.gateway.url, 'POST', keys, { bearer, body: { name: 'old' } });
    const session = await callApiOk(stage.gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: old.key,
      body: { provider: 'scripted', userId: 'nia' },
    });
    const pending = await pendingOf(session, 'nia');
    const next = await callApiOk(stage.gateway.url, 'POST', `${keys}/${old.id}/rotate`, { bearer, body: {} });
    const last = await callApiOk(stage.gateway.url, 'POST', `${keys}/${next.id}/rotate`, {
      bearer,
      body: {},
    });
    expect((await completeAs(pending, last.key)).body).toMatchObject({ userId: 'nia', status: 'active' });
  });

  it('of a session that a key made works for its user, and of a user’s session for no key', async () => {
    const made = await pendingOf(await stage.startByKey('lea'));
    expect((await completeAs(made, token('lea'))).status).toBe(200);
    const own = await pendingOf(await stage.start('lea'));
    expect(await refusal(completeAs(own, stage.project.apiKey))).toEqual([404, 'connect_session_not_found']);
  });

  it('without credentials is a 401', async () => {
    const pending = await pendingOf(await stage.start('lea'));
    const path = `/v1/connect-sessions/${pending.session.id}/complete`;
    const answer = await callApi(stage.gateway.url, 'POST', path, { body: { completionCode: pending.code } });
    expect(answer.status).toBe(401);
  });
});

describe('completion "link"', () => {
  it('activates at once, hands out no code, and stands in the audit log', async () => {
    const session = await stage.startByKey('uma', { completion: 'link' });
    const { message } = readOutcome(await stage.authorize(session));
    expect(message).toEqual({
      type: 'integration-gateway:connect',
      sessionId: session.id,
      status: 'success',
    });
    const [connection] = await stage.connectionsOf('uma');
    expect((await callProvider('uma')).status).toBe(200);
    const { activity } = await callApiOk(stage.gateway.url, 'GET', '/v1/activity?limit=5', {
      bearer: stage.project.apiKey,
    });
    expect(activity).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          action: 'connect_session.created',
          subjectId: session.id,
          actorKind: 'api_key',
          details: expect.objectContaining({ completion: 'link' }),
        }),
        expect.objectContaining({
          action: 'connection.created',
          subjectId: connection?.id,
          details: expect.objectContaining({ completion: 'link', connectSessionId: session.id }),
        }),
      ]),
    );
  });

  it('gives one of two accounts that arrive at the same moment, and the other ends in account_mismatch', async () => {
    const links = [1, 2].map(() => stage.startByKey('vic', { completion: 'link' }));
    const sessions = await Promise.all(links);
    const before = stage.provider.revoked.length;
    const answers = [answerTokens('north'), answerTokens('south')];
    // Both at once, since no call waits for the store for longer than a second.
    const bothAsked = Promise.withResolvers<void>();
    stage.provider.answerToken = async () => {
      const answer = answers.pop() ?? { status: 500, body: {} };
      if (answers.length === 0) bothAsked.resolve();
      await bothAsked.promise;
      return answer;
    };
    // Both find no connection yet and wait for their turn, which the row lock of their user gives.
    const { knex } = stage.database;
    const turn = await knex.transaction();
    await turn('end_users').where({ subject: 'vic' }).forUpdate();
    const ending = Promise.all(sessions.map((session) => stage.authorize(session)));
    const ids = sessions.map(({ id }) => id);
    const countPending = async () =>
      (await knex('connect_sessions').whereIn('id', ids).where({ state: 'pending' })).length;
    await until(async () => (await countPending()) === 2);
    await turn.commit();
    const messages = (await ending).map((page) => readOutcome(page).message);
    expect(messages.map(({ status }) => status).sort()).toEqual(['error', 'success']);
    expect(messages.find(({ status }) => status === 'error')?.error).toBe('account_mismatch');
    expect(await stage.connectionsOf('vic')).toHaveLength(1);
    await knex('connect_sessions')
      .whereIn('id', ids)
      .update({ expires_at: new Date(0) });
    await until(async () => (await countPending()) === 0);
    await until(() => stage.provider.revoked.length > before);
  });

  it('is no choice of an end user’s', async () => {
    const answer = callApi(stage.gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: token('uma'),
      headers: { origin: APP_ORIGIN },
      body: { provider: 'scripted', completion: 'link' },
    });
    expect(await refusal(answer)).toEqual([403, 'forbidden']);
  });
});
