import { pollResource } from '../../src/catalog/schema/provider-polls.schema.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type FakeCrm, PEOPLE_BY_OFFSET, startFakeCrm } from './fake-crm.ts';
import { createPollStage } from './poll-stage.ts';

const { object, record, pageSize } = PEOPLE_BY_OFFSET;
const list = {
  request: { path: '/by-offset', query: { since: '0', limit: '{limit}', offset: '{page}' } },
  paging: { by: 'offset' },
  items: 'results',
};
const LISTED = pollResource.parse({ object, record, pageSize, list });
const CHANGED_AND_LISTED = pollResource.parse({ ...PEOPLE_BY_OFFSET, list });

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

/** Each changed a minute and more after the one before, so that no overlap of two runs covers more than one. */
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
    ['a listing alone', LISTED],
    ['a listing beside changes', CHANGED_AND_LISTED],
  ])('tell of what is gone, and not of a record that was pushed past the scan, with %s', async (_words, resource) => {
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
});
