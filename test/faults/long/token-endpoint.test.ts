import { createServer } from 'node:http';
import pg from 'pg';
import { connectionSettings } from '../../../src/platform/postgres/connection.ts';
import { createHttpBrowser } from '../../examples/http-browser.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../../support/authorization-server.ts';
import { createCatalogDir } from '../../support/catalog-dir.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { callApi, type Project, provision } from '../../support/gateway.ts';
import { closeServer, listen } from '../../support/listen.ts';
import { findFreePort } from '../../support/ports.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type SpawnedGateway, spawnGateway } from '../../support/spawn-gateway.ts';
import { APP_ORIGIN, readOutcome } from '../../support/stage.ts';
import { until } from '../../support/until.ts';
import { callPatiently } from '../patient-calls.ts';

/** Faults of the line to a token endpoint, and whether its answers can be lost by them though it has exchanged the token. */
const CASES: readonly { title: string; fault: Fault | 'refuse'; losesAnswers: boolean }[] = [
  { title: 'refuses connections', fault: 'refuse', losesAnswers: false },
  { title: 'is a black hole', fault: { kind: 'black hole' }, losesAnswers: false },
  {
    title: 'answers garbage',
    fault: { kind: 'garbage', bytes: '\u0000garbage\r\n\r\n' },
    losesAnswers: false,
  },
  {
    title: 'is a proxy that answers with a page',
    fault: {
      kind: 'garbage',
      bytes: 'HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n<html',
    },
    losesAnswers: false,
  },
  { title: 'is late', fault: { kind: 'latency', ms: 200 }, losesAnswers: false },
  { title: 'has a narrow line', fault: { kind: 'bandwidth', bytesPerSecond: 20_000 }, losesAnswers: false },
  { title: 'never answers', fault: { kind: 'silence', after: 0 }, losesAnswers: true },
  { title: 'stops in the midst of its answer', fault: { kind: 'silence', after: 300 }, losesAnswers: true },
  { title: 'resets before its answer', fault: { kind: 'reset', after: 0 }, losesAnswers: true },
  { title: 'resets in the midst of its answer', fault: { kind: 'reset', after: 300 }, losesAnswers: true },
  { title: 'ends before its answer', fault: { kind: 'end', after: 0 }, losesAnswers: true },
  { title: 'ends in the midst of its answer', fault: { kind: 'end', after: 300 }, losesAnswers: true },
];
const HEALTHY = 'healthy';
const USER = 'user-1';
const nameOf = (index: number) => `openid-${index}`;

let provider: AuthorizationServer;
let proxies: FaultProxy[];
let api: ReturnType<typeof createServer>;
let catalog: { path: string; remove: () => Promise<void> };
let database: TestDatabase;
let store: pg.Client;
let gateway: SpawnedGateway;
let project: Project;
/** Tokens that the provider has exchanged, by client. */
const exchanged = new Map<string, number>();

beforeAll(async () => {
  const port = await findFreePort();
  const ids = CASES.map((_case, index) => nameOf(index));
  provider = await startAuthorizationServer({
    redirectUri: `http://127.0.0.1:${port}/oauth/callback`,
    moreClients: [...ids, HEALTHY].map((client_id) => ({ client_id })),
    onGrant: (client, type) => {
      if (type === 'refresh_token') exchanged.set(client, (exchanged.get(client) ?? 0) + 1);
    },
  });
  const target = { host: '127.0.0.1', port: Number(new URL(provider.origin).port) };
  proxies = await Promise.all(CASES.map(() => startFaultProxy(target)));
  api = createServer((_request, response) => response.end('{}'));
  const apiBaseUrl = `http://127.0.0.1:${await listen(api)}`;
  const describe = (id: string, tokenOrigin: string) =>
    JSON.stringify({
      id,
      name: id,
      auth: 'oauth2',
      authorizationUrl: `${provider.origin}/auth`,
      tokenUrl: `${tokenOrigin}/token`,
      apiBaseUrl,
      pkce: true,
    });
  catalog = await createCatalogDir({
    [HEALTHY]: describe(HEALTHY, provider.origin),
    ...Object.fromEntries(
      ids.map((id, index) => [id, describe(id, `http://127.0.0.1:${proxies[index]?.port}`)]),
    ),
  });
  database = await createTestDatabase();
  store = new pg.Client(connectionSettings(database.url));
  await store.connect();
  gateway = await spawnGateway({
    catalogDir: catalog.path,
    databaseUrl: database.url,
    port,
    env: {
      TOKEN_REQUEST_TIMEOUT_MS: '2000',
      RATE_LIMIT_PROXY_PER_MINUTE: '0',
      RATE_LIMIT_CONNECT_PER_MINUTE: '0',
    },
  });
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN] });
  await Promise.all([HEALTHY, ...ids].map(connect));
});

afterAll(async () => {
  await gateway?.stop();
  await store?.end();
  await database?.drop();
  await catalog?.remove();
  if (api !== undefined) await closeServer(api);
  for (const proxy of proxies ?? []) await proxy.close();
  await provider?.close();
});

/** By the whole authorization, at a provider that rotates refresh tokens and ends the grant where one comes twice. */
async function connect(id: string): Promise<void> {
  const body = {
    serviceProvider: id,
    clientId: id,
    clientSecret: provider.clientSecret,
    scopes: ['openid', 'offline_access'],
  };
  await callPatiently(gateway.url, 'POST', '/v1/integrations', { bearer: project.apiKey, body });
  const call = { bearer: project.userToken(USER), headers: { origin: APP_ORIGIN } };
  const session = await callPatiently(gateway.url, 'POST', '/v1/connect-sessions', {
    ...call,
    body: { provider: id },
  });
  const browser = createHttpBrowser({ origins: [gateway.url, provider.origin] });
  const { message } = readOutcome(await browser.open(session.url));
  await callPatiently(gateway.url, 'POST', `/v1/connect-sessions/${session.id}/complete`, {
    ...call,
    body: { completionCode: message.completionCode },
  });
}

const callAs = (id: string) =>
  callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/${id}/me`, { bearer: project.userToken(USER) });

const expire = (id: string) =>
  store.query(
    `UPDATE connections SET access_token_expires_at = now() - interval '1 minute', version = version + 1
      WHERE integration_id = (SELECT id FROM integrations WHERE service_provider = $1)`,
    [id],
  );

/** The fault comes, calls need a new token meanwhile, and it goes: what the last call got, and what was said during the fault. */
async function refreshThroughFault(index: number) {
  const { fault } = CASES[index]!;
  const [id, proxy] = [nameOf(index), proxies[index]!];
  await until(async () => (await callAs(id)).status === 200);
  if (fault === 'refuse') await proxy.refuse();
  else proxy.inject(fault);
  await expire(id);
  const during = await Promise.all([callAs(id), callAs(id), callAs(id)]);
  if (fault === 'refuse') await proxy.accept();
  else proxy.inject(undefined);
  let status = 0;
  await until(async () => {
    ({ status } = await callAs(id));
    return status === 200 || status === 424;
  });
  return { during, status, exchanges: exchanged.get(id) ?? 0 };
}

describe('a token endpoint whose line', () => {
  const runs = new Map<number, ReturnType<typeof refreshThroughFault>>();
  let neighbour: Promise<number[]>;
  beforeAll(() => {
    for (const index of CASES.keys()) {
      const run = refreshThroughFault(index);
      run.catch(() => undefined);
      runs.set(index, run);
    }
    const all = Promise.allSettled(runs.values()).then(() => 'over');
    neighbour = (async () => {
      const seen: number[] = [];
      while ((await Promise.race([all, callAs(HEALTHY).then(({ status }) => status)])) !== 'over') {
        await expire(HEALTHY);
        seen.push((await callAs(HEALTHY)).status);
      }
      return seen;
    })();
  });

  it.each(CASES.map(({ title }, index) => [title, index] as const))(
    '%s costs no connection, unless the answer with its new tokens was lost; callers hear of it within the time-out, and no secret',
    async (_title, index) => {
      const { during, status, exchanges } = await runs.get(index)!;
      for (const answer of during) {
        expect([200, 424, 503]).toContain(answer.status);
        if (answer.status === 503) expect(answer.body.code).toBe('refresh_unavailable');
        expect(answer.text).not.toContain(provider.clientSecret);
      }
      // It rotates: whatever it has exchanged and could not tell is gone, and nothing else is.
      if (CASES[index]?.losesAnswers) expect([status, exchanges]).toEqual([424, 1]);
      else expect([status, exchanges]).toEqual([200, 1]);
    },
  );

  it('is broken slows and fails no refresh at others, and no process', async () => {
    const seen = await neighbour;
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((status) => status !== 200)).toEqual([]);
    expect((await callApi(gateway.url, 'GET', '/readyz')).status).toBe(200);
    expect(gateway.logs()).not.toContain('"code":"internal_error"');
    expect(gateway.logs()).not.toContain(provider.clientSecret);
  });
});
