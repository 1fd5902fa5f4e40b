import { createHmac, randomBytes } from 'node:crypto';
import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { takesSharedSecret } from '../../src/webhooks/receiving/handshake.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { callApi, callApiOk, createProject, type Project } from '../support/gateway.ts';
import { integrate, post, type ReceiverStage, startReceiverStage } from '../webhooks/receiver-stage.ts';
import { DESCRIBED } from '../webhooks/support/requests.ts';

let stage: ReceiverStage;
let other: Project;

beforeAll(async () => {
  stage = await startReceiverStage();
  other = await createProject(stage.gateway.url, stage.project.personalAccessToken);
});

afterAll(() => stage?.close());

async function integrateWith(serviceProvider: string) {
  const { gateway, project } = stage;
  const body = { serviceProvider, clientId: 'client', clientSecret: 'secret', scopes: [] };
  const made = await callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer: project.apiKey, body });
  return { id: made.id, webhookUrl: made.webhookUrl };
}

const pathOf = (id: string) => `/v1/integrations/${id}/webhook-handshake`;
const ask = (method: string, id: string, bearer = stage.project.apiKey) =>
  callApi(stage.gateway.url, method, pathOf(id), { bearer });

/** How the providers bring a secret, which are all that do so at an address that can be guessed. */
const HANDSHAKES: Readonly<Record<string, (url: string, secret: string) => ReturnType<typeof post>>> = {
  notion: (url, secret) => post(url, JSON.stringify({ verification_token: secret })),
  gusto: (url, secret) => post(url, JSON.stringify({ verification_token: secret })),
  asana: (url, secret) => post(url, '{}', { 'X-Hook-Secret': secret }),
  keap: (url, secret) => post(url, '{}', { 'X-Hook-Secret': secret }),
  'zoho-mail': (url, secret) => post(url, '{}', { 'X-Hook-Secret': secret }),
};
const secret = () => randomBytes(24).toString('hex');

function deliver(url: string, key: string) {
  const body = JSON.stringify({ id: 'e', type: 'page.deleted', entity: { id: 'p' }, workspace_id: 'w' });
  const signature = createHmac('sha256', key).update(body).digest('hex');
  return post(url, body, { 'X-Notion-Signature': `sha256=${signature}` });
}

it('is of every entry whose handshake brings a secret to the integration’s own address', () => {
  const found = DESCRIBED.filter(takesSharedSecret).map(({ providerId }) => providerId);
  expect(found.sort()).toEqual(Object.keys(HANDSHAKES).sort());
});

it('is in the set-up steps of every such entry', () => {
  for (const id of Object.keys(HANDSHAKES)) {
    const steps = builtInCatalog.find(id)?.setupSteps ?? [];
    expect([id, steps.filter((step) => step.includes('"Wait for the handshake"')).length]).toEqual([id, 1]);
  }
});

describe.each(Object.entries(HANDSHAKES))('the secret that a handshake of %s brings', (provider, shake) => {
  it('is refused from anyone until an operator waits for it, and then taken once', async () => {
    const { id, webhookUrl } = await integrateWith(provider);
    expect((await ask('GET', id)).body).toEqual({ state: 'closed', expiresAt: null });

    const planted = await shake(webhookUrl, secret());
    expect(planted.status).toBe(401);
    const refusal = JSON.parse(planted.text);
    expect(refusal.code).toBe('signature_invalid');
    expect(refusal.detail).toContain('POST /v1/integrations/{id}/webhook-handshake');

    const opened = await ask('POST', id);
    expect(opened.status).toBe(200);
    expect(opened.body).toEqual({ state: 'open', expiresAt: expect.any(String) });
    expect((await ask('GET', id)).body).toEqual(opened.body);
    expect((await shake(webhookUrl, secret())).status).toBe(200);
    expect((await shake(webhookUrl, secret())).status).toBe(401);
    expect((await ask('GET', id)).body).toEqual({ state: 'known', expiresAt: null });
    const again = await ask('POST', id);
    expect([again.status, again.body.code]).toEqual([409, 'webhook_secret_known']);
  });
});

describe('waiting for a handshake', () => {
  it('lets the first of two that come at the same time decide, by whose secret webhooks are then judged', async () => {
    const { id, webhookUrl } = await integrateWith('notion');
    await ask('POST', id);
    const secrets = [secret(), secret()];
    const answers = await Promise.all(
      secrets.map(async (one) => ({ one, status: (await HANDSHAKES.notion?.(webhookUrl, one))?.status })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    for (const { one, status } of answers) expect((await deliver(webhookUrl, one)).status).toBe(status);
  });

  it('ends after fifteen minutes', async () => {
    const { id, webhookUrl } = await integrateWith('notion');
    const { expiresAt } = (await ask('POST', id)).body;
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 15 * 60_000)).toBeLessThan(60_000);
    const database = new pg.Client(connectionSettings(stage.gateway.databaseUrl ?? ''));
    await database.connect();
    await database.query(
      `UPDATE integrations SET webhook_handshake_until = now() - interval '1 second' WHERE id = $1`,
      [id],
    );
    await database.end();
    expect((await ask('GET', id)).body).toEqual({ state: 'closed', expiresAt: null });
    expect((await HANDSHAKES.notion?.(webhookUrl, secret()))?.status).toBe(401);
  });

  it('is the operator’s and the backend’s: no end user asks for it, and another project’s integration looks absent', async () => {
    const { id } = await integrateWith('notion');
    for (const method of ['GET', 'POST']) {
      const user = await ask(method, id, stage.project.userToken('somebody'));
      expect([user.status, user.body.code]).toEqual([403, 'forbidden_principal']);
      const stranger = await ask(method, id, other.apiKey);
      expect([stranger.status, stranger.body.code]).toEqual([404, 'integration_not_found']);
      expect((await callApi(stage.gateway.url, method, pathOf(id), {})).status).toBe(401);
    }
    expect((await ask('GET', id)).body.state).toBe('closed');
  });

  it('is in the audit log, and a refused handshake among the rejected webhooks without its secret', async () => {
    const { id, webhookUrl } = await integrateWith('asana');
    const planted = secret();
    await HANDSHAKES.asana?.(webhookUrl, planted);
    await ask('POST', id);
    const { url } = stage.gateway;
    const bearer = stage.project.apiKey;
    const action = 'integration.webhook_handshake_awaited';
    const { activity } = await callApiOk(url, 'GET', `/v1/activity?action=${action}&subjectId=${id}`, {
      bearer: stage.project.personalAccessToken,
    });
    expect(activity).toMatchObject([{ action, subjectId: id, details: { expiresAt: expect.any(String) } }]);
    const { receipts } = await callApiOk(url, 'GET', `/v1/webhook-receipts?integrationId=${id}`, { bearer });
    expect(receipts).toMatchObject([{ state: 'rejected', reason: 'handshake_not_awaited' }]);
    const whole = await callApiOk(url, 'GET', `/v1/webhook-receipts/${receipts[0].id}`, { bearer });
    expect(JSON.stringify(whole)).not.toContain(planted);
    const replay = await callApi(url, 'POST', `/v1/webhook-receipts/${receipts[0].id}/replay`, { bearer });
    expect([replay.status, replay.body.code]).toEqual([409, 'webhook_not_replayable']);
    const diagnosis = await callApiOk(url, 'GET', `/v1/integrations/${id}/diagnosis`, { bearer });
    expect(JSON.stringify(diagnosis)).not.toContain('webhook_secret_wrong');
  });

  it('is of no use where no handshake brings the secret, or each registration brings its own', async () => {
    const { id } = await integrate(stage, 'books');
    expect((await ask('GET', id)).body).toEqual({ state: 'unused', expiresAt: null });
    const refused = await ask('POST', id);
    expect([refused.status, refused.body.code]).toEqual([409, 'webhook_handshake_unused']);
  });

  it('leaves a secret that was entered as it is', async () => {
    const { id, webhookUrl } = await integrateWith('notion');
    const entered = secret();
    await callApiOk(stage.gateway.url, 'PATCH', `/v1/integrations/${id}`, {
      bearer: stage.project.apiKey,
      body: { webhookSecret: entered },
    });
    expect((await ask('POST', id)).body.code).toBe('webhook_secret_known');
    expect((await deliver(webhookUrl, entered)).status).toBe(200);
  });

  it('is not needed at an address with an unguessable part', async () => {
    const { id } = await integrateWith('notion');
    const made = await callApiOk(stage.gateway.url, 'POST', `/v1/integrations/${id}/subscriptions`, {
      bearer: stage.project.apiKey,
      body: {},
    });
    expect((await HANDSHAKES.notion?.(made.webhookUrl, secret()))?.status).toBe(200);
  });
});
