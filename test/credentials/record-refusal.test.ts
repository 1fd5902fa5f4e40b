import { createRecordActivity } from '../../src/activity/record.ts';
import { createRecordRefusal } from '../../src/credentials/refreshing/record-refusal.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createTestVault, insertConnection, insertOwner } from '../support/rows.ts';

let database: TestDatabase;
let state: { projectId: string; integrationId: string; connectionId: string };

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
  const vault = createTestVault();
  const owner = await insertOwner(database.knex, vault, 'hub');
  state = { ...owner, connectionId: await insertConnection(database.knex, vault, owner) };
});

/** Records a refusal that sets the status first, and then ends as `end` does. */
async function refuse(end: () => Promise<boolean>, hasLog = true) {
  const record = createRecordActivity({ announce: () => undefined });
  const recordRefusal = createRecordRefusal({
    db: database.knex,
    recordActivity: hasLog ? record : () => Promise.reject(new Error('the log is away')),
  });
  return recordRefusal(state, 'invalid_grant', async (trx) => {
    await trx('connections').where({ id: state.connectionId }).update({ status: 'reauthorization_required' });
    return end();
  });
}

const readStatus = async () =>
  (await database.knex('connections').where({ id: state.connectionId }).first('status')).status;
const listEntries = () =>
  database
    .knex('activity')
    .where({ project_id: state.projectId })
    .select('action', 'actor_kind', 'subject_id', 'details');

describe('a refusal of the provider', () => {
  it('is recorded as what the gateway did, with its reason', async () => {
    expect(await refuse(async () => true)).toBe(true);
    expect(await listEntries()).toEqual([
      {
        action: 'connection.reauthorization_required',
        actor_kind: 'gateway',
        subject_id: state.connectionId,
        details: { integrationId: state.integrationId, reason: 'invalid_grant' },
      },
    ]);
  });

  it('is not recorded where it changed nothing', async () => {
    expect(await refuse(async () => false)).toBe(false);
    expect(await listEntries()).toEqual([]);
  });

  it.each<[title: string, run: () => Promise<boolean>]>([
    ['the change fails', () => refuse(() => Promise.reject(new Error('the change failed')))],
    ['it cannot be recorded', () => refuse(async () => true, false)],
  ])('leaves the connection as it was where %s', async (_title, run) => {
    await expect(run()).rejects.toThrow();
    expect([await readStatus(), await listEntries()]).toEqual(['active', []]);
  });
});
