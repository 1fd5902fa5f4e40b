import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type FakeCrm, PEOPLE, startFakeCrm } from './fake-crm.ts';
import { createPollStage, type PollStage } from './poll-stage.ts';

const SMALL_PAGES = { ...PEOPLE, pageSize: 2 };

let database: TestDatabase;
let crm: FakeCrm;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
  crm = await startFakeCrm();
});
afterEach(() => crm.close());

/** The connection is on another account from now on, and so are the provider's answers to it. */
async function move(stage: PollStage, to: object, people: readonly string[]): Promise<void> {
  await database.knex('connections').where({ id: stage.connectionId }).update(to);
  crm.people.clear();
  crm.state.clockMs -= 1_000_000;
  for (const id of people) crm.put(id);
  crm.state.clockMs += 500_000;
}

async function pollWest(backfill: 'none' | 'full' = 'full'): Promise<PollStage> {
  for (const id of ['w1', 'w2', 'w3', 'both']) crm.put(id);
  const options = { backfill, deletes: 'scan', accountId: 'west' } as const;
  const stage = await createPollStage(database, crm.url, SMALL_PAGES, options);
  await stage.run();
  await stage.forgetReported();
  return stage;
}

describe('a poll of a connection that moves to another account', () => {
  it('begins again: its records are new, and those of the account before are not deleted', async () => {
    const stage = await pollWest();
    await move(stage, { tenant_id: 'east' }, ['both', 'e1', 'e2']);
    await stage.run();
    await stage.makeScanDue();
    await stage.run();
    expect(await stage.reported()).toEqual(['created:both', 'created:e1', 'created:e2']);
  });

  it('only learns what is there, where the poll tells no backfill', async () => {
    const stage = await pollWest('none');
    await move(stage, { account_id: 'east' }, ['both', 'e1']);
    await stage.run();
    crm.state.clockMs += 100_000;
    crm.put('e1', { name: 'changed' });
    await stage.run();
    expect(await stage.reported()).toEqual(['updated:e1']);
  });

  it('tells nothing of a page that was read while it moved', async () => {
    for (const id of ['w1', 'w2', 'w3', 'w4']) crm.put(id);
    const options = { backfill: 'full', deletes: 'scan', accountId: 'west' } as const;
    const stage = await createPollStage(database, crm.url, SMALL_PAGES, options);
    crm.state.beforeAnswer = async (count) => {
      if (count === 2) await move(stage, { tenant_id: 'east' }, ['e1']);
    };
    await stage.run();
    expect(await stage.reported()).toEqual(['created:w1', 'created:w2', 'created:e1']);
  });

  it('goes on where it was, when all that is new is that the account is known', async () => {
    for (const id of ['w1', 'w2']) crm.put(id);
    const stage = await createPollStage(database, crm.url, SMALL_PAGES, { backfill: 'full' });
    await stage.run();
    await database.knex('connections').where({ id: stage.connectionId }).update({ account_id: 'west' });
    await stage.run();
    expect(await stage.reported()).toEqual(['created:w1', 'created:w2']);
  });

  it('leaves no fingerprint of the account before', async () => {
    const stage = await pollWest();
    const keptIn = (set: string) =>
      database.knex('poll_records').where({ record_set: set }).pluck('object_id');
    const { recordSet: before } = await stage.task();
    await move(stage, { tenant_id: 'east' }, ['e1']);
    await stage.run();
    expect(await keptIn(before)).toHaveLength(4);
    while ((await stage.fingerprints.purgeOrphansOfAnyProject(database.knex, 100)) > 0);
    const { recordSet: after } = await stage.task();
    expect([await keptIn(before), await keptIn(after)]).toEqual([[], ['e1']]);
  });
});
