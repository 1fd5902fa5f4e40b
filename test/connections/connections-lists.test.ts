import type { Knex } from 'knex';
import { type ConnectionFilter, createConnectionsStore } from '../../src/connections/connections.store.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import {
  createTestVault,
  insertConnection,
  insertEndUser,
  insertIntegration,
  insertProject,
} from '../support/rows.ts';
import { countRowsRead } from '../support/rows-read.ts';

const CONNECTIONS = 20_000;
const USERS = 2_000;

let database: TestDatabase;
let db: Knex;
let projectId: string;
let integrationIds: string[];
const vault = createTestVault();
const store = createConnectionsStore({ vault });

/** A project with many connections of one integration, one connection of a second, and none of a third. */
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.knex;
  projectId = await insertProject(db);
  integrationIds = [];
  for (const provider of ['hubspot', 'salesforce', 'pipedrive']) {
    integrationIds.push(await insertIntegration(db, vault, projectId, provider));
  }
  await db.transaction(async (trx) => {
    // Without foreign keys and notices, which are not what this is about.
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw('SET LOCAL statement_timeout = 0');
    await trx.raw(
      `INSERT INTO end_users (id, project_id, subject)
       SELECT gen_random_uuid(), ?, 'user-' || n FROM generate_series(1, ?) AS n`,
      [projectId, USERS],
    );
    await trx.raw(
      `INSERT INTO connections (id, project_id, integration_id, end_user_id, status, credentials_sealed)
       SELECT gen_random_uuid(), ?, ?, u.id,
         CASE WHEN u.subject = 'user-7' AND n = 1 THEN 'reauthorization_required' ELSE 'active' END, 'sealed'
       FROM end_users AS u CROSS JOIN generate_series(1, ?) AS n`,
      [projectId, integrationIds[0] ?? '', CONNECTIONS / USERS],
    );
  });
  const endUserId = await insertEndUser(db, projectId, 'rare');
  await insertConnection(db, vault, { projectId, integrationId: integrationIds[1] ?? '', endUserId });
  for (const table of ['connections', 'integrations', 'end_users']) await db.raw(`ANALYZE ${table}`);
});
afterAll(() => database?.drop());

/** The connections, and how many rows Postgres read at most in any of the queries, by its own account. */
async function listed(filter: Partial<ConnectionFilter>) {
  const { result, read } = await countRowsRead(db, () =>
    store.list(db, { projectIds: [projectId], limit: 51, ...filter }),
  );
  return { found: result.length, read };
}

describe('the list of a project with many connections', () => {
  it.each<[string, () => Partial<ConnectionFilter>, number]>([
    ['everything', () => ({}), 51],
    ['a provider without connections', () => ({ serviceProvider: 'pipedrive' }), 0],
    ['a provider without an integration', () => ({ serviceProvider: 'slack' }), 0],
    ['a rare provider', () => ({ serviceProvider: 'salesforce' }), 1],
    ['a common provider', () => ({ serviceProvider: 'hubspot' }), 51],
    ['an integration without connections', () => ({ integrationId: integrationIds[2] }), 0],
    ['a user', () => ({ subject: 'user-1999' }), 10],
    ['an unknown user', () => ({ subject: 'nobody' }), 0],
    ['a user of a rare provider', () => ({ subject: 'rare', serviceProvider: 'salesforce' }), 1],
    ['a rare state', () => ({ status: 'reauthorization_required' }), 1],
    ['a search for a user', () => ({ search: 'USER-1999' }), 10],
    ['a search for nobody', () => ({ search: 'zz' }), 0],
  ])('reads few rows for %s', async (_what, filter, found) => {
    const result = await listed(filter());
    expect(result.found).toBe(found);
    expect(result.read).toBeLessThan(600);
  });

  it('is searched by beginnings of user id, account name, account id and connection id', async () => {
    const projectIds = [await insertProject(db, 'Searched')];
    const [projectId = ''] = projectIds;
    const integrationId = await insertIntegration(db, vault, projectId, 'hubspot');
    const ids: string[] = [];
    for (const [subject, accountName, accountId] of [
      ['Ärger_1', 'Northwind Ltd', 'acct_1'],
      ['user%2', 'north sea', 'ACCT_2'],
      ['user-3', null, null],
    ] as const) {
      const endUserId = await insertEndUser(db, projectId, subject);
      const owner = { projectId, integrationId, endUserId };
      ids.push(await insertConnection(db, vault, owner, { accountName, accountId }));
    }
    const search = async (text: string) =>
      (await store.list(db, { projectIds, search: text, limit: 10 })).map(({ id }) => ids.indexOf(id));
    expect(await search('NORTH')).toEqual([1, 0]);
    expect(await search('northw')).toEqual([0]);
    expect(await search('acct_')).toEqual([1, 0]);
    expect(await search('user')).toEqual([2, 1]);
    expect(await search('user%')).toEqual([1]);
    expect(await search('user_')).toEqual([]);
    expect(await search('Ärger')).toEqual([0]);
    expect(await search(ids[2] ?? '')).toEqual([2]);
    expect(await search(ids[2]?.slice(0, 35).toUpperCase() ?? '')).toEqual([2]);
    expect(await search('sea')).toEqual([]);
    expect(
      await store.list(db, { projectIds: [await insertProject(db)], search: 'north', limit: 10 }),
    ).toEqual([]);
  });

  it('shows a user of another project with the same id nothing', async () => {
    const other = await insertProject(db);
    await insertEndUser(db, other, 'user-1');
    expect(await store.list(db, { projectIds: [other], subject: 'user-1', limit: 10 })).toEqual([]);
  });
});
