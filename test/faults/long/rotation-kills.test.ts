import pg from 'pg';
import { connectionSettings } from '../../../src/platform/postgres/connection.ts';
import { createDatabase, type Database } from '../../../src/platform/postgres/database.ts';
import { countRowsByKeyId } from '../../../src/platform/vault-rotation.store.ts';
import { createCatalogDir } from '../../support/catalog-dir.ts';
import { callApi, type Project, provision } from '../../support/gateway.ts';
import { createEncryptionKey } from '../../support/gateway-environment.ts';
import { type KillReport, killAtEveryStep } from '../../support/kill-steps.ts';
import { findFreePort } from '../../support/ports.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type SpawnedGateway, spawnGateway } from '../../support/spawn-gateway.ts';
import { startTokenProvider, type TokenProvider } from '../../support/token-provider.ts';
import { until } from '../../support/until.ts';
import { callPatiently } from '../patient-calls.ts';

const USERS = 6;

let provider: TokenProvider;
let database: TestDatabase;
let rows: Database;
let store: pg.Client;
let catalog: { path: string; remove: () => Promise<void> };
let survivor: SpawnedGateway;
let project: Project;
let report: KillReport;
const keys: string[] = [];

/** Every run seals with a key of its own; those before it are known. */
function keysOfRun(run: number): string {
  while (keys.length <= run) keys.push(createEncryptionKey(`k${keys.length}`));
  return keys
    .slice(0, run + 1)
    .toReversed()
    .join(',');
}

beforeAll(async () => {
  provider = await startTokenProvider();
  catalog = await createCatalogDir({ strict: provider.providerFile('strict') });
  database = await createTestDatabase();
  rows = createDatabase({ url: database.url, applicationName: 'test', poolMax: 2 });
  store = new pg.Client(connectionSettings(database.url));
  await store.connect();
  const port = await findFreePort();
  const start = (databaseUrl: string, run: number, signal?: AbortSignal) => {
    const env = { ENCRYPTION_KEYS: keysOfRun(run), RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0' };
    return spawnGateway({ catalogDir: catalog.path, databaseUrl, port, env }, signal && { signal });
  };
  const first = await start(database.url, 0);
  project = await provision(first);
  await connectUsers(first);
  await first.stop();
  report = await killAtEveryStep({
    databaseUrl: database.url,
    start: (databaseUrl, run, _reach, signal) => start(databaseUrl, run, signal),
    isFlowOfStart: true,
    flow: (_victim, run, _reach, signal) => until(() => signal.aborted || isAllSealedBy(`k${run}`)),
  });
  survivor = await start(database.url, report.runs);
});

afterAll(async () => {
  await survivor?.stop();
  await rows?.close();
  await store?.end();
  await database?.drop();
  await catalog?.remove();
  await provider?.close();
});

async function connectUsers({ url }: SpawnedGateway): Promise<void> {
  const bearer = project.apiKey;
  const client = { serviceProvider: 'strict', clientId: 'client', clientSecret: 'secret', scopes: ['read'] };
  const { id: integrationId } = await callPatiently(url, 'POST', '/v1/integrations', {
    bearer,
    body: client,
  });
  for (let user = 0; user < USERS; user += 1) {
    const { access_token: accessToken, refresh_token: refreshToken } = provider.issue();
    const body = { integrationId, userId: `user-${user}`, credentials: { accessToken, refreshToken } };
    await callPatiently(url, 'POST', '/v1/connections', { bearer, body });
  }
  const destination = { url: 'http://127.0.0.1:9/', types: ['none.*'] };
  await callPatiently(url, 'POST', '/v1/event-destinations', { bearer, body: destination });
}

async function isAllSealedBy(key: string): Promise<boolean> {
  return [...(await countRowsByKeyId(rows.knex)).keys()].every((id) => id === key);
}

describe('a process that is killed at any step of a rotation of the encryption key', () => {
  it('was killed at each of them', () => {
    expect(report.unreached).toEqual([]);
    expect(report.kills.length).toBeGreaterThanOrEqual(10);
    expect(report.kills.some(({ step }) => /executed: UPDATE connections/.test(step))).toBe(true);
  });

  it('leaves rows of different keys, all of which the next one reads, and seals with the newest', async () => {
    await until(() => isAllSealedBy(`k${report.runs}`));
    for (let user = 0; user < USERS; user += 1) {
      const answer = await callApi(survivor.url, 'GET', `/projects/${project.id}/proxy/strict/things`, {
        bearer: project.userToken(`user-${user}`),
      });
      expect(answer.status).toBe(200);
    }
  });

  it('needs no key but the newest afterwards', async () => {
    await survivor.stop();
    const [newest = ''] = keysOfRun(report.runs).split(',');
    survivor = await spawnGateway({
      catalogDir: catalog.path,
      databaseUrl: database.url,
      port: survivor.port,
      env: { ENCRYPTION_KEYS: newest },
    });
    const answer = await callApi(survivor.url, 'GET', `/projects/${project.id}/proxy/strict/things`, {
      bearer: project.userToken('user-0'),
    });
    expect(answer.status).toBe(200);
  });
});
