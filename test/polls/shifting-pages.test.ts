import { pollResource } from '../../src/catalog/schema/provider-polls.schema.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type FakeCrm, PEOPLE_BY_OFFSET, startFakeCrm } from './fake-crm.ts';
import { createPollStage, listFaults, NO_FAULTS } from './poll-stage.ts';

const { object, record, pageSize } = PEOPLE_BY_OFFSET;
const list = {
  request: { path: '/by-offset', query: { since: '0', limit: '{limit}', offset: '{page}' } },
  paging: { by: 'offset' },
  items: 'results',
};
const LISTED = pollResource.parse({ object, record, pageSize, list });
const CHANGED_AND_LISTED = pollResource.parse({ ...PEOPLE_BY_OFFSET, list });
const NEWEST_FIRST = pollResource.parse({
  ...PEOPLE_BY_OFFSET,
  changes: {
    ...PEOPLE_BY_OFFSET.changes,
    request: {
      path: '/by-offset',
      query: { since: '{since}', limit: '{limit}', offset: '{page}', order: 'newest-first' },
    },
    order: 'descending',
  },
});

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

const ids = (count: number) => Array.from({ length: count }, (_none, index) => `p${1_000 + index}`);

/** Each changes more than a minute after the one before: the overlap of two runs covers one at most. */
function putAll(count: number): void {
  for (const id of ids(count)) {
    crm.state.clockMs += 61_000;
    crm.put(id);
  }
}

/** Removes the record just before the second page of a listing is answered, once. */
function removeBetweenPages(id: string, parameter: string): void {
  crm.state.beforeAnswer = () => {
    const path = crm.requests.at(-1)?.path ?? '';
    if (!path.includes(parameter) || !path.includes('offset=50')) return;
    crm.state.beforeAnswer = undefined;
    crm.remove(id);
  };
}

describe('counted pages', () => {
  it.each([
    ['without changes', LISTED],
    ['beside changes', CHANGED_AND_LISTED],
  ])('tell what is gone, not what was pushed past the scan, %s', async (_words, resource) => {
    const stage = await createPollStage(database, crm.url, resource, { backfill: 'full', deletes: 'scan' });
    putAll(200);
    await stage.run();
    await stage.run();
    await stage.forgetReported();
    await stage.makeScanDue();
    crm.state.clockMs += 3_600_000;
    removeBetweenPages('p1003', 'since=0&');
    await stage.run();
    expect(await stage.reported()).toEqual([]);
    await stage.makeScanDue();
    await stage.run();
    expect(await stage.reported()).toEqual(['deleted:p1003']);
  });

  it('miss no change where one goes while they are read, newest first', async () => {
    const stage = await createPollStage(database, crm.url, NEWEST_FIRST);
    await stage.run();
    putAll(200);
    removeBetweenPages('p1199', 'since=');
    await stage.run();
    await stage.run();
    const created = ids(200).map((id) => `created:${id}`);
    expect(listFaults(await stage.reported(), created)).toEqual(NO_FAULTS);
  });
});
