import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  type ApiAnswer,
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { spawnGateway } from '../support/spawn-gateway.ts';
import { readRelayTarget, startTcpRelay, urlThroughRelay } from '../support/tcp-relay.ts';
import {
  answerWell,
  startTokenProvider,
  type TokenProvider,
  type TokenRequest,
} from '../support/token-provider.ts';
import { until } from '../support/until.ts';

/** Refresh tokens of `strict` work once; `graceful` takes a used one again for ten minutes. */
const PROVIDERS = ['strict', 'graceful'] as const;
const TIMEOUT_MS = 500;

let provider: TokenProvider;
let catalog: { path: string; remove: () => Promise<void> };
let database: TestDatabase;
let env: Record<string, string>;
let gateways: Gateway[];
let project: Project;
const integrations: Record<string, string> = {};
let store: pg.Client;

beforeAll(async () => {
  provider = await startTokenProvider();
  catalog = await createCatalogDir({
    strict: provider.providerFile('strict'),
    graceful: provider.providerFile('graceful', 'refreshTokenReuseSeconds: 600\n'),
  });
  database = await createTestDatabase();
  store = new pg.Client(connectionSettings(database.url));
  await store.connect();
  env = { ENCRYPTION_KEYS: createEncryptionKey(), TOKEN_REQUEST_TIMEOUT_MS: String(TIMEOUT_MS) };
  const first = await start();
  env.PUBLIC_URL = first.url;
  gateways = [first, await start()];
  project = await provision(first);
  for (const serviceProvider of PROVIDERS) {
    const body = { serviceProvider, clientId: 'client', clientSecret: 'secret', scopes: ['read'] };
    const made = await callApiOk(first.url, 'POST', '/v1/integrations', { bearer: project.apiKey, body });
    integrations[serviceProvider] = made.id;
  }
});
afterAll(async () => {
  for (const gateway of gateways ?? []) await gateway.stop();
  await store?.end();
  await database?.drop();
  await catalog?.remove();
  await provider?.close();
});
beforeEach(() => provider.answerWith(answerWell));

const startOptions = () => ({ catalogDir: catalog.path, databaseUrl: database.url, env });
const start = () => startGateway(startOptions());
const spawn = () => spawnGateway(startOptions());

let users = 0;

/** A user with a connection whose access token has so long to live. */
async function connect(serviceProvider: (typeof PROVIDERS)[number], leftSeconds: number) {
  users += 1;
  const userId = `user-${users}`;
  const issued = provider.issue();
  const credentials = {
    accessToken: issued.access_token,
    refreshToken: issued.refresh_token,
    expiresAt: new Date(Date.now() + leftSeconds * 1000).toISOString(),
  };
  const body = { integrationId: integrations[serviceProvider], userId, credentials };
  const [{ url = '' } = {}] = gateways;
  const { id } = await callApiOk(url, 'POST', '/v1/connections', { bearer: project.apiKey, body });
  const call = (gateway = gateways[0]!) =>
    callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/${serviceProvider}/things`, {
      bearer: project.userToken(userId),
    });
  const read = () => callApiOk(url, 'GET', `/v1/connections/${id}`, { bearer: project.apiKey });
  const sent = () => provider.refreshes.filter((token) => token === issued.refresh_token).length;
  return { id, call, read, sent, accessToken: issued.access_token };
}

const expireAccessToken = (id: string) =>
  store.query(
    `UPDATE connections SET access_token_expires_at = now() - interval '1 second', version = version + 1 WHERE id = $1`,
    [id],
  );

/** Takes every token at once and answers when the test says so. */
function holdAnswers(): { release: () => void; arrived: () => Promise<void> } {
  const held: (() => void)[] = [];
  const before = provider.refreshes.length;
  provider.answerWith((request: TokenRequest) => {
    const tokens = request.exchange();
    held.push(() => request.reply(tokens ? 200 : 400, tokens ?? { error: 'invalid_grant' }));
  });
  return {
    release: () => {
      for (const reply of held.splice(0)) reply();
    },
    arrived: () => provider.until(() => provider.refreshes.length > before && held.length > 0),
  };
}

/** Calls until one asks for new tokens; those before it are served from memory, while the notice of the change is under way. */
async function callUntilAsked(call: () => Promise<ApiAnswer>, asked: Promise<void>) {
  for (;;) {
    const answer = call();
    const isAsked = await Promise.race([asked.then(() => true), answer.then(() => false)]);
    if (isAsked) return { answer };
  }
}

describe('a token endpoint that takes the refresh token at once and answers after the time-out', () => {
  it('is asked once by two gateways, and its late answer heals the connection', async () => {
    const { call, read, sent } = await connect('strict', -60);
    const { release } = holdAnswers();
    const refused = await Promise.all(gateways.flatMap((gateway) => [call(gateway), call(gateway)]));
    for (const answer of refused) {
      expect([answer.status, answer.body.code]).toEqual([503, 'refresh_unavailable']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await read()).toMatchObject({ status: 'active' });
    release();
    await until(async () => (await call()).status === 200);
    expect((await call(gateways[1])).status).toBe(200);
    expect(sent()).toBe(1);
  });

  it('disturbs no call while the access token is still good', async () => {
    const { call, read, sent, accessToken } = await connect('strict', 20);
    const { release, arrived } = holdAnswers();
    const answers = [call()];
    await arrived();
    for (let count = 0; count < 5; count += 1) answers.push(call(), call(gateways[1]));
    const used = (await Promise.all(answers)).map(({ status, body }) => [status, body.token]);
    expect(used).toEqual(Array(11).fill([200, accessToken]));
    release();
    await until(async () => (await call()).body.token !== accessToken);
    expect(sent()).toBe(1);
    expect(await read()).toMatchObject({ status: 'active', statusReason: null });
  });

  it('costs no connection when the gateway is stopped meanwhile', async () => {
    const { call, sent } = await connect('strict', -60);
    const stopping = await spawn();
    const { release, arrived } = holdAnswers();
    const refused = call(stopping);
    await arrived();
    expect((await refused).status).toBe(503);
    const stopped = stopping.stop();
    await until(() => stopping.logs().includes('"stopping"'));
    release();
    expect(await stopped).toEqual({ code: 0, signal: null });
    await until(async () => (await call()).status === 200);
    expect(sent()).toBe(1);
  });
});

describe('a token endpoint that loses the answer', () => {
  const loseAnswers = () =>
    provider.answerWith((request) => {
      request.exchange();
      request.drop();
    });

  it('gets a one-use token no second time while the access token serves, once more after that, and then no more', async () => {
    const { id, call, read, sent } = await connect('strict', 20);
    loseAnswers();
    await call();
    await until(async () => /lost|unanswered/.test((await read()).statusReason ?? ''));
    expect(await read()).toMatchObject({ status: 'active' });
    provider.answerWith(answerWell);
    for (let again = 0; again < 3; again += 1) expect((await call()).status).toBe(200);
    expect(sent()).toBe(1);
    await expireAccessToken(id);
    await until(async () => (await call()).status === 424);
    expect(sent()).toBe(2);
    const ended = await read();
    expect(ended.status).toBe('reauthorization_required');
    expect(ended.statusReason).toMatch(
      /refresh refused after the answer to an earlier refresh was lost: invalid_grant/,
    );
    const { activity } = await callApiOk(gateways[0]!.url, 'GET', `/v1/activity?subjectId=${id}`, {
      bearer: project.apiKey,
    });
    const recorded = activity.filter(
      ({ action }: { action: string }) => action === 'connection.reauthorization_required',
    );
    expect(recorded).toHaveLength(1);
  });

  it.each<[string, (request: TokenRequest) => void]>([
    ['a connection that breaks', (request) => request.drop()],
    ['an empty answer', (request) => request.reply(200)],
  ])('without having taken the token costs nothing: %s', async (_, lose) => {
    const { call, sent } = await connect('strict', -60);
    provider.answerWith(lose);
    expect((await call()).status).toBe(503);
    provider.answerWith(answerWell);
    await until(async () => (await call()).status === 200);
    expect(sent()).toBe(2);
  });

  it('is asked again by itself where the provider takes a used token once more', async () => {
    const { call, sent } = await connect('graceful', -60);
    let first: Record<string, unknown> | undefined;
    provider.answerWith((request) => {
      first ??= request.exchange();
      if (sent() === 1) request.drop();
      else request.reply(200, first);
    });
    expect((await call()).status).toBe(503);
    await until(async () => (await call()).status === 200);
    expect(sent()).toBe(2);
  });
});

describe('a gateway that is killed while the token endpoint answers', () => {
  async function killWhileAsking(serviceProvider: 'strict' | 'graceful') {
    const connection = await connect(serviceProvider, -60);
    const doomed = await spawn();
    const { release, arrived } = holdAnswers();
    const call = connection.call(doomed).catch(() => undefined);
    await arrived();
    await doomed.kill();
    await call;
    release();
    return connection;
  }

  it('leaves the connection to the others at once where the provider takes the token once more', async () => {
    const { call, sent } = await killWhileAsking('graceful');
    const fresh = provider.issue();
    provider.answerWith((request) => request.reply(200, { ...fresh, expires_in: 3600 }));
    // The lease of forty seconds is not waited for, since the process shows that it is gone.
    await until(async () => (await call()).status === 200);
    expect(sent()).toBe(2);
  });

  /** As if the lease and the time for others to write had passed. */
  const endWaiting = (id: string) =>
    store.query(
      `UPDATE connections SET refresh_lease_until = refresh_lease_until - interval '1 hour',
         refresh_asked_at = refresh_asked_at - interval '1 hour',
         refresh_last_try_from = refresh_last_try_from - interval '10 minutes' WHERE id = $1`,
      [id],
    );

  it('has lost a one-use token that the provider had taken: the connection ends after its lease', async () => {
    const { id, call, read, sent } = await killWhileAsking('strict');
    expect((await call()).status).toBe(503);
    expect(sent()).toBe(1);
    provider.answerWith(answerWell);
    await endWaiting(id);
    await until(async () => (await call()).status === 424);
    expect((await read()).statusReason).toMatch(/answer to an earlier refresh was lost/);
    expect(sent()).toBe(2);
  });
});

describe('a store that goes away while the token endpoint answers', () => {
  it('costs no connection: calls are served from memory, and the tokens are written when it is back', async () => {
    const relay = await startTcpRelay(readRelayTarget(database.url));
    const behind = await startGateway({
      ...startOptions(),
      databaseUrl: urlThroughRelay(database.url, relay.port),
    });
    try {
      const { id, call, read, sent, accessToken } = await connect('strict', 3_600);
      await until(async () => (await call(behind)).status === 200);
      await expireAccessToken(id);
      const { release, arrived } = holdAnswers();
      const served = await callUntilAsked(() => call(behind), arrived());
      await relay.cut();
      release();
      const answer = await served.answer;
      expect(answer.status).toBe(200);
      expect(answer.body.token).not.toBe(accessToken);
      // The other gateway finds the row in doubt, and sends the token no second time.
      expect((await call()).status).toBe(503);
      await relay.mend();
      await until(async () => (await call()).status === 200);
      expect([(await call()).body.token, sent()]).toEqual([answer.body.token, 1]);
      expect(await read()).toMatchObject({ status: 'active', statusReason: null });
    } finally {
      await relay.mend().catch(() => undefined);
      await behind.stop();
      await relay.close();
    }
  });

  it('is waited for by a gateway that is told to stop', async () => {
    const relay = await startTcpRelay(readRelayTarget(database.url));
    const stopping = await spawnGateway({
      ...startOptions(),
      databaseUrl: urlThroughRelay(database.url, relay.port),
    });
    const { call, sent } = await connect('strict', -60);
    const { release, arrived } = holdAnswers();
    const served = call(stopping).catch(() => undefined);
    await arrived();
    await relay.cut();
    release();
    const stopped = stopping.stop();
    await until(() => stopping.logs().includes('refreshed tokens wait for the store'));
    await relay.mend();
    expect(await stopped).toEqual({ code: 0, signal: null });
    await served;
    expect((await call()).status).toBe(200);
    expect(sent()).toBe(1);
    await relay.close();
  });
});

describe('a token endpoint that refuses', () => {
  it('in the way of HubSpot ends the connection at once, with its words', async () => {
    const { call, read, sent } = await connect('strict', -60);
    provider.answerWith((request) =>
      request.reply(400, { status: 'BAD_REFRESH_TOKEN', message: 'missing or unknown refresh token' }),
    );
    const answers = await Promise.all(gateways.map((gateway) => call(gateway)));
    expect(answers.map(({ status }) => status)).toEqual([424, 424]);
    expect(sent()).toBe(1);
    expect((await read()).statusReason).toBe(
      'refresh refused: BAD_REFRESH_TOKEN (“missing or unknown refresh token”)',
    );
  });

  it('in words of its own ends the connection after a day of it', async () => {
    const { id, call, read } = await connect('strict', -60);
    provider.answerWith((request) => request.reply(400, { message: 'Computer says no' }));
    const first = await call();
    expect([first.status, first.body.code]).toEqual([503, 'refresh_unavailable']);
    await store.query(
      `UPDATE connections SET refresh_refused_since = now() - interval '1 day', refresh_retry_at = NULL WHERE id = $1`,
      [id],
    );
    expect((await call()).status).toBe(424);
    expect((await read()).statusReason).toBe('refresh refused: http_400 (“Computer says no”)');
  });

  it('does not make calls wait for a day because it asked for a day', async () => {
    const { call } = await connect('strict', -60);
    provider.answerWith((request) => request.reply(503, {}, { 'retry-after': '86400' }));
    const refused = await call();
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(300);
  });
});

describe('a storm of refreshes', () => {
  it('at a provider that answers refreshes every connection once, and serves every call', async () => {
    const connections = await Promise.all(Array.from({ length: 60 }, () => connect('strict', -60)));
    // On a busy machine sixty refreshes may take longer than a call waits: it gets Retry-After.
    const callUntilServed = async (call: (gateway?: Gateway) => Promise<ApiAnswer>, gateway?: Gateway) => {
      let answer = await call(gateway);
      while (answer.body?.code === 'refresh_unavailable') answer = await call(gateway);
      return answer.status;
    };
    const statuses = await Promise.all(
      connections.flatMap(({ call }, index) => [
        callUntilServed(call, gateways[index % 2]),
        callUntilServed(call, gateways[(index + 1) % 2]),
      ]),
    );
    expect(statuses).toEqual(Array(120).fill(200));
    expect(connections.map(({ sent }) => sent())).toEqual(Array(60).fill(1));
  });
});
