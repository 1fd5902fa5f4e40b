import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  callApiOk,
  createProject,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startTokenProvider, type TokenProvider } from '../support/token-provider.ts';

let provider: TokenProvider;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let database: TestDatabase;
let gateway: Gateway;
let project: Project;
let connectionId: string;

const api = (method: string, path: string, body?: object) =>
  callApiOk(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, body });

beforeAll(async () => {
  provider = await startTokenProvider();
  catalog = await createCatalogDir({ good: provider.providerFile('good') });
  database = await createTestDatabase();
  gateway = await startGateway({ catalogDir: catalog.path, databaseUrl: database.url });
  project = await provision(gateway);
  const client = { serviceProvider: 'good', clientId: 'c', clientSecret: 's', scopes: ['read'] };
  const { id: integrationId } = await api('POST', '/integrations', client);
  const { access_token: accessToken, refresh_token: refreshToken } = provider.issue();
  const credentials = { accessToken, refreshToken, expiresAt: '2020-01-01T00:00:00Z' };
  ({ id: connectionId } = await api('POST', '/connections', { integrationId, userId: 'ada', credentials }));
});
afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
  await catalog?.remove();
  await provider?.close();
});

const read = async (query: string): Promise<{ id: string; action: string; createdAt: string }[]> =>
  (await api('GET', `/activity?subjectId=${connectionId}${query}`)).activity;
const actionsOf = async (query: string) => (await read(query)).map(({ action }) => action);

describe('the timeline of a connection', () => {
  it('has its newest refresh, at its time and page', async () => {
    expect(await actionsOf('')).toEqual(['connection.imported']);
    const called = await fetch(`${gateway.url}/projects/${project.id}/proxy/good/a`, {
      headers: { authorization: `Bearer ${project.userToken('ada')}` },
    });
    expect(called.status).toBe(200);
    await api('PATCH', `/connections/${connectionId}`, { tags: { plan: 'pro' } });
    // Ids of the log may run ahead of the store's clock in a process that has made very many.
    const whole = await actionsOf('');
    const actions = ['connection.annotated', 'connection.imported', 'connection.refreshed'];
    expect(whole.toSorted()).toEqual(actions);
    const { refreshedAt } = await api('GET', `/connections/${connectionId}`);
    const [refresh] = await read('&action=connection.refreshed');
    expect(refresh).toMatchObject({ actorKind: 'gateway', createdAt: refreshedAt, projectId: project.id });
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { activity: { action: string }[]; nextCursor: string | null } = await api(
        'GET',
        `/activity?subjectId=${connectionId}&limit=1${cursor && `&cursor=${cursor}`}`,
      );
      paged.push(...page.activity.map(({ action }) => action));
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(whole);
  });

  it('is filtered by kind, actor and time with it', async () => {
    const [refresh] = await read('&action=connection.refreshed');
    expect(await actionsOf('&actorKind=gateway')).toEqual(['connection.refreshed']);
    expect(await actionsOf('&actorKind=api_key')).not.toContain('connection.refreshed');
    expect(await actionsOf('&subjectKind=integration')).toEqual([]);
    expect(await actionsOf(`&from=${refresh?.createdAt}`)).toContain('connection.refreshed');
    expect(await actionsOf(`&to=${refresh?.createdAt}`)).not.toContain('connection.refreshed');
    expect(await actionsOf('&action=connection.imported')).toEqual(['connection.imported']);
  });

  it('is not shown to another project', async () => {
    const { apiKey: bearer } = await createProject(gateway.url, project.personalAccessToken);
    const theirs = await callApiOk(gateway.url, 'GET', `/v1/activity?subjectId=${connectionId}`, { bearer });
    expect(theirs.activity).toEqual([]);
  });
});
