import { callApi, callApiOk, createProject, type Project, seedOperator } from '../support/gateway.ts';
import { readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { answerTokens } from './connecting-provider.ts';
import { type ConnectingStage, integrate, startConnectingStage } from './connecting-stage.ts';

const KINDS = ['ends-grant', 'ends-authorization', 'ends-workspace'] as const;

let stage: ConnectingStage;
/** Whose tokens are: the account is the user, or the workspace. */
const accounts = new Map<string, string>();

beforeAll(async () => {
  stage = await startConnectingStage(KINDS, { env: { CONNECT_SWEEP_INTERVAL_SECONDS: '1' } });
  // One revoked token ends all of its account.
  stage.provider.accepts = ({ headers }) => {
    const account = accounts.get(headers.authorization?.replace('Bearer ', '') ?? '');
    return !stage.provider.revoked.some((token) => accounts.get(token) === account);
  };
});
afterAll(() => stage?.close());

let names = 0;
/** A name that no other test has, for users and accounts. */
function fresh(name: string): string {
  names += 1;
  return `${name}-${names}`;
}

/** Tokens that the provider knows the account of. */
function issue(account: string, more: Record<string, unknown> = {}) {
  const answer = answerTokens(account, more) as { body: { access_token: string; refresh_token: string } };
  accounts.set(answer.body.access_token, account);
  accounts.set(answer.body.refresh_token, account);
  return answer;
}

async function authorize(
  provider: string,
  user: string,
  account: string,
  more: Record<string, unknown> = {},
) {
  stage.provider.answerToken = () => issue(account, more);
  const session = await stage.start(user, { provider });
  return { session, message: readOutcome(await stage.authorize(session)).message };
}

async function connect(provider: string, user: string, account: string): Promise<string> {
  const { session, message } = await authorize(provider, user, account);
  const { body } = await stage.complete(session.id, message.completionCode, stage.project.userToken(user));
  return body.id;
}

const call = async (provider: string, user: string): Promise<number> => {
  const path = `/projects/${stage.project.id}/proxy/${provider}/contacts`;
  return (await callApi(stage.gateway.url, 'GET', path, { bearer: stage.project.userToken(user) })).status;
};

const disconnect = (id: string) =>
  callApi(stage.gateway.url, 'DELETE', `/v1/connections/${id}`, { bearer: stage.project.apiKey });

async function activityOf(action: string): Promise<{ subjectId: string | null; details: object }[]> {
  const { activity } = await callApiOk(stage.gateway.url, 'GET', `/v1/activity?action=${action}&limit=200`, {
    bearer: stage.project.apiKey,
  });
  return activity;
}

/** Has another project claim the client id of the stage's integration, and a connection of the account. */
async function importAs(project: Project, provider: string, account: string): Promise<void> {
  const { url } = stage.gateway;
  const { integrations } = await callApiOk(url, 'GET', '/v1/integrations?limit=200', {
    bearer: stage.project.apiKey,
  });
  const { clientId } = integrations.find(
    ({ serviceProvider }: { serviceProvider: string }) => serviceProvider === provider,
  );
  const bearer = project.apiKey;
  const { id: integrationId } = await callApiOk(url, 'POST', '/v1/integrations', {
    bearer,
    body: { serviceProvider: provider, clientId, clientSecret: 'a guess' },
  });
  const credentials = { accessToken: fresh('imported') };
  await callApiOk(url, 'POST', '/v1/connections', {
    bearer,
    body: { integrationId, userId: fresh('eve'), accountId: account, credentials },
  });
}

const OMITTED = 'connection.revocation_omitted';

/** Waits until the gateway has said that it leaves one more grant unrevoked. */
async function untilOmitted(act: () => Promise<unknown>): Promise<void> {
  const before = (await activityOf(OMITTED)).length;
  await act();
  await until(async () => (await activityOf(OMITTED)).length > before);
}

/** Makes an authorization that its user never completes look ten minutes old. */
async function expire(sessionId: string): Promise<void> {
  await stage.database
    .knex('connect_sessions')
    .where({ id: sessionId })
    .update({ expires_at: new Date(0) });
}

describe.each(KINDS)('a revocation that ends more than its token (%s)', (provider) => {
  it('is not sent when its user authorizes again and grants too little', async () => {
    const [user, account] = [fresh('mia'), fresh('account')];
    await connect(provider, user, account);
    await untilOmitted(async () => {
      const { message } = await authorize(provider, user, account, { scope: 'read' });
      expect(message).toMatchObject({ error: 'missing_scopes' });
    });
    expect(await call(provider, user)).toBe(200);
  });

  it('is not sent when a user picks an account by mistake that another connection has', async () => {
    const [user, other, account] = [fresh('mia'), fresh('noah'), fresh('account')];
    await connect(provider, user, fresh('account'));
    await connect(provider, other, account);
    await untilOmitted(async () => {
      const { message } = await authorize(provider, user, account);
      expect(message).toMatchObject({ error: 'account_mismatch' });
    });
    expect([await call(provider, user), await call(provider, other)]).toEqual([200, 200]);
  });

  it('is sent with the last connection of the account, not with the first', async () => {
    const [user, other, account] = [fresh('mia'), fresh('noah'), fresh('account')];
    const [first, last] = [await connect(provider, user, account), await connect(provider, other, account)];
    await untilOmitted(() => disconnect(first));
    expect((await activityOf(OMITTED))[0]).toMatchObject({
      subjectId: first,
      details: { serviceProvider: provider, outcome: 'kept for another connection' },
    });
    expect(await call(provider, other)).toBe(200);
    await disconnect(last);
    await until(() => stage.provider.revoked.some((token) => accounts.get(token) === account));
  });

  it('is not sent when another user of the account is refused', async () => {
    const [user, other, account] = [fresh('mia'), fresh('zoe'), fresh('account')];
    await connect(provider, user, account);
    await untilOmitted(() => authorize(provider, other, account, { scope: 'read' }));
    expect(await call(provider, user)).toBe(200);
  });

  it('is not sent when an authorization is begun and left, of the same user or of another one', async () => {
    const [user, other, account] = [fresh('mia'), fresh('zoe'), fresh('account')];
    await connect(provider, user, account);
    for (const who of [user, other]) {
      const { session } = await authorize(provider, who, account);
      await untilOmitted(() => expire(session.id));
    }
    expect(await call(provider, user)).toBe(200);
  });

  it('is not sent while a grant of the same account waits for its user, who then has a connection that works', async () => {
    const [user, other, account] = [fresh('mia'), fresh('zoe'), fresh('account')];
    const id = await connect(provider, user, account);
    const { session, message } = await authorize(provider, other, account);
    await untilOmitted(() => disconnect(id));
    await stage.complete(session.id, message.completionCode, stage.project.userToken(other));
    expect(await call(provider, other)).toBe(200);
  });

  it('is not sent by an integration of the same client while a connection of another one is in use', async () => {
    const [user, other, account] = [fresh('mia'), fresh('noah'), fresh('account')];
    const kept = await connect(provider, user, account);
    const integrationId = await integrate(stage, provider);
    stage.provider.answerToken = () => issue(account);
    const session = await stage.start(other, { provider: undefined, integrationId });
    const { message } = readOutcome(await stage.authorize(session));
    const { body } = await stage.complete(session.id, message.completionCode, stage.project.userToken(other));
    await untilOmitted(() => disconnect(body.id));
    expect(await call(provider, user)).toBe(200);
    await disconnect(kept);
    await callApiOk(stage.gateway.url, 'DELETE', `/v1/integrations/${integrationId}`, {
      bearer: stage.project.apiKey,
    });
  });

  it('is sent whatever another tenant says of the same client and account, and not where the owner is the same', async () => {
    const [user, account] = [fresh('mia'), fresh('account')];
    const id = await connect(provider, user, account);
    const stranger = await createProject(stage.gateway.url, await seedOperator(stage.database.url));
    await importAs(stranger, provider, account);
    await disconnect(id);
    await until(() => stage.provider.revoked.some((token) => accounts.get(token) === account));

    const kept = fresh('account');
    const last = await connect(provider, user, kept);
    const own = await createProject(stage.gateway.url, stage.project.personalAccessToken);
    await importAs(own, provider, kept);
    await untilOmitted(() => disconnect(last));
    expect(stage.provider.revoked.some((token) => accounts.get(token) === kept)).toBe(false);
  });

  it('is sent for a grant that was never kept where no connection has its account', async () => {
    const account = fresh('account');
    await authorize(provider, fresh('mia'), account, { scope: 'read' });
    await until(() => stage.provider.revoked.some((token) => accounts.get(token) === account));
  });

  it('is given up between two attempts when its user has connected again', async () => {
    const [user, account] = [fresh('mia'), fresh('account')];
    const id = await connect(provider, user, account);
    stage.provider.revocationStatus = 503;
    const tried = () => stage.provider.revoked.filter((token) => accounts.get(token) === account);
    await disconnect(id);
    await until(() => tried().length === 1);
    stage.provider.revocationStatus = 200;
    // The failed attempt ended nothing.
    stage.provider.revoked.splice(0);
    await connect(provider, user, account);
    await untilOmitted(async () => {
      await until(async () => {
        const waiting = stage.database.knex('grants_to_revoke').where({ connection_id: id });
        return (await waiting.update({ attempt_at: new Date(0) })) === 0;
      });
    });
    expect(tried()).toEqual([]);
    expect(await call(provider, user)).toBe(200);
  });
});
