import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { askForTokens, type SignInStage, startSignInStage } from '../support/agent-sign-in.ts';
import { callApi, type Gateway, startGateway } from '../support/gateway.ts';

let stage: SignInStage;
let second: Gateway;

beforeAll(async () => {
  stage = await startSignInStage();
  const { databaseUrl = '', env, url } = stage.gateway;
  second = await startGateway({
    databaseUrl,
    env: { ENCRYPTION_KEYS: env.ENCRYPTION_KEYS ?? '', PUBLIC_URL: url },
  });
});
afterAll(async () => {
  await second?.stop();
  await stage?.close();
});

const refresh = (gateway: Pick<Gateway, 'url'>, clientId: string, token: string) =>
  askForTokens(gateway, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token });

const isKnown = async (token: string) =>
  (await callApi(stage.address, 'POST', '', { bearer: token, body: {} })).status !== 401;

/** As if what has been spent so far had been spent half a minute ago. */
async function endGrace(): Promise<void> {
  const client = new pg.Client(connectionSettings(stage.gateway.databaseUrl ?? ''));
  await client.connect();
  await client.query(`UPDATE agent_artifacts SET consumed_at = consumed_at - interval '31 seconds'`);
  await client.end();
}

describe('a refresh token', () => {
  it('brings ten requests at two gateways the same next one, and each its access token', async () => {
    const { clientId, tokens } = await stage.signInAs('mia');
    let token = tokens.refresh_token;
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          refresh(index % 2 === 0 ? stage.gateway : second, clientId, token),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      const next = new Set(answers.map(({ body }) => String(body.refresh_token)));
      expect(next.size).toBe(1);
      expect(next).not.toContain(token);
      for (const { body } of answers) expect(await isKnown(body.access_token)).toBe(true);
      [token = ''] = next;
    }
    await endGrace();
    expect((await refresh(second, clientId, token)).status).toBe(200);
  });

  it('answers a client again that got no answer, also after its successor was used', async () => {
    const { clientId, tokens } = await stage.signInAs('mia');
    const first = await refresh(stage.gateway, clientId, tokens.refresh_token);
    const { body } = await refresh(second, clientId, first.body.refresh_token);
    const again = await refresh(second, clientId, tokens.refresh_token);
    expect(again.body.refresh_token).toBe(first.body.refresh_token);
    expect((await refresh(stage.gateway, clientId, body.refresh_token)).status).toBe(200);
  });

  it('ends the consent where it comes later than that', async () => {
    const { clientId, tokens } = await stage.signInAs('mia');
    const { body } = await refresh(stage.gateway, clientId, tokens.refresh_token);
    await endGrace();
    const late = await refresh(second, clientId, tokens.refresh_token);
    expect(late).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await isKnown(body.access_token)).toBe(false);
    expect((await refresh(stage.gateway, clientId, body.refresh_token)).status).toBe(400);
  });

  it('ends the consent where a thief goes on with what the grace gave it', async () => {
    const { clientId, tokens } = await stage.signInAs('mia');
    const { body } = await refresh(stage.gateway, clientId, tokens.refresh_token);
    const stolen = await refresh(second, clientId, tokens.refresh_token);
    await refresh(stage.gateway, clientId, body.refresh_token);
    await endGrace();
    expect((await refresh(second, clientId, stolen.body.refresh_token)).status).toBe(400);
    expect(await isKnown(stolen.body.access_token)).toBe(false);
  });

  it('gives another client nothing within the grace either', async () => {
    const { clientId, tokens } = await stage.signInAs('mia');
    const { body } = await refresh(stage.gateway, clientId, tokens.refresh_token);
    const other = await refresh(second, stage.documents.add(), tokens.refresh_token);
    expect(other).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await isKnown(body.access_token)).toBe(true);
  });
});
