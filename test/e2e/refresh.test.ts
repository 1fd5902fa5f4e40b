import { CLIENT, obtainTokens } from '../examples/demo-crm-client.ts';
import { callApi, callApiOk, type Gateway, startGateway } from '../support/gateway.ts';
import { CONTACTS, connectAccount, PROVIDER, type Stage, startStage } from '../support/stage.ts';

const CALLS = 100;

let stage: Stage;
let gateways: Gateway[];

beforeAll(async () => {
  stage = await startStage({ client: CLIENT });
  const { env, databaseUrl } = stage.gateway;
  // Replicas share the database and its encryption key, and have the same public address.
  const { ENCRYPTION_KEYS = '' } = env;
  const replica = () =>
    startGateway({
      catalogDir: stage.catalogDir,
      databaseUrl: databaseUrl ?? '',
      env: { ENCRYPTION_KEYS, PUBLIC_URL: stage.gateway.url },
    });
  gateways = [stage.gateway, await replica(), await replica()];
});

afterAll(async () => {
  for (const gateway of gateways?.slice(1) ?? []) await gateway.stop();
  await stage?.close();
});

const refreshes = () => stage.crm.stats.tokenRequests.refresh_token ?? 0;
const refusals = () => stage.crm.stats.refusedTokenRequests.refresh_token ?? 0;

function readContacts(gateway: Gateway, userId: string) {
  return callApi(gateway.url, 'GET', `/projects/${stage.project.id}/proxy/${PROVIDER}${CONTACTS}?limit=1`, {
    bearer: stage.project.userToken(userId),
  });
}

/** The same call `count` times at once, spread evenly over the replicas. */
function spread(count: number, userId: string) {
  return Promise.all(
    Array.from({ length: count }, (_, index) => readContacts(gateways[index % gateways.length]!, userId)),
  );
}

describe('an access token that has expired, three gateways on one database', () => {
  it('is refreshed by one token request however many calls need it at once, and all of them are answered', async () => {
    await connectAccount(stage, { userId: 'mia' });
    // Every replica has the connection in its cache, so that each of them has to find out by itself.
    for (const answer of await spread(3, 'mia')) expect(answer.status).toBe(200);
    const before = refreshes();
    stage.crm.expireAccessTokens();
    const answers = await spread(CALLS, 'mia');
    expect(answers.map(({ status }) => status)).toEqual(Array(CALLS).fill(200));
    expect(refreshes() - before).toBe(1);
    expect(refusals()).toBe(0);
  });

  it('is refreshed by one token request, too, where the gateway knows from its own clock that it has expired', async () => {
    const userId = 'noah';
    const { tokens } = await obtainTokens(stage.crm);
    const credentials = {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      expiresAt: new Date(Date.now() - 60_000).toISOString(),
    };
    await callApiOk(stage.gateway.url, 'POST', '/v1/connections', {
      bearer: stage.project.apiKey,
      body: { integrationId: stage.integration.id, userId, credentials },
    });
    const before = refreshes();
    const answers = await spread(CALLS, userId);
    expect(answers.map(({ status }) => status)).toEqual(Array(CALLS).fill(200));
    expect(refreshes() - before).toBe(1);
    expect(refusals()).toBe(0);
  });
});

describe('a grant that the user revoked at the provider', () => {
  it('answers 424 on every gateway after one token request, until the user authorizes the same connection again', async () => {
    const userId = 'zoe';
    const connection = await connectAccount(stage, { userId, email: 'carol@contoso.test' });
    for (const answer of await spread(3, userId)) expect(answer.status).toBe(200);
    const before = refusals();
    stage.crm.revokeGrants();
    const answers = await spread(30, userId);
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(424));
    expect(answers[0]?.body).toMatchObject({ code: 'reauthorization_required', status: 424 });
    expect(answers[0]?.headers.get('gateway-error')).toBe('reauthorization_required');
    expect(refusals() - before).toBe(1);

    const bearer = stage.project.userToken(userId);
    for (const { url } of gateways) {
      const { connections } = await callApiOk(url, 'GET', '/v1/connections', { bearer });
      expect(connections).toEqual([
        expect.objectContaining({ id: connection.id, status: 'reauthorization_required' }),
      ]);
    }

    const session = { connectionId: connection.id };
    const again = await connectAccount(stage, { userId, email: 'carol@contoso.test', session });
    expect(again).toMatchObject({ id: connection.id, status: 'active' });
    await untilAnswered(userId);
    for (const answer of await spread(6, userId)) expect(answer.status).toBe(200);
  });
});

/** Replicas hear of a change within a second; each is asked until it has. */
async function untilAnswered(userId: string): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  for (const gateway of gateways) {
    while ((await readContacts(gateway, userId)).status !== 200) {
      if (Date.now() > deadlineMs) throw new Error(`${gateway.url} never heard of the new authorization`);
    }
  }
}
