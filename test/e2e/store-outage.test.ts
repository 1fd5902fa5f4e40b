import { APPLICATION_PAGE, createRequest } from '../support/agent-sign-in.ts';
import { callApi, callApiOk, type Gateway, type Project } from '../support/gateway.ts';
import {
  callProvider,
  type HeldStage,
  provisionConnected,
  readiness,
  startHeldStage,
  USER,
  until,
} from '../support/held-stage.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { readRelayTarget, startTcpRelay, type TcpRelay, urlThroughRelay } from '../support/tcp-relay.ts';
import { createVisitor, readLocation } from '../support/visitor.ts';

const PAGE = 'https://app.example';

/** What a page of this origin is allowed to read of a preflight's or a call's answer. */
const allowed = (response: { headers: Headers }) => response.headers.get('access-control-allow-origin');

function preflight(url: string, origin: string): Promise<Response> {
  return fetch(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } });
}

describe('while Postgres is away', () => {
  let stage: HeldStage;
  let database: TestDatabase;
  let relay: TcpRelay;
  let gateway: Gateway;
  let project: Project;

  beforeAll(async () => {
    stage = await startHeldStage();
    database = await createTestDatabase();
    relay = await startTcpRelay(readRelayTarget(database.url));
    gateway = await stage.start({
      databaseUrl: urlThroughRelay(database.url, relay.port),
      isPatient: false,
    });
    project = await provisionConnected(gateway);
    await callApiOk(gateway.url, 'PATCH', `/v1/projects/${project.id}`, {
      bearer: project.apiKey,
      body: { allowedOrigins: [PAGE] },
    });
    expect(await (await callProvider(gateway, project, '/')).text()).toBe('at once');
  });

  afterAll(async () => {
    await stage?.close();
    await relay?.close();
    await database?.drop();
  });

  /**
   * Notices of what the set-up changed may still be on their way, and empty the memory that the first call filled, as
   * does the listener for them when it is back. Nothing changes any more, so that one of the next tries finds it warm.
   */
  async function cutWhileWarm(): Promise<void> {
    for (;;) {
      await until(async () => (await callProvider(gateway, project, '/')).status, 200);
      await relay.cut();
      if ((await callProvider(gateway, project, '/')).status === 200) return;
      await relay.mend();
    }
  }

  it('pages go on: their preflights are answered, and their calls on warm connections', async () => {
    const proxied = `${gateway.url}/projects/${project.id}/proxy/held/`;
    const bearer = project.userToken(USER);
    const fromPage = () => fetch(proxied, { headers: { origin: PAGE, authorization: `Bearer ${bearer}` } });
    expect(allowed(await preflight(`${gateway.url}/v1/connections`, PAGE))).toBe(PAGE);
    expect(allowed(await preflight(proxied, PAGE))).toBe(PAGE);
    await cutWhileWarm();
    for (let call = 0; call < 5; call += 1) {
      expect(allowed(await preflight(`${gateway.url}/v1/connections`, PAGE))).toBe(PAGE);
      expect(allowed(await preflight(proxied, PAGE))).toBe(PAGE);
      const answer = await fromPage();
      expect([answer.status, allowed(answer)]).toEqual([200, PAGE]);
    }
    expect(allowed(await preflight(`${gateway.url}/v1/connections`, 'https://other.example'))).toBeNull();
    expect((await preflight(proxied, 'https://other.example')).status).toBe(403);
    await relay.mend();
    await until(() => readiness(gateway), 200);
  });

  it('calls on warm connections are served, management says 503 store_unavailable, and all is well afterwards', async () => {
    const management = () =>
      callApi(gateway.url, 'GET', '/v1/connections', { bearer: project.userToken(USER) });
    await cutWhileWarm();
    await until(async () => (await management()).status, 503);
    // A balancer that looks here must not take the replica away, which goes on serving the calls below.
    const probe = () => callApi(gateway.url, 'GET', '/readyz');
    await until(async () => Number((await probe()).headers.get('gateway-store') === 'away'), 1);
    expect(await probe()).toMatchObject({ status: 200, body: { status: 'degraded', store: 'away' } });
    expect((await callApi(gateway.url, 'GET', '/metrics')).text).toContain('gateway_store_up 0\n');
    const refused = await management();
    expect(refused.body).toMatchObject({ code: 'store_unavailable', status: 503, retryable: true });
    expect(refused.headers.get('gateway-error')).toBe('store_unavailable');
    for (let call = 0; call < 20; call += 1) {
      const response = await callProvider(gateway, project, '/');
      expect([response.status, await response.text()]).toEqual([200, 'at once']);
    }
    expect((await callApi(gateway.url, 'GET', '/livez')).status).toBe(200);

    await relay.mend();
    await until(async () => (await management()).status, 200);
    await until(async () => Number((await probe()).body.status === 'ok'), 1);
    expect((await callProvider(gateway, project, '/')).status).toBe(200);
    const { connections } = (await management()).body;
    await callApiOk(gateway.url, 'DELETE', `/v1/connections/${connections[0].id}`, {
      bearer: project.apiKey,
    });
    // Word of changes arrives again, too.
    await until(async () => (await callProvider(gateway, project, '/')).status, 404);
  });

  it('a request waits for a slow store for some seconds only, and nothing of it is left behind', async () => {
    const body = { integrationId: await integrationId(), userId: 'expired', credentials: EXPIRED };
    await callApiOk(gateway.url, 'POST', '/v1/connections', { bearer: project.apiKey, body });
    const bearer = project.personalAccessToken;
    const projects = async () =>
      (await callApiOk(gateway.url, 'GET', '/v1/projects', { bearer })).projects.length;
    const before = await projects();
    // Two answers of the store exceed what a request may wait for it.
    relay.slow(1_600);
    const [write, call] = await Promise.all([
      callApi(gateway.url, 'POST', '/v1/projects', { bearer, body: { name: 'slow' } }),
      callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/held/`, {
        bearer: project.userToken('expired'),
      }),
    ]);
    relay.slow(0);
    for (const answer of [write, call]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'store_unavailable', retryable: true } });
    }
    expect(await projects()).toBe(before);
  });

  it('a person who signs in for an agent is not sent away, and goes on afterwards', async () => {
    await callApiOk(gateway.url, 'PATCH', `/v1/projects/${project.id}`, {
      bearer: project.apiKey,
      body: { agentSignIn: { page: APPLICATION_PAGE, dynamicRegistration: true } },
    });
    const { client_id: clientId } = await callApiOk(gateway.url, 'POST', `/agents/${project.id}/register`, {
      body: { redirect_uris: ['http://127.0.0.1:33418/callback'] },
    });
    const visitor = createVisitor();
    const { url } = createRequest(gateway, project, clientId);
    const ofProject = url.replace('/agents/authorize', `/agents/${project.id}/authorize`);
    const interaction = await readLocation(await visitor.get(ofProject));
    await relay.cut();
    const page = await visitor.get(interaction);
    expect([page.status, page.headers.get('gateway-error')]).toEqual([503, 'store_unavailable']);
    await relay.mend();
    await until(async () => (await visitor.get(interaction)).status, 303);
  });

  /** More round trips than a caller waits for: a refresh takes a lease, reads and writes. */
  const EXPIRED = { accessToken: 'old', refreshToken: 'refresh', expiresAt: '2020-01-01T00:00:00Z' };

  async function integrationId(): Promise<string> {
    const { integrations } = await callApiOk(gateway.url, 'GET', '/v1/integrations', {
      bearer: project.apiKey,
    });
    return integrations[0].id;
  }
});
