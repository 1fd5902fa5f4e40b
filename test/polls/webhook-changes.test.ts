import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type FakeCrm, PEOPLE, startFakeCrm } from './fake-crm.ts';
import { createPollStage, type PollStage } from './poll-stage.ts';

const RECORDS = ['r00', 'r01', 'r02'];
const SMALL_PAGES = { ...PEOPLE, pageSize: 2 };

type Change = { readonly objectId: string; readonly change: 'created' | 'updated' | 'deleted' };

let database: TestDatabase;
let crm: FakeCrm;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
  crm = await startFakeCrm();
  for (const id of RECORDS) crm.put(id);
});
afterEach(() => crm.close());

/** Whether a poll has delivered the change already; it is noted as the webhook's where not. */
async function isKnown(stage: PollStage, change: Change, ms: number): Promise<boolean> {
  const { fingerprints, connectionId } = stage;
  const given = { connectionId, objectType: 'person', ...change, occurredAt: new Date(ms) };
  return database.knex.transaction(async (trx) => {
    const known = await fingerprints.settleWebhookChanges(trx, [given]);
    return known.size > 0;
  });
}

describe('a change that came by webhook', () => {
  it('is dropped by the poll, and one that the poll has reported is dropped by the webhook', async () => {
    crm.state.clockMs += 3_600_000;
    const stage = await createPollStage(database, crm.url, SMALL_PAGES);
    await stage.run();
    crm.state.clockMs += 1_000;
    crm.put('fresh');
    expect(await isKnown(stage, { objectId: 'fresh', change: 'created' }, crm.state.clockMs)).toBe(false);
    await stage.run();
    expect(await stage.reported()).toEqual([]);
    crm.state.clockMs += 1_000;
    crm.put('fresh', { name: 'changed' });
    await stage.run();
    expect(await stage.reported()).toEqual(['updated:fresh']);
    const updated = { objectId: 'fresh', change: 'updated' } as const;
    expect(await isKnown(stage, updated, crm.state.clockMs)).toBe(true);
    expect(await isKnown(stage, updated, crm.state.clockMs + 1)).toBe(false);
  });

  it('is noted also with a time far beyond the years that RFC 3339 writes', async () => {
    const stage = await createPollStage(database, crm.url, SMALL_PAGES);
    await stage.run();
    const microseconds = crm.state.clockMs * 1_000;
    const updated = { objectId: 'r00', change: 'updated' } as const;
    expect(await isKnown(stage, updated, microseconds)).toBe(false);
  });

  it('counts as new where it deletes what a poll reported within the same second', async () => {
    crm.state.clockMs += 3_600_000;
    const stage = await createPollStage(database, crm.url, SMALL_PAGES);
    await stage.run();
    crm.state.clockMs += 1_000;
    crm.put('closed');
    await stage.run();
    expect(await stage.reported()).toEqual(['created:closed']);
    const deleted = { objectId: 'closed', change: 'deleted' } as const;
    expect(await isKnown(stage, deleted, crm.state.clockMs - 1_000)).toBe(true);
    expect(await isKnown(stage, deleted, crm.state.clockMs - 999)).toBe(false);
    expect(await isKnown(stage, deleted, crm.state.clockMs - 999)).toBe(true);
  });

  it('is left to the webhook where the poll has only learnt the record', async () => {
    const stage = await createPollStage(database, crm.url, SMALL_PAGES, { deletes: 'scan' });
    await stage.run();
    const [objectId = ''] = RECORDS;
    expect(await isKnown(stage, { objectId, change: 'updated' }, crm.state.clockMs)).toBe(false);
  });
});
