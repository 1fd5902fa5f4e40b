import { createHttpBrowser } from '../examples/http-browser.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import {
  APP_ORIGIN,
  authorize,
  CONTACTS,
  connectAccount,
  integrateDemoCrm,
  PROVIDER,
  proxyUrl,
  readOutcome,
  type Stage,
  startConnectSession,
  startStage,
} from '../support/stage.ts';
import { until } from '../support/until.ts';

const USER = 'ada';
const REASON = 'The provider has an incident; we look into it.';

let stage: Stage;
let replica: Awaited<ReturnType<typeof startReplica>>;

beforeAll(async () => {
  stage = await startStage();
  replica = await startReplica();
  await connectAccount(stage, { userId: USER });
});
afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

async function startReplica() {
  const { startGateway } = await import('../support/gateway.ts');
  const { gateway, catalogDir } = stage;
  const { ENCRYPTION_KEYS = '' } = gateway.env;
  return startGateway({ catalogDir, databaseUrl: gateway.databaseUrl ?? '', env: { ENCRYPTION_KEYS } });
}

const patch = (disabled: object | null) =>
  callApiOk(stage.gateway.url, 'PATCH', `/v1/integrations/${stage.integration.id}`, {
    bearer: stage.project.apiKey,
    body: { disabled },
  });
const contacts = (gateway: { url: string } = stage.gateway) =>
  callApi(proxyUrl({ ...stage, gateway: { ...stage.gateway, url: gateway.url } }, CONTACTS), 'GET', '', {
    bearer: stage.project.userToken(USER),
  });
const begin = (body: object) =>
  callApi(stage.gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: stage.project.userToken(USER),
    headers: { origin: APP_ORIGIN },
    body,
  });

describe('an integration that is switched off', () => {
  afterEach(() => patch(null));

  it('refuses calls on every replica with its reason, and serves them again once it is on', async () => {
    expect((await contacts()).status).toBe(200);
    expect((await contacts(replica)).status).toBe(200);
    const shown = await patch({ reason: REASON });
    expect(shown).toMatchObject({ state: 'disabled', disabled: { reason: REASON } });
    const refused = await contacts();
    expect(refused.status).toBe(403);
    expect(refused.headers.get('gateway-error')).toBe('integration_disabled');
    expect(refused.body.detail).toContain(REASON);
    await until(async () => (await contacts(replica)).status === 403);
    expect(await patch(null)).toMatchObject({ state: 'active', disabled: null });
    expect((await contacts()).status).toBe(200);
    await until(async () => (await contacts(replica)).status === 200);
  });

  it('revokes nothing and leaves connections active', async () => {
    await patch({ reason: REASON });
    const { connections } = await callApiOk(stage.gateway.url, 'GET', '/v1/connections', {
      bearer: stage.project.userToken(USER),
    });
    expect(connections[0].status).toBe('active');
  });

  it('begins no connect session, and says why to those that have begun', async () => {
    const before = await startConnectSession(stage, USER);
    const [atProvider, browser] = [
      await startConnectSession(stage, USER),
      createHttpBrowser({ origins: [stage.gateway.url, stage.crm.url] }),
    ];
    const signIn = await browser.open(atProvider.url);
    await patch({ reason: REASON });
    const refused = await begin({ provider: PROVIDER });
    expect([refused.status, refused.body.code]).toEqual([403, 'integration_disabled']);
    const opened = await createHttpBrowser({ origins: [stage.gateway.url] }).open(before.url);
    expect(opened.body).toContain(REASON);
    expect(readOutcome(opened).message.error).toBe('integration_disabled');
    const consent = await browser.submit(`${signIn.url}/sign-in`, {
      email: 'ada@northwind.test',
      password: 'demo',
    });
    const back = await browser.submit(`${consent.url}/allow`);
    expect(readOutcome(back).message.error).toBe('integration_disabled');
  });

  it('is not offered for choosing, in the page of a session without a provider', async () => {
    const chosen = await startConnectSession(stage, USER, {});
    await patch({ reason: REASON });
    const page = await createHttpBrowser({ origins: [stage.gateway.url] }).open(chosen.url);
    expect(page.body).not.toContain(stage.integration.id);
  });
});

describe('the integrations that a connect session may use', () => {
  let other: { id: string };
  beforeAll(async () => {
    const client = { clientId: 'other', clientSecret: 'other', redirectUris: [], name: 'Other' };
    other = await integrateDemoCrm(stage.gateway, stage.project, stage.crm, client);
  });

  it('are the only ones offered and taken', async () => {
    const session = await startConnectSession(stage, USER, {
      integrationIds: [stage.integration.id, newest()],
    });
    const browser = createHttpBrowser({ origins: [stage.gateway.url] });
    const page = await browser.open(session.url);
    expect(page.body).toContain(stage.integration.id);
    const narrow = await callApiOk(stage.gateway.url, 'POST', '/v1/integrations', {
      bearer: stage.project.apiKey,
      body: { serviceProvider: PROVIDER, clientId: 'third', clientSecret: 'third', scopes: ['oauth'] },
    });
    const again = await browser.submit(session.url, { integrationId: narrow.id });
    expect(again.url).toContain('/connect/');
    expect(again.body).not.toContain(narrow.id);
  });

  it('decide between two of one provider, and make the only one the session’s', async () => {
    const session = await startConnectSession(stage, USER, {
      provider: PROVIDER,
      integrationIds: [stage.integration.id],
    });
    expect(readOutcome(await authorize(stage, session.url)).message.status).toBe('success');
    const only = await startConnectSession(stage, USER, { integrationIds: [stage.integration.id] });
    expect(readOutcome(await authorize(stage, only.url)).message.status).toBe('success');
  });

  it('refuse another one, and ids that the project does not have', async () => {
    const outside = await begin({ integrationId: other.id, integrationIds: [stage.integration.id] });
    expect([outside.status, outside.body.code]).toEqual([403, 'integration_not_allowed']);
    const unknown = await begin({ integrationIds: [stage.project.id] });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'integration_not_found']);
  });

  const newest = () => other.id;
});
