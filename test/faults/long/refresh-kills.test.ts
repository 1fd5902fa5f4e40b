import pg from 'pg';
import { connectionSettings } from '../../../src/platform/postgres/connection.ts';
import { createCatalogDir } from '../../support/catalog-dir.ts';
import { callApi, type Gateway, type Project, provision } from '../../support/gateway.ts';
import { createEncryptionKey } from '../../support/gateway-environment.ts';
import { type KillReport, killAtEveryStep, type Reach } from '../../support/kill-steps.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { spawnGateway } from '../../support/spawn-gateway.ts';
import { startTokenProvider, type TokenProvider } from '../../support/token-provider.ts';
import { until } from '../../support/until.ts';
import { callPatiently } from '../patient-calls.ts';

/** What became of the one refresh of a run, by the time its process was gone. */
type Refresh = {
  readonly userId: string;
  readonly connectionId: string;
  readonly refreshToken: string;
  /** The provider has exchanged the token. */
  isExchanged: boolean;
  /** What it gave for it is in the store. */
  isStored: boolean;
};

let provider: TokenProvider;
let database: TestDatabase;
let store: pg.Client;
let catalog: { path: string; remove: () => Promise<void> };
let survivor: Gateway;
let project: Project;
let report: KillReport;
const refreshes = new Map<number, Refresh>();

beforeAll(async () => {
  provider = await startTokenProvider();
  catalog = await createCatalogDir({ strict: provider.providerFile('strict') });
  database = await createTestDatabase();
  store = new pg.Client(connectionSettings(database.url));
  await store.connect();
  const env = { ENCRYPTION_KEYS: createEncryptionKey(), RATE_LIMIT_PROXY_PER_MINUTE: '0' };
  const options = { catalogDir: catalog.path, databaseUrl: database.url };
  survivor = await spawnGateway({ ...options, env });
  project = await provision(survivor);
  const client = { clientId: 'client', clientSecret: 'secret', scopes: ['read'] };
  const { id: integrationId } = await callPatiently(survivor.url, 'POST', '/v1/integrations', {
    bearer: project.apiKey,
    body: { serviceProvider: 'strict', ...client },
  });
  report = await killAtEveryStep({
    databaseUrl: database.url,
    start: (databaseUrl) =>
      spawnGateway({ ...options, databaseUrl, env: { ...env, PUBLIC_URL: survivor.url } }),
    async flow(victim, run, reach) {
      const refresh = await importExpired(integrationId, `user-${run}`);
      refreshes.set(run, refresh);
      answerByStep(refresh, reach);
      await callAs(victim, refresh.userId).catch(() => undefined);
    },
  });
  for (const refresh of refreshes.values()) refresh.isStored = await hasNewTokens(refresh.connectionId);
});

afterAll(async () => {
  await survivor?.stop();
  await store?.end();
  await database?.drop();
  await catalog?.remove();
  await provider?.close();
});

/** A connection whose access token has expired, and whose refresh token works once. */
async function importExpired(integrationId: string, userId: string): Promise<Refresh> {
  const { access_token: accessToken, refresh_token: refreshToken } = provider.issue();
  const credentials = { accessToken, refreshToken, expiresAt: new Date(Date.now() - 60_000).toISOString() };
  const body = { integrationId, userId, credentials };
  const { id } = await callPatiently(survivor.url, 'POST', '/v1/connections', {
    bearer: project.apiKey,
    body,
  });
  return { userId, connectionId: id, refreshToken, isExchanged: false, isStored: false };
}

function answerByStep(refresh: Refresh, reach: Reach): void {
  provider.answerWith((request) => {
    // Other processes may take up what an earlier one has left.
    const isOwn = request.form.get('refresh_token') === refresh.refreshToken;
    if (isOwn && reach('the token endpoint has the request') === 'break off') return request.drop();
    const tokens = request.exchange();
    if (isOwn) refresh.isExchanged ||= tokens !== undefined;
    if (isOwn && reach('the token endpoint has exchanged the token') === 'break off') return request.drop();
    request.reply(tokens === undefined ? 400 : 200, tokens ?? { error: 'invalid_grant' });
    if (isOwn) reach('the token endpoint has answered');
  });
}

const callAs = (gateway: Pick<Gateway, 'url'>, userId: string) =>
  callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/strict/things`, {
    bearer: project.userToken(userId),
  });

async function hasNewTokens(id: string): Promise<boolean> {
  const { rows } = await store.query('SELECT credentials_version AS version FROM connections WHERE id = $1', [
    id,
  ]);
  return rows[0].version > 1;
}

/** The calls that the user's application goes on making, until one of them has a lasting answer. */
async function callUntilSettled({ userId }: Refresh): Promise<number> {
  let status = 0;
  await until(async () => {
    ({ status } = await callAs(survivor, userId));
    return status === 200 || status === 424;
  });
  return status;
}

describe('a process that is killed at any step of a refresh', () => {
  it('was killed at each of them', () => {
    expect(report.unreached).toEqual([]);
    expect(report.kills.length).toBeGreaterThanOrEqual(6);
    expect(report.kills.map(({ step }) => step)).toContain('the token endpoint has exchanged the token');
  });

  it('costs the connection only where the provider had taken the token and what it gave was not stored', async () => {
    const steps = new Map(report.kills.map(({ run, step }) => [run, step]));
    const ended = await Promise.all(
      [...refreshes].map(async ([run, refresh]) => ({
        step: steps.get(run) ?? 'none',
        status: await callUntilSettled(refresh),
        expected: refresh.isExchanged && !refresh.isStored ? 424 : 200,
        sent: provider.refreshes.filter((token) => token === refresh.refreshToken).length,
      })),
    );
    expect(ended.filter(({ status, expected }) => status !== expected)).toEqual([]);
    // Once, and once more where nothing was left to lose.
    expect(ended.filter(({ sent }) => sent > 2)).toEqual([]);
    expect(ended.filter(({ sent, status }) => sent > 1 && status === 200 && !steps.size)).toEqual([]);
    expect(ended.filter(({ expected }) => expected === 424).length).toBeLessThan(ended.length / 2);
  });

  it('leaves no lease, and says of an ended connection why', async () => {
    const { rows } = await store.query(
      `SELECT status, status_reason AS reason FROM connections
        WHERE refresh_lease_until IS NOT NULL OR status <> 'active'`,
    );
    for (const { status, reason } of rows) {
      expect(status).toBe('reauthorization_required');
      expect(reason).toMatch(/answer to an earlier refresh was lost/);
    }
  });
});
