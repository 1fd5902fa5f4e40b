import type { Knex } from 'knex';
import { buildCallRecord } from '../../src/call-log/call-record.ts';
import { insertCalls } from '../../src/call-log/recent-calls.store.ts';
import type { Catalog } from '../../src/catalog/loading/catalog.ts';
import { createConnectionsStore } from '../../src/connections/connections.store.ts';
import { createIntegrationsStore } from '../../src/integrations/integrations.store.ts';
import { createEndUsers } from '../../src/projects/end-users.store.ts';
import { createProjectsStore } from '../../src/projects/projects.store.ts';
import { createSearchSources } from '../../src/search/sources.ts';
import { finishedCall } from '../call-log/fake-calls.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import {
  createTestVault,
  insertConnection,
  insertEndUser,
  insertIntegration,
  insertProject,
} from '../support/rows.ts';

const LIMIT = 5;
const vault = createTestVault();
const PROVIDERS = [
  ['acme-mail', 'Acme Mail'],
  ['big-mail', 'Big Mail'],
  ['mail-hub', 'Hub of Mail'],
  ['post', 'Mailbox'],
  ['sales', 'Sales'],
].map(([id, name]) => acmeProvider({ id, name }));
const catalog: Pick<Catalog, 'all'> = { all: async () => PROVIDERS };

/** A project with an integration of `mail-hub`, Ada's connection to it, and a call that was made over it. */
async function insertAll(db: Knex, name: string) {
  const projectId = await insertProject(db, name);
  const integrationId = await insertIntegration(db, vault, projectId, 'mail-hub');
  const userId = await insertEndUser(db, projectId, 'ada');
  const owner = { projectId, integrationId, endUserId: userId };
  const connectionId = await insertConnection(db, vault, owner, { accountName: 'Ada Ltd' });
  const call = finishedCall({ projectId, provider: 'mail-hub', status: 404 });
  const record = buildCallRecord(call, { projectId, user: undefined, nowMs: Date.now() });
  await insertCalls(db, [{ call: record, isSample: false }]);
  return { projectId, integrationId, userId, connectionId, requestId: call.requestId };
}

let database: TestDatabase;
let sources: ReturnType<typeof createSearchSources>;
let mine: Awaited<ReturnType<typeof insertAll>>;
let theirs: Awaited<ReturnType<typeof insertAll>>;

beforeAll(async () => {
  database = await createTestDatabase();
  const db = database.knex;
  mine = await insertAll(db, 'Shop of Ada');
  theirs = await insertAll(db, 'Shop of others');
  sources = createSearchSources({
    db,
    catalog,
    connections: createConnectionsStore({ vault }),
    integrations: createIntegrationsStore({ vault }),
    endUsers: createEndUsers({ db }),
    projects: createProjectsStore({ db }),
  });
});
afterAll(() => database?.drop());

type Found = Promise<readonly { readonly id: string }[]>;
const idsOf = async (found: Found) => (await found).map(({ id }) => id);

describe('the sources of a search', () => {
  it.each([
    [
      'whose id or name begins with the text come first',
      'mail',
      9,
      ['mail-hub', 'post', 'acme-mail', 'big-mail'],
    ],
    ['are found in any case', 'SALES', 9, ['sales']],
    ['are cut off after those that come first', 'mail', 2, ['mail-hub', 'post']],
    ['are none where no name has the text', 'calendar', 9, []],
  ])('find providers, which %s', async (_how, text, limit, ids) => {
    expect(await idsOf(sources.findProviders(text, limit))).toEqual(ids);
  });

  it('leave the list of the catalog in its order', async () => {
    await sources.findProviders('mail', LIMIT);
    expect(PROVIDERS.map(({ id }) => id)).toEqual(['acme-mail', 'big-mail', 'mail-hub', 'post', 'sales']);
  });

  it.each<
    [kind: string, find: (projectIds: string[]) => Found, key: 'requestId' | 'connectionId' | 'userId']
  >([
    ['requests by their id', (ids) => sources.findRequests(ids, mine.requestId), 'requestId'],
    [
      'connections by the name of the account',
      (ids) => sources.findConnections(ids, 'ada l', LIMIT),
      'connectionId',
    ],
    ['users by what their id begins with', (ids) => sources.findUsers(ids, 'AD', LIMIT), 'userId'],
  ])('find %s, of the given projects only', async (_kind, find, key) => {
    expect(await idsOf(find([mine.projectId]))).toEqual([mine[key]]);
    expect(await idsOf(find([]))).toEqual([]);
  });

  it.each<[text: string, readText: () => string]>([
    ['a part of its provider', () => 'HUB'],
    ['its id', () => mine.integrationId.toUpperCase()],
  ])('find an integration by %s, of the given projects only', async (_text, readText) => {
    expect(await sources.findIntegrations([mine.projectId], readText(), LIMIT)).toEqual([
      {
        kind: 'integration',
        id: mine.integrationId,
        projectId: mine.projectId,
        title: 'mail-hub',
        subtitle: 'client-1',
      },
    ]);
    expect(await sources.findIntegrations([theirs.projectId], mine.integrationId, LIMIT)).toEqual([]);
  });

  it('find no integration by the text of another provider', async () => {
    expect(await sources.findIntegrations([mine.projectId], 'sales', LIMIT)).toEqual([]);
  });

  it.each<[text: string, readText: () => string, limit: number, names: string[]]>([
    ['a part of their names, the newest first', () => 'shop', LIMIT, ['Shop of others', 'Shop of Ada']],
    ['as many as wanted', () => 'shop', 1, ['Shop of others']],
    ['their ids', () => mine.projectId.toUpperCase(), LIMIT, ['Shop of Ada']],
    ['no other text', () => 'store', LIMIT, []],
  ])('find projects by %s', async (_text, readText, limit, names) => {
    const found = await sources.findProjects([mine.projectId, theirs.projectId], readText(), limit);
    expect(found.map(({ title }) => title)).toEqual(names);
  });

  it('find no project that was not given', async () => {
    expect(await sources.findProjects([mine.projectId], theirs.projectId, LIMIT)).toEqual([]);
  });
});
