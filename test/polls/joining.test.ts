import { createIdBound, newId } from '../../src/lib/ids.ts';
import { createPollsStore } from '../../src/polls/api/polls.store.ts';
import { createPollProgressStore } from '../../src/polls/running/poll-progress.store.ts';
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
const vault = createTestVault();
const polls = createPollsStore();
const { join } = createPollProgressStore();

let database: TestDatabase;
let owner: { projectId: string; integrationId: string; endUserId: string };
let pollId: string;

async function insertPoll(integrationId: string): Promise<string> {
  const made = await polls.insert(database.knex, {
    ...{ projectId: owner.projectId, integrationId, resource: 'contacts', custom: null },
    ...{ objectType: 'contact', intervalSeconds: 60, fields: [], parameters: {} },
    ...{ backfill: 'none', deletes: 'none', scanIntervalSeconds: 3600, createdBy: newId() },
  });
  return made?.id ?? '';
}

/** An integration with many connections, all of which have joined its poll. */
beforeAll(async () => {
  database = await createTestDatabase();
  const db = database.knex;
  const projectId = await insertProject(db);
  const integrationId = await insertIntegration(db, vault, projectId, 'hubspot');
  const endUserId = await insertEndUser(db, projectId, 'user-1');
  owner = { projectId, integrationId, endUserId };
  pollId = await insertPoll(integrationId);
  // What autovacuum reads of a table would count as read by the statement.
  const tables = ['connections', 'poll_connections', 'polls'];
  for (const table of tables) await db.raw(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  await db.transaction(async (trx) => {
    // Without foreign keys and notices, which are not what this is about.
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw('SET LOCAL statement_timeout = 0');
    await trx.raw(
      `WITH made AS (
         INSERT INTO connections (id, project_id, integration_id, end_user_id, status, credentials_sealed)
         SELECT new_time_ordered_id(), ?, ?, ?, 'active', 'sealed' FROM generate_series(1, ?) RETURNING id, project_id)
       INSERT INTO poll_connections (poll_id, connection_id, project_id, object_type, hears_webhooks, progress)
       SELECT ?, id, project_id, 'contact', true, '{}' FROM made`,
      [projectId, integrationId, endUserId, CONNECTIONS, pollId],
    );
  });
  for (const table of tables) await db.raw(`ANALYZE ${table}`);
});
afterAll(() => database?.drop());

it('finds a connection made just now without reading those that have joined long ago', async () => {
  const sinceId = createIdBound(Date.now());
  const connectionId = await insertConnection(database.knex, vault, owner);
  const { result, read } = await countRowsRead(database.knex, () => join(database.knex, { sinceId }, 500));
  expect(result).toEqual([{ pollId, connectionId, projectId: owner.projectId }]);
  expect(read).toBeLessThan(600);
});

it('finds connections of a poll made just now, and every one that no poll has yet', async () => {
  const integrationId = await insertIntegration(database.knex, vault, owner.projectId, 'hubspot');
  const connectionId = await insertConnection(database.knex, vault, { ...owner, integrationId });
  const sinceId = createIdBound(Date.now() + 1);
  expect(await join(database.knex, { sinceId }, 500)).toEqual([]);
  const made = await insertPoll(integrationId);
  const joined = { pollId: made, connectionId, projectId: owner.projectId };
  const leave = () => database.knex('poll_connections').where({ poll_id: made }).delete();
  const justBefore = `${made.slice(0, -12)}000000000000`;
  for (const which of [{ sinceId: justBefore }, { pollId: made }, { sinceId: createIdBound(0) }]) {
    expect(await join(database.knex, which, 500)).toEqual([joined]);
    await leave();
  }
});
