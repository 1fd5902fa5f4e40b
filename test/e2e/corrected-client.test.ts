import { callApi, callApiOk } from '../support/gateway.ts';
import { answerTokens } from './connecting-provider.ts';
import { CLIENT, type ConnectingStage, integrate, startConnectingStage } from './connecting-stage.ts';

const USER = 'mia';
const DAY_SECONDS = 86_400;

let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage([]);
});
afterAll(() => stage?.close());

/** A connection whose next call has to refresh, at a provider that takes no client but this one. */
async function connectExpired(provider: string, good: { clientId?: string; clientSecret?: string }) {
  stage.provider.answerToken = ({ form }) => {
    const { clientId = CLIENT.clientId, clientSecret = CLIENT.clientSecret } = good;
    if (form.get('client_id') === clientId && form.get('client_secret') === clientSecret) {
      return answerTokens('north');
    }
    const headers = { 'retry-after': String(DAY_SECONDS) };
    return { status: 401, headers, body: { error: 'invalid_client' } };
  };
  const id = await integrate(stage, provider);
  const expiresAt = new Date(Date.now() - 60_000).toISOString();
  const credentials = { accessToken: 'expired', refreshToken: 'refresh', expiresAt };
  await callApiOk(stage.gateway.url, 'POST', '/v1/connections', {
    bearer: stage.project.apiKey,
    body: { integrationId: id, userId: USER, credentials },
  });
  return { id };
}

const call = (provider: string) =>
  callApi(stage.gateway.url, 'GET', `/projects/${stage.project.id}/proxy/${provider}/things`, {
    bearer: stage.project.userToken(USER),
  });

const change = (id: string, body: Record<string, unknown>) =>
  callApiOk(stage.gateway.url, 'PATCH', `/v1/integrations/${id}`, {
    bearer: stage.project.apiKey,
    body,
  });

async function expectRefusal(provider: string): Promise<void> {
  const refused = await call(provider);
  expect(refused.body).toMatchObject({ code: 'integration_misconfigured', retryable: false });
  expect(refused.headers.get('retry-after')).toBeNull();
}

describe('a client that the provider refused for a day', () => {
  it.each([
    ['secret', 'scripted', { clientSecret: 'second secret' }],
    ['id', 'other', { clientId: 'second client' }],
  ])('is tried again as soon as its %s has been corrected', async (_what, provider, correction) => {
    const { id } = await connectExpired(provider, correction);
    await expectRefusal(provider);
    await change(id, correction);
    expect((await call(provider)).status).toBe(200);
  });

  it('is tried again, too, when it was refused only after the correction', async () => {
    const correction = { clientSecret: 'second secret' };
    const { id } = await connectExpired('signed', correction);
    const { answerToken } = stage.provider;
    const asked = Promise.withResolvers<void>();
    const corrected = Promise.withResolvers<void>();
    stage.provider.answerToken = async (request) => {
      asked.resolve();
      await corrected.promise;
      return answerToken(request);
    };
    const refusal = expectRefusal('signed');
    await asked.promise;
    await change(id, correction);
    corrected.resolve();
    await refusal;
    expect((await call('signed')).status).toBe(200);
  });

  it('is not tried again for other changes, the same client once more, or another integration’s client', async () => {
    const another = await integrate(stage, 'machine', { scopes: [], variables: {} });
    const { id } = await connectExpired('unproven', { clientSecret: 'second secret' });
    await expectRefusal('unproven');
    const asked = stage.provider.tokenCalls.length;
    await change(id, { scopes: ['read'] });
    await change(id, CLIENT);
    await change(another, { clientSecret: 'second secret' });
    await expectRefusal('unproven');
    expect(stage.provider.tokenCalls).toHaveLength(asked);
  });
});
