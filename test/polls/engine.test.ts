import { setTimeout as pause } from 'node:timers/promises';
import { pollResource } from '../../src/catalog/schema/provider-polls.schema.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type FakeCrm, FEED, PEOPLE, PEOPLE_BY_OFFSET, startFakeCrm, WITH_DELETED } from './fake-crm.ts';
import { createPollStage, listFaults, NO_FAULTS } from './poll-stage.ts';

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

const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_none, index) => `p${String(from + index).padStart(6, '0')}`);

describe('a poll by time', () => {
  it('tells of nothing that was there before, and then of what is new, changed and new again', async () => {
    crm.put('old');
    crm.state.clockMs += 3_600_000;
    const stage = await createPollStage(database, crm.url, PEOPLE);
    await stage.run();
    await stage.run();
    expect(await stage.reported()).toEqual([]);
    crm.state.clockMs += 1_000;
    crm.put('new');
    crm.put('old', { name: 'Another name' });
    await stage.run();
    await stage.run();
    expect(listFaults(await stage.reported(), ['created:new', 'updated:old'])).toEqual(NO_FAULTS);
    crm.state.clockMs += 1_000;
    crm.put('new', { name: 'Better' });
    await stage.run();
    expect((await stage.reported()).at(-1)).toBe('updated:new');
    expect(await stage.payloads()).toContainEqual(expect.stringContaining('"name":"Another name"'));
  });

  it('tells 10,000 changes of one moment once each, past the ceiling of the search', async () => {
    const stage = await createPollStage(database, crm.url, { ...PEOPLE, pageSize: 500 });
    await stage.run();
    crm.state.clockMs += 10_000;
    for (const id of ids(0, 10_000)) crm.put(id);
    crm.state.clockMs += 10_000;
    for (const id of ids(10_000, 10_030)) crm.put(id);
    await stage.run();
    const expected = ids(0, 10_030).map((id) => `created:${id}`);
    expect(listFaults(await stage.reported(), expected)).toEqual(NO_FAULTS);
    expect((await stage.shown()).progress.recordsSeen).toBeGreaterThanOrEqual(10_030);
  });

  it.each([
    ['in order of change', PEOPLE],
    ['by counted pages', PEOPLE_BY_OFFSET],
  ])('misses nothing when records change between any two pages, %s', async (_words, resource) => {
    const stage = await createPollStage(database, crm.url, resource, { backfill: 'full' });
    for (const id of ids(0, 400)) {
      crm.state.clockMs += 7;
      crm.put(id);
    }
    let changes = 0;
    crm.state.beforeAnswer = (count) => {
      if (count < 2 || changes === 60) return;
      changes += 1;
      crm.state.clockMs += 1;
      // Moves to the end, and pushes the others one place to the front.
      crm.put(`p${String(changes * 2).padStart(6, '0')}`, { name: `changed ${changes}` });
    };
    await stage.run();
    await stage.run();
    crm.state.beforeAnswer = undefined;
    await stage.run();
    const reported = await stage.reported();
    const subjects = new Set(reported.map((one) => one.split(':')[1]));
    expect(ids(0, 400).filter((id) => !subjects.has(id))).toEqual([]);
    expect(
      reported.filter((one, index) => one.startsWith('created') && reported.indexOf(one) !== index),
    ).toEqual([]);
    // What is known at the end is what there is.
    await stage.run();
    expect(await stage.reported()).toEqual(reported);
  });

  it.each(['none', 'full'] as const)(
    'tells what changes while everything is listed first, backfill %s',
    async (backfill) => {
      for (const id of ids(0, 30)) crm.put(id);
      crm.state.clockMs += 3_600_000;
      const options = { backfill, deletes: 'scan' } as const;
      const stage = await createPollStage(database, crm.url, { ...PEOPLE, pageSize: 10 }, options);
      crm.state.beforeAnswer = () => {
        const listed = crm.requests.filter(({ path }) => path.startsWith('/people')).length;
        if (listed !== 2 || crm.people.has('p000015b')) return;
        crm.state.clockMs += 1_000;
        // On a page before, on this one and on the next one; a new record, and one that will be gone.
        for (const id of ['p000003', 'p000013', 'p000023', 'p000024']) crm.put(id, { name: 'changed' });
        crm.put('p000015b');
      };
      await stage.run();
      crm.state.beforeAnswer = undefined;
      crm.people.delete('p000024');
      await stage.makeScanDue();
      await stage.forgetReported();
      await stage.run();
      const readLate = ['created:p000015b', 'updated:p000013', 'updated:p000023'];
      const expected = ['updated:p000003', 'deleted:p000024', ...(backfill === 'none' ? readLate : [])];
      expect(listFaults(await stage.reported(), expected)).toEqual(NO_FAULTS);
      await stage.forgetReported();
      await stage.run();
      expect(await stage.reported()).toEqual([]);
    },
  );

  it('fails, and skips nothing, where a full page is out of order and no other one follows it', async () => {
    const resource = pollResource.parse({
      ...PEOPLE_BY_OFFSET,
      changes: {
        ...PEOPLE_BY_OFFSET.changes,
        request: {
          path: '/by-offset',
          query: { since: '{since}', limit: '{limit}', order: 'newest-first' },
        },
        paging: { by: 'none' },
        order: 'ascending',
      },
    });
    const stage = await createPollStage(database, crm.url, resource, { backfill: 'full' });
    for (const id of ids(0, 60)) {
      crm.state.clockMs += 1_000;
      crm.put(id);
    }
    await stage.slice();
    expect(stage.outcomes).toEqual(['answer_unreadable']);
    expect((await stage.shown()).progress.watermark).toBeNull();
  });

  it('goes on after a refusal in the middle, when the provider says so, and without a word twice', async () => {
    const stage = await createPollStage(database, crm.url, PEOPLE, { backfill: 'full' });
    for (const id of ids(0, 300)) crm.put(id);
    crm.state.beforeAnswer = (count) => {
      if (count === 3) crm.state.faults.push({ status: 429, headers: { 'retry-after': '1' } });
    };
    await stage.slice();
    const shown = await stage.shown();
    expect(shown).toMatchObject({ errorCode: 'rate_limited', failures: 0 });
    const asked = crm.requests.length;
    await stage.slice();
    expect(crm.requests.length).toBe(asked);
    while (!stage.outcomes.includes('completed')) {
      await pause(100);
      await stage.slice();
    }
    expect(
      listFaults(
        await stage.reported(),
        ids(0, 300).map((id) => `created:${id}`),
      ),
    ).toEqual(NO_FAULTS);
  });

  it('leaves a fifth of the allowance to the application, and hears of it from proxied calls, too', async () => {
    const rateLimit = { remaining: 'X-Left', limit: 'X-All', reset: 'X-Reset' };
    const stage = await createPollStage(database, crm.url, PEOPLE, { rateLimit });
    crm.state.headers = { 'x-left': '21', 'x-all': '100', 'x-reset': '60' };
    await stage.run();
    stage.rateBudgets.watch(stage.connectionId, {
      budgetId: stage.connectionId,
      rules: {
        rateLimit: {
          of: 'connection',
          statuses: [429],
          resetUnit: 'seconds',
          remaining: 'X-Left',
          limit: 'X-All',
          reset: 'X-Reset',
        },
      },
    });
    stage.rateBudgets.noteProxied(stage.connectionId, 200, ['X-LEFT', '19', 'X-All', '100', 'X-Reset', '60']);
    const asked = crm.requests.length;
    await stage.slice();
    expect(crm.requests.length).toBe(asked);
    expect((await stage.shown()).errorCode).toBe('rate_limited');
    await stage.rateBudgets.flush();
    const heard = await stage.rateBudgetsStore.read(stage.connectionId);
    expect(heard).toMatchObject({ allowed: 100, remaining: 19 });
    expect(heard?.resetsInMs).toBeGreaterThan(50_000);
  });

  it('keeps its place by the provider’s clock, wherever that of the gateway is', async () => {
    crm.state.clockMs = Date.UTC(2001, 1, 1);
    const stage = await createPollStage(database, crm.url, PEOPLE);
    await stage.run();
    crm.state.clockMs += 60_000;
    crm.put('a');
    // A time to come must not carry the cursor away.
    crm.put('b', { updatedAt: crm.state.clockMs + 86_400_000 });
    await stage.run();
    crm.state.clockMs += 60_000;
    crm.put('c');
    await stage.run();
    expect(listFaults(await stage.reported(), ['created:a', 'created:b', 'created:c'])).toEqual(NO_FAULTS);
  });
});

describe('deleted records', () => {
  it('are found by a scan', async () => {
    const stage = await createPollStage(database, crm.url, PEOPLE, { backfill: 'full', deletes: 'scan' });
    for (const id of ids(0, 230)) crm.put(id);
    await stage.run();
    await stage.makeScanDue();
    crm.state.clockMs += 1_000;
    for (const id of ids(100, 110)) crm.remove(id);
    await stage.run();
    expect((await stage.reported()).slice(230)).toEqual(ids(100, 110).map((id) => `deleted:${id}`));
    crm.put('p000100');
    await stage.run();
    expect((await stage.reported()).at(-1)).toBe('created:p000100');
  });

  it('are told by a scan that misses most of them only after a second one', async () => {
    const stage = await createPollStage(database, crm.url, PEOPLE, { backfill: 'full', deletes: 'scan' });
    for (const id of ids(0, 90)) crm.put(id);
    await stage.run();
    await stage.makeScanDue();
    const kept = new Map(crm.people);
    crm.people.clear();
    crm.state.beforeAnswer = () => {
      // The first scan is answered as if the user could see nothing.
      const scans = crm.requests.filter(({ path }) => path.startsWith('/people')).length;
      if (scans >= 4) for (const [id, person] of kept) crm.people.set(id, person);
    };
    await stage.run();
    expect((await stage.reported()).filter((one) => one.startsWith('deleted'))).toEqual([]);
  });

  it('are read from the provider’s own list', async () => {
    crm.put('a');
    const stage = await createPollStage(database, crm.url, WITH_DELETED);
    await stage.run();
    crm.state.clockMs += 5_000;
    crm.remove('a');
    await stage.run();
    await stage.run();
    expect(await stage.reported()).toEqual(['deleted:a']);
  });
});

describe('a poll by token', () => {
  it('learns what is there, tells what follows, and reads everything again once its token is forgotten', async () => {
    for (const id of ids(0, 120)) crm.put(id);
    const stage = await createPollStage(database, crm.url, FEED);
    await stage.run();
    expect(await stage.reported()).toEqual([]);
    crm.state.clockMs += 1_000;
    crm.put('new');
    crm.remove('p000000');
    await stage.run();
    expect(await stage.reported()).toEqual(['created:new', 'deleted:p000000']);
    crm.state.clockMs += 1_000;
    crm.put('p000001', { name: 'changed in between' });
    crm.state.forgetsTokensBefore = 123;
    // The feed begins with what there is by then, without what went before.
    await stage.run();
    const reported = await stage.reported();
    expect(reported.slice(2)).toContain('updated:p000001');
    expect(reported.filter((one) => one === 'created:new')).toHaveLength(1);
    await stage.run();
    expect(await stage.reported()).toEqual(reported);
  });

  it('reports what is deleted while everything is listed first, and nothing that was deleted before', async () => {
    for (const id of ids(0, 120)) crm.put(id);
    crm.put('gone before');
    crm.remove('gone before');
    const stage = await createPollStage(database, crm.url, FEED, { backfill: 'full' });
    crm.state.beforeAnswer = (count) => {
      if (count === 2) crm.remove('p000000');
    };
    await stage.run();
    const reported = await stage.reported();
    expect(
      listFaults(
        reported.slice(0, -1),
        ids(0, 120).map((id) => `created:${id}`),
      ),
    ).toEqual(NO_FAULTS);
    expect(reported.at(-1)).toBe('deleted:p000000');
  });
});
