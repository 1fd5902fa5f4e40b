import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type FakeCrm, PEOPLE, startFakeCrm } from './fake-crm.ts';
import { createPollStage } from './poll-stage.ts';

const RECORDS = ['r00', 'r01', 'r02'];
const SMALL_PAGES = { ...PEOPLE, pageSize: 2 };

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

describe('a change that came by webhook', () => {
  const at = (ms: number) => new Date(ms);

  it('is dropped by the poll, and one that the poll has reported is dropped by the webhook', async () => {
    crm.state.clockMs += 3_600_000;
    const stage = await createPollStage(database, crm.url, SMALL_PAGES);
    await stage.run();
    const { fingerprints, connectionId } = stage;
    const change = { connectionId, objectType: 'person', objectId: 'fresh', change: 'created' as const };
    crm.state.clockMs += 1_000;
    const createdAt = crm.state.clockMs;
    crm.put('fresh');
    await database.knex.transaction(async (trx) => {
      const known = await fingerprints.settleWebhookChanges(trx, [{ ...change, occurredAt: at(createdAt) }]);
      expect(known.size).toBe(0);
    });
    await stage.run();
    expect(await stage.reported()).toEqual([]);
    crm.state.clockMs += 1_000;
    crm.put('fresh', { name: 'changed' });
    await stage.run();
    expect(await stage.reported()).toEqual(['updated:fresh']);
    const updated = { ...change, change: 'updated' as const };
    const isKnown = (ms: number) =>
      database.knex.transaction(
        async (trx) =>
          (await fingerprints.settleWebhookChanges(trx, [{ ...updated, occurredAt: at(ms) }])).size > 0,
      );
    expect(await isKnown(crm.state.clockMs)).toBe(true);
    expect(await isKnown(crm.state.clockMs + 1)).toBe(false);
  });

  it('counts as new where it deletes what a poll reported within the same second', async () => {
    crm.state.clockMs += 3_600_000;
    const stage = await createPollStage(database, crm.url, SMALL_PAGES);
    await stage.run();
    crm.state.clockMs += 1_000;
    crm.put('closed');
    await stage.run();
    expect(await stage.reported()).toEqual(['created:closed']);
    const { fingerprints, connectionId } = stage;
    const change = { connectionId, objectType: 'person', objectId: 'closed', change: 'deleted' as const };
    const isKnown = (ms: number) =>
      database.knex.transaction(
        async (trx) =>
          (await fingerprints.settleWebhookChanges(trx, [{ ...change, occurredAt: at(ms) }])).size > 0,
      );
    expect(await isKnown(crm.state.clockMs - 1_000)).toBe(true);
    expect(await isKnown(crm.state.clockMs - 999)).toBe(false);
    expect(await isKnown(crm.state.clockMs - 999)).toBe(true);
  });

  it('leaves records that the poll only learnt to the webhook', async () => {
    const stage = await createPollStage(database, crm.url, SMALL_PAGES, { deletes: 'scan' });
    await stage.run();
    const [id = ''] = RECORDS;
    const change = {
      connectionId: stage.connectionId,
      objectType: 'person',
      objectId: id,
      change: 'updated' as const,
    };
    const known = await database.knex.transaction((trx) =>
      stage.fingerprints.settleWebhookChanges(trx, [{ ...change, occurredAt: at(crm.state.clockMs) }]),
    );
    expect(known.size).toBe(0);
  });
});
