import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { loadConfig } from '../../src/config.ts';
import { runOperatorCommand } from '../../src/process/operator-command.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  type ApiCall,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { createDataDir } from '../support/gateway-environment.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startTokenProvider, type TokenProvider } from '../support/token-provider.ts';

let provider: TokenProvider;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let data: Awaited<ReturnType<typeof createDataDir>>;
let target: TestDatabase;
let gateway: Gateway | undefined;
let project: Project;

const api = (method: string, path: string, call: ApiCall = {}) =>
  callApiOk(gateway?.url ?? '', method, `/v1${path}`, { bearer: project.apiKey, ...call });

async function moveStore(): Promise<string> {
  const said: string[] = [];
  const print = (line: string) => void said.push(line);
  await runOperatorCommand(
    ['move-store', '--to', target.url],
    () => loadConfig({ DATA_DIR: data.path }, '/'),
    { input: Readable.from([]), write: print, print },
  );
  return said.join('\n');
}

async function call(): Promise<number> {
  const answer = await fetch(`${gateway?.url}/projects/${project.id}/proxy/good/a`, {
    headers: { authorization: `Bearer ${project.userToken('ada')}` },
  });
  return answer.status;
}

beforeAll(async () => {
  provider = await startTokenProvider();
  catalog = await createCatalogDir({ good: provider.providerFile('good') });
  data = await createDataDir();
  target = await createTestDatabase({ empty: true });
  gateway = await startGateway({ dataDir: data.path, catalogDir: catalog.path });
  project = await provision(gateway);
  const client = { serviceProvider: 'good', clientId: 'c', clientSecret: 's', scopes: ['read'] };
  const { id: integrationId } = await api('POST', '/integrations', { body: client });
  const { access_token: accessToken, refresh_token: refreshToken } = provider.issue();
  const credentials = { accessToken, refreshToken, expiresAt: '2020-01-01T00:00:00Z' };
  await api('POST', '/connections', { body: { integrationId, userId: 'ada', credentials } });
  const { events } = await api('GET', '/events?wait=20');
  expect(events.length).toBeGreaterThan(0);
});
afterAll(async () => {
  await gateway?.stop();
  await target?.drop();
  await data?.remove();
  await catalog?.remove();
  await provider?.close();
});

describe('moving the embedded store to a Postgres of one’s own', () => {
  it('is refused while a gateway runs on it, and changes nothing then', async () => {
    await expect(moveStore()).rejects.toThrow('A gateway runs on this store');
    expect(await call()).toBe(200);
    await gateway?.stop();
    gateway = undefined;
  });

  it('takes one command, which counts the rows, tries the keys and says what to set', async () => {
    const said = await moveStore();
    expect(said).toMatch(/\d+ rows of \d+ tables are there, and the keys open them/);
    expect(said).toContain(join(data.path, 'encryption-keys'));
  });

  it('is refused where the other database is not empty', async () => {
    await expect(moveStore()).rejects.toThrow('is not empty');
  });

  it('leaves nothing behind: connections, events and their order, sign-ins, and what comes afterwards', async () => {
    const ENCRYPTION_KEYS = readFileSync(join(data.path, 'encryption-keys'), 'utf8').trim();
    gateway = await startGateway({
      databaseUrl: target.url,
      catalogDir: catalog.path,
      env: { ENCRYPTION_KEYS },
    });
    expect(await call()).toBe(200);
    const before = await api('GET', '/events');
    expect(before.events.length).toBeGreaterThan(0);
    await api('POST', `/projects/${project.id}/freeze`, { body: {} });
    const { connections } = await api('GET', `/projects/${project.id}/connections`);
    expect(connections).toHaveLength(1);
    // Triggers and foreign keys are there again.
    const { rows } = await target.knex.raw(
      `SELECT (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'O')::int AS off,
              (SELECT count(*) FROM pg_constraint WHERE contype = 'f')::int AS keys`,
    );
    expect(rows[0]).toMatchObject({ off: 0 });
    expect(rows[0].keys).toBeGreaterThan(50);
  });
});
