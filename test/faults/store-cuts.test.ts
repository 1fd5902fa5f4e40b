import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { callApi, type Project, provision } from '../support/gateway.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { type StatementProxy, startStatementProxy } from '../support/statement-proxy.ts';
import { startTokenProvider, type TokenProvider } from '../support/token-provider.ts';
import { until } from '../support/until.ts';
import { callPatiently } from './patient-calls.ts';

/**
 * The connection to the store breaks at each statement of a flow, once: before the statement is sent, in the midst of its transaction,
 * and when the store has committed and its answer is on its way. The process lives, and must lose nothing.
 */
const STEPS_MAX = 60;

let provider: TokenProvider;
let catalog: { path: string; remove: () => Promise<void> };
let database: TestDatabase;
let store: pg.Client;
let proxy: StatementProxy;
let gateway: SpawnedGateway;
let project: Project;
let integrationId: string;
/** Statements of the flow that is under way, and what happens at them. */
let watched: { readonly about: RegExp; readonly cutAt: number; steps: number; isCut: boolean } | undefined;

beforeAll(async () => {
  provider = await startTokenProvider();
  catalog = await createCatalogDir({ strict: provider.providerFile('strict') });
  database = await createTestDatabase();
  store = new pg.Client(connectionSettings(database.url));
  await store.connect();
  proxy = await startStatementProxy(database.url, (statement) => {
    if (watched === undefined || watched.isCut || !watched.about.test(statement)) return 'go on';
    watched.steps += 1;
    if (watched.steps !== watched.cutAt) return 'go on';
    watched.isCut = true;
    return 'cut';
  });
  gateway = await spawnGateway({
    catalogDir: catalog.path,
    databaseUrl: proxy.url,
    env: { RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0', RATE_LIMIT_PROXY_PER_MINUTE: '0' },
  });
  project = await provision(gateway);
  const client = { serviceProvider: 'strict', clientId: 'client', clientSecret: 'secret', scopes: ['read'] };
  const bearer = project.apiKey;
  ({ id: integrationId } = await callPatiently(gateway.url, 'POST', '/v1/integrations', {
    bearer,
    body: client,
  }));
});

afterAll(async () => {
  await gateway?.stop();
  await proxy?.close();
  await store?.end();
  await database?.drop();
  await catalog?.remove();
  await provider?.close();
});

/** Runs the flow again and again, with its connection cut one step later each time, until it runs through. Answers the number of cuts. */
async function cutAtEveryStep(about: RegExp, flow: (userId: string) => Promise<void>, name: string) {
  for (let cutAt = 1; cutAt <= STEPS_MAX; cutAt += 1) {
    watched = { about, cutAt, steps: 0, isCut: false };
    await flow(`${name}-${cutAt}`);
    const { isCut } = watched;
    watched = undefined;
    if (!isCut) return cutAt - 1;
  }
  throw new Error('the flow has no end');
}

function importUser(userId: string, leftSeconds: number) {
  const { access_token: accessToken, refresh_token: refreshToken } = provider.issue();
  const expiresAt = new Date(Date.now() + leftSeconds * 1_000).toISOString();
  return {
    refreshToken,
    send: () =>
      callApi(gateway.url, 'POST', '/v1/connections', {
        bearer: project.apiKey,
        headers: { 'idempotency-key': `import-${userId}` },
        body: { integrationId, userId, credentials: { accessToken, refreshToken, expiresAt } },
      }),
  };
}

describe('a connection to the store that breaks at any statement', () => {
  it('of a keyed change makes the change once, and its caller gets the reply in the end', async () => {
    const cuts = await cutAtEveryStep(
      /connections|idempotency|end_users|activity|event_outbox|COMMIT|BEGIN/i,
      async (userId) => {
        const { send } = importUser(userId, 3_600);
        const seen: number[] = [];
        await until(async () => {
          const { status } = await send();
          seen.push(status);
          return status === 201;
        });
        expect(seen.filter((status) => ![201, 409, 503].includes(status))).toEqual([]);
      },
      'imported',
    );
    expect(cuts).toBeGreaterThanOrEqual(6);
    const { rows } = await store.query(
      `SELECT count(*)::int AS count FROM connections GROUP BY end_user_id HAVING count(*) > 1`,
    );
    expect(rows).toEqual([]);
  });

  it('of a refresh costs no token: each is sent once, and every connection goes on', async () => {
    const cuts = await cutAtEveryStep(
      /connections/i,
      async (userId) => {
        const about = watched;
        watched = undefined;
        const { refreshToken, send } = importUser(userId, -60);
        expect((await send()).status).toBe(201);
        watched = about;
        await until(async () => {
          const { status } = await callApi(
            gateway.url,
            'GET',
            `/projects/${project.id}/proxy/strict/things`,
            {
              bearer: project.userToken(userId),
            },
          );
          expect([200, 503]).toContain(status);
          return status === 200;
        });
        expect(provider.refreshes.filter((token) => token === refreshToken)).toHaveLength(1);
      },
      'refreshed',
    );
    expect(cuts).toBeGreaterThanOrEqual(4);
    const { rows } = await store.query(`SELECT status FROM connections WHERE status <> 'active'`);
    expect(rows).toEqual([]);
  });

  it('leaves the process alive, without a fault of its own and without a secret in its log', async () => {
    expect((await callApi(gateway.url, 'GET', '/readyz')).status).toBe(200);
    expect(gateway.logs()).not.toContain('"code":"internal_error"');
    for (const token of provider.refreshes) expect(gateway.logs()).not.toContain(token);
  });
});
