import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { callApiOk, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import { type HeldProvider, plainProviderFile, startHeldProvider } from '../support/held-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { readRelayTarget, urlThroughRelay } from '../support/tcp-relay.ts';
import { startTokenProvider, type TokenProvider } from '../support/token-provider.ts';
import { until } from '../support/until.ts';

const PAGE = 'https://app.example';
const READ = { type: 'gateway_access', provider: 'held', access: 'read' };
/** Longer than anything in memory serves without being read again. */
const AWAY_MS = 150_000;
const STEP_MS = 7_000;
const AT_ONCE = 4;

const FAULTS: readonly (readonly [title: string, fault: Fault | undefined])[] = [
  ['is frozen', { kind: 'black hole' }],
  ['resets every connection', { kind: 'reset', after: 0 }],
  ['is gone', undefined],
];

const clock = Date.now;
let aheadMs = 0;
let provider: HeldProvider;
let strict: TokenProvider;
let catalog: { path: string; remove: () => Promise<void> };
let database: TestDatabase;
let line: FaultProxy;
let gateway: Gateway;
let project: Project;
let connectionId: string;
let mandateId: string;

beforeAll(async () => {
  Date.now = () => clock() + aheadMs;
  provider = await startHeldProvider();
  strict = await startTokenProvider();
  catalog = await createCatalogDir({
    held: plainProviderFile('held', provider.url),
    strict: strict.providerFile('strict'),
  });
  database = await createTestDatabase();
  line = await startFaultProxy(readRelayTarget(database.url));
  gateway = await startGateway({
    catalogDir: catalog.path,
    databaseUrl: urlThroughRelay(database.url, line.port),
    env: { RATE_LIMIT_PROXY_PER_MINUTE: '100000' },
  });
  project = await provision(gateway, { allowedOrigins: [PAGE] });
  await setUp();
});

afterAll(async () => {
  line?.inject(undefined);
  await gateway?.stop();
  await line?.close();
  await database?.drop();
  await catalog?.remove();
  await strict?.close();
  await provider?.close();
  Date.now = clock;
});

const asBackend = (body: object) => ({ bearer: project.apiKey, body });

async function setUp(): Promise<void> {
  const { url } = gateway;
  const custom = {
    id: 'own',
    name: 'Own',
    auth: 'api-key',
    apiBaseUrl: provider.url,
    apiKey: { in: 'header', name: 'Authorization', template: 'Bearer {apiKey}' },
  };
  await callApiOk(url, 'POST', '/v1/providers', asBackend(custom));
  const client = { serviceProvider: 'held', clientId: 'id', clientSecret: 'secret', scopes: ['read'] };
  const held = await callApiOk(url, 'POST', '/v1/integrations', asBackend(client));
  const own = await callApiOk(
    url,
    'POST',
    '/v1/integrations',
    asBackend({ serviceProvider: 'custom:own', scopes: [] }),
  );
  const accessToken = 'access-token';
  const connect = (body: object) => callApiOk(url, 'POST', '/v1/connections', asBackend(body));
  const of = { integrationId: held.id, credentials: { accessToken } };
  ({ id: connectionId } = await connect({ ...of, userId: 'mia' }));
  await connect({ ...of, owner: 'organization', organizationId: 'acme' });
  await connect({ integrationId: own.id, userId: 'mia', credentials: { apiKey: 'key' } });
  const limits = { proxyCallsPerMinute: 100_000, organizationCallsPerDay: 100_000 };
  await callApiOk(url, 'PATCH', `/v1/projects/${project.id}`, {
    bearer: project.personalAccessToken,
    body: { limits },
  });
  const mandate = asBackend({ name: 'Agents', entries: [READ] });
  ({ id: mandateId } = await callApiOk(url, 'POST', `/v1/projects/${project.id}/mandates`, mandate));
  await callApiOk(url, 'POST', `/v1/projects/${project.id}/revocations`, asBackend({ jti: 'another' }));
}

type Sent = {
  readonly token: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly to?: string;
};

async function call({ token, method = 'GET', headers = {}, to = 'held' }: Sent): Promise<string> {
  const answer = await fetch(`${gateway.url}/projects/${project.id}/proxy/${to}/a`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(method === 'POST' && { body: 'text' }),
  });
  await answer.arrayBuffer();
  // A machine that is busy enough for shedding says so, whatever the store does.
  const refusal = answer.headers.get('gateway-error');
  return refusal === 'overloaded' ? call({ token, method, headers, to }) : (refusal ?? String(answer.status));
}

/** Every kind of caller, with a token that the gateway has seen. */
async function listKinds(): Promise<Record<string, () => Promise<string>>> {
  const sign = (claims: object = {}, userId = 'mia') => project.userToken(userId, { claims: { ...claims } });
  const mint = asBackend({ userId: 'mia', expiresIn: 3_600, authorizationDetails: [READ] });
  const { token: minted } = await callApiOk(gateway.url, 'POST', '/v1/user-tokens', mint);
  const exchanged = await exchange(minted);
  const plain = sign();
  const sent: Record<string, Sent> = {
    'a token': { token: plain },
    'a body': { token: plain, method: 'POST' },
    'a page': { token: plain, headers: { origin: PAGE } },
    'a connection by its id': { token: plain, headers: { 'gateway-connection': connectionId } },
    'a token with an id': { token: sign({ jti: 'mine' }) },
    'a mandate': { token: sign({ authorization_details: [READ] }) },
    'a mandate with a limit': { token: sign({ authorization_details: [{ ...READ, perHour: 100_000 }] }) },
    'a named mandate': { token: sign({ gateway_mandate: mandateId }) },
    'a token of the gateway': { token: minted },
    'an exchanged token': { token: exchanged },
    'an organization’s connection': { token: sign({ org: 'acme' }, 'bob') },
    'the project’s own provider': { token: plain, to: 'custom:own' },
  };
  return {
    ...Object.fromEntries(Object.entries(sent).map(([kind, one]) => [kind, () => call(one)])),
    'a new token of a known user': () => call({ token: sign({ jti: crypto.randomUUID() }) }),
  };
}

async function exchange(token: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    authorization_details: JSON.stringify([{ ...READ, paths: ['/a'] }]),
  });
  const answer = await fetch(`${gateway.url}/oauth/token`, { method: 'POST', body });
  return (await answer.json()).access_token;
}

/** Resolves when the notice of a change of the connection has come to a process that listens as the gateway does. */
async function hearNotice(id: string): Promise<{ come: Promise<void>; close: () => Promise<void> }> {
  const client = new pg.Client(connectionSettings(database.url));
  await client.connect();
  await client.query('LISTEN gateway_changes');
  const { promise: come, resolve } = Promise.withResolvers<void>();
  client.on('notification', ({ payload = '' }) => payload.includes(id) && resolve());
  return { come, close: () => client.end() };
}

describe('a call whose token was just refreshed', () => {
  it('is warm: the store may go away before the next one', async () => {
    const client = { serviceProvider: 'strict', clientId: 'id', clientSecret: 'secret', scopes: ['read'] };
    const { id: integrationId } = await callApiOk(gateway.url, 'POST', '/v1/integrations', asBackend(client));
    const { access_token: accessToken, refresh_token: refreshToken } = strict.issue();
    const credentials = { accessToken, refreshToken, expiresAt: '2020-01-01T00:00:00Z' };
    const body = asBackend({ integrationId, userId: 'mia', credentials });
    const { id } = await callApiOk(gateway.url, 'POST', '/v1/connections', body);
    const again = () => call({ token: project.userToken('mia'), to: 'strict' });
    const notice = await hearNotice(id);
    expect(await again()).toBe('200');
    await notice.come;
    await notice.close();
    // By its answer the gateway's own listener has had the time to hear of it as well.
    await callApiOk(gateway.url, 'GET', '/v1/integrations', { bearer: project.apiKey });
    line.inject({ kind: 'black hole' });
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, again));
    line.inject(undefined);
    expect([...answers, strict.refreshes.length]).toEqual([...answers.map(() => '200'), 1]);
  });
});

describe('a store that', () => {
  it.each(FAULTS)('%s for minutes keeps no warm call of any kind', async (_title, fault) => {
    const kinds = Object.entries(await listKinds());
    for (const [, again] of kinds) await until(async () => (await again()) === '200');
    // What the set-up changed has arrived: nothing of it is read again.
    await Promise.all(kinds.map(([, again]) => again()));
    if (fault === undefined) await line.refuse();
    else line.inject(fault);
    const refused: string[] = [];
    for (const beganMs = aheadMs; aheadMs < beganMs + AWAY_MS; aheadMs += STEP_MS) {
      const answers = kinds.flatMap(([kind, again]) =>
        Array.from({ length: AT_ONCE }, async () => `${kind}: ${await again()}`),
      );
      refused.push(...(await Promise.all(answers)).filter((answer) => !answer.endsWith(': 200')));
    }
    if (fault === undefined) await line.accept();
    else line.inject(undefined);
    expect(refused).toEqual([]);
  });
});
