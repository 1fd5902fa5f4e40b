import { setTimeout as pause } from 'node:timers/promises';
import { credentialsContext, packCredentials } from '../../src/connections/credentials.ts';
import { newId } from '../../src/lib/ids.ts';
import { createVault, parseEncryptionKeys, type Vault } from '../../src/platform/vault.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { type ApiCall, callApiOk, type Project, provision } from '../support/gateway.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { startTokenProvider, type TokenProvider } from '../support/token-provider.ts';
import { until } from '../support/until.ts';

const CONNECTIONS = 10_000;
const REPLICAS = 3;
/** What a provider takes for a revocation, across a continent. */
const PROVIDER_MS = 200;
const LIMIT_MS = 20 * 60_000;

let provider: TokenProvider;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let database: TestDatabase;
let project: Project;
const replicas: SpawnedGateway[] = [];

const api = (method: string, path: string, call: ApiCall = {}) =>
  callApiOk(replicas[0]?.url ?? '', method, `/v1${path}`, { bearer: project.apiKey, ...call });
const call = async (gateway: SpawnedGateway) =>
  (
    await fetch(`${gateway.url}/projects/${project.id}/proxy/good/a`, {
      headers: { authorization: `Bearer ${project.userToken('ada')}` },
    })
  ).status;
/** By pages: what the API needs a minute for. */
async function plantConnections(vault: Vault, integrationId: string): Promise<void> {
  const owner = { project_id: project.id, integration_id: integrationId };
  for (let made = 1; made < CONNECTIONS; made += 500) {
    const page = Array.from({ length: Math.min(500, CONNECTIONS - made) }, (_, index) => {
      const [id, endUserId, name] = [newId(), newId(), String(made + index)];
      const credentials = { values: { accessToken: `access-${name}` }, refreshToken: `refresh-${name}` };
      const sealed = vault.seal(packCredentials(credentials), credentialsContext(id, project.id));
      return {
        user: { id: endUserId, project_id: project.id, subject: `user-${name}` },
        connection: { id, ...owner, end_user_id: endUserId, status: 'active', credentials_sealed: sealed },
      };
    });
    await database.knex('end_users').insert(page.map(({ user }) => user));
    await database.knex('connections').insert(page.map(({ connection }) => connection));
  }
}

beforeAll(async () => {
  provider = await startTokenProvider();
  provider.answerRevocationsWith(async (request) => {
    await pause(PROVIDER_MS);
    request.reply(200);
  });
  catalog = await createCatalogDir({ good: provider.providerFile('good') });
  database = await createTestDatabase();
  const start = async (env: Record<string, string>) =>
    replicas.push(await spawnGateway({ catalogDir: catalog.path, databaseUrl: database.url, env }));
  await start({});
  const { ENCRYPTION_KEYS = '' } = replicas[0]?.env ?? {};
  while (replicas.length < REPLICAS) await start({ ENCRYPTION_KEYS, PUBLIC_URL: replicas[0]?.url ?? '' });
  const [first] = replicas;
  if (first === undefined) throw new Error('no replica');
  project = await provision(first);
  const client = { serviceProvider: 'good', clientId: 'c', clientSecret: 's', scopes: ['read'] };
  const { id: integrationId } = await api('POST', '/integrations', { body: client });
  const { access_token: accessToken } = provider.issue();
  await api('POST', '/connections', { body: { integrationId, userId: 'ada', credentials: { accessToken } } });
  const vault = createVault(parseEncryptionKeys(ENCRYPTION_KEYS));
  await plantConnections(vault, integrationId);
}, LIMIT_MS);
afterAll(async () => {
  for (const gateway of replicas) await gateway.stop();
  await catalog?.remove();
  await database?.drop();
  await provider?.close();
});

describe('an emergency on three replicas, with ten thousand connections', () => {
  it('is stopped everywhere by freezing the project', async () => {
    expect(await Promise.all(replicas.map(call))).toEqual([200, 200, 200]);
    await api('POST', `/projects/${project.id}/freeze`, { body: { reason: 'a token leaked' } });
    await until(async () => (await Promise.all(replicas.map(call))).every((status) => status === 423));
  });

  it(
    'ends with every grant revoked at its provider, and a report',
    async () => {
      const beganMs = performance.now();
      const begun = await api('POST', `/projects/${project.id}/revoke-all`, { body: {} });
      const path = `/projects/${project.id}/revocation-reports/${begun.id}`;
      let read = await api('GET', path);
      while (read.state !== 'done' && performance.now() - beganMs < LIMIT_MS) {
        await pause(1_000);
        read = await api('GET', path);
      }
      expect(read).toMatchObject({ state: 'done', connections: CONNECTIONS, unrevoked: [] });
      expect(new Set(provider.revoked).size).toBeGreaterThanOrEqual(CONNECTIONS);
    },
    LIMIT_MS,
  );
});
