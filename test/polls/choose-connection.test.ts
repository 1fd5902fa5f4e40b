import { createConnectionsStore } from '../../src/connections/connections.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { createChooseConnection } from '../../src/polls/api/choose-connection.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import {
  createTestVault,
  insertConnection,
  insertEndUser,
  insertIntegration,
  insertOwner,
} from '../support/rows.ts';

const vault = createTestVault();

/** A project whose integration has three connections, the newest of which refuses, and another integration with one. */
async function insertRows(db: TestDatabase['knex']) {
  const owner = await insertOwner(db, vault, 'hub');
  const connect = async (integrationId = owner.integrationId) => {
    const endUserId = await insertEndUser(db, owner.projectId, newId());
    return insertConnection(db, vault, { ...owner, integrationId, endUserId });
  };
  const [older, newer, refusing] = [await connect(), await connect(), await connect()];
  await db('connections').where({ id: refusing }).update({ status: 'reauthorization_required' });
  const otherIntegrationId = await insertIntegration(db, vault, owner.projectId, 'desk');
  const foreign = await connect(otherIntegrationId);
  return { ...owner, older, newer, refusing, foreign };
}

let database: TestDatabase;
let rows: Awaited<ReturnType<typeof insertRows>>;
let empty: { projectId: string; integrationId: string };
let choose: ReturnType<typeof createChooseConnection>;

beforeAll(async () => {
  database = await createTestDatabase();
  rows = await insertRows(database.knex);
  empty = await insertOwner(database.knex, vault, 'hub');
  choose = createChooseConnection({ db: database.knex, connections: createConnectionsStore({ vault }) });
});
afterAll(() => database?.drop());

const chooseOf = async ({ projectId, integrationId }: typeof empty, connectionId?: string) =>
  (await choose({ id: integrationId, projectId }, connectionId))?.id;

describe('the connection that a poll is tried with', () => {
  it('is the newest active one of the integration', async () => {
    expect(await chooseOf(rows)).toBe(rows.newer);
    expect(await chooseOf(empty)).toBeUndefined();
  });

  it.each(['older', 'refusing'] as const)('is the one that was given: the %s one', async (name) => {
    expect(await chooseOf(rows, rows[name])).toBe(rows[name]);
  });

  it('is none where the given one is of another integration or project', async () => {
    expect(await chooseOf(rows, rows.foreign)).toBeUndefined();
    expect(await chooseOf(empty, rows.older)).toBeUndefined();
  });
});
