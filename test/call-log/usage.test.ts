import { statsQuery } from '../../src/call-log/stats.schema.ts';
import { readStats } from '../../src/call-log/stats.ts';
import { addUsage, purgeUsageOfAnyProject } from '../../src/call-log/usage-counts.store.ts';
import { createUsageCounts, type UsageKind, type UsageRow } from '../../src/call-log/usage-counts.ts';
import { newId } from '../../src/lib/ids.ts';
import type { ProxiedCall } from '../../src/proxy/contract.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { insertProject } from '../support/rows.ts';
import { finishedCall } from './fake-calls.ts';

const database = await createTestDatabase();
const db = database.knex;
afterAll(database.drop);

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 4, 4, 12, 30);
const KEEP = { minute: HOUR_MS, hour: 48 * HOUR_MS, day: 400 * 24 * HOUR_MS };

let projectId: string;
beforeEach(async () => {
  projectId = await insertProject(db);
});

async function insertPerson(names: { subject?: string; organization?: string }): Promise<string> {
  const id = newId();
  await db('end_users').insert({ id, project_id: projectId, ...names });
  return id;
}

const row = (kind: UsageKind, name: string, more: Partial<UsageRow> = {}): UsageRow => ({
  ...{ projectId, kind, name, hour: new Date(NOW_MS - (NOW_MS % HOUR_MS)) },
  ...{ lastAt: new Date(), calls: 1, gatewayErrors: 0, providerErrors: 0 },
  ...more,
});

async function read(query: object) {
  const wire = await readStats(db, projectId, statsQuery.parse(query), NOW_MS);
  return { ...wire, named: wire.series.map(({ key, label, totals }) => [label ?? key, totals.calls]) };
}

describe('counting in memory', () => {
  const count = (calls: readonly (Partial<ProxiedCall> & { subject: string; organization?: string })[]) => {
    const usage = createUsageCounts({ now: () => NOW_MS });
    for (const { subject, organization, ...call } of calls) {
      const membership = organization === undefined ? undefined : { organization, managesConnections: false };
      usage.count(finishedCall({ projectId, ...call }), projectId, {
        ...{ projectId, subject },
        ...(membership && { membership }),
      });
    }
    return usage;
  };

  it('adds calls up by user, organization, connection and named mandate, with whose errors they are', () => {
    const [connectionId, mandateId] = [newId(), newId()];
    const mandates = [mandateId, 'a-digest-of-entries'].map((id) => ({ id, entry: undefined }));
    const usage = count([
      { subject: 'ada', organization: 'acme', connectionId, mandates },
      { subject: 'ada', status: 500, connectionId },
      { subject: 'bob', organization: 'acme', error: 'connection_not_found', status: 404 },
    ]);
    const rows = usage
      .take(100)
      .map((one) => [one.kind, one.name, one.calls, one.gatewayErrors, one.providerErrors]);
    expect(rows).toEqual([
      ['user', 'ada', 2, 0, 1],
      ['user', 'bob', 1, 1, 0],
      ['organization', 'acme', 2, 1, 0],
      ['connection', connectionId, 2, 0, 1],
      ['mandate', mandateId, 1, 0, 0],
    ]);
  });

  it('counts users together beyond so many, and keeps rows until they are stored', () => {
    const usage = count(Array.from({ length: 600 }, (_, index) => ({ subject: `user-${index}` })));
    const rows = usage.take(10_000);
    expect(rows).toHaveLength(513);
    expect(rows.find(({ name }) => name === '')?.calls).toBe(88);
    expect(usage.take(10_000)).toHaveLength(513);
    usage.drop(rows.slice(0, 500));
    expect(usage.take(10_000)).toHaveLength(13);
    expect(usage.takeLost()).toBe(0);
  });
});

describe('usage', () => {
  it('is read by user, organization, mandate and tag, the one with the most calls first', async () => {
    for (const subject of ['ada', 'bob']) await insertPerson({ subject });
    await insertPerson({ organization: 'acme' });
    await addUsage(db, [row('user', 'ada', { calls: 2 }), row('user', 'bob', { calls: 5 })]);
    await addUsage(db, [row('user', 'ada', { calls: 40, providerErrors: 4 }), row('organization', 'acme')]);
    const byUser = await read({ groupBy: 'user' });
    expect(byUser.named).toEqual([
      ['ada', 42],
      ['bob', 5],
    ]);
    expect(byUser.series[0]).toMatchObject({
      totals: { providerErrors: 4, p50Ms: null },
      points: [{ at: '2026-05-04T12:00:00.000Z', calls: 42 }],
    });
    expect((await read({ groupBy: 'user', step: 'day', userId: 'bob' })).named).toEqual([['bob', 5]]);
    expect((await read({ groupBy: 'organization' })).named).toEqual([['acme', 1]]);
    expect((await read({ groupBy: 'user', limit: '1' })).seriesOmitted).toBe(1);
  });

  it('has no name of an erased user: their calls are with the others’', async () => {
    const id = await insertPerson({ subject: 'planted-name' });
    await addUsage(db, [row('user', 'planted-name', { calls: 3 }), row('user', 'never-seen', { calls: 2 })]);
    expect((await read({ groupBy: 'user' })).named).toEqual([
      ['planted-name', 3],
      ['other', 2],
    ]);
    await db('end_users').where({ id }).delete();
    await addUsage(db, [row('user', 'planted-name')]);
    expect((await read({ groupBy: 'user' })).named).toEqual([['other', 6]]);
    const { rows } = await db.raw(`SELECT usage_counts::text AS text FROM usage_counts`);
    expect(JSON.stringify(rows)).not.toContain('planted-name');
  });

  it('is not given to who comes back under the same name after the calls were made', async () => {
    const lastAt = new Date(Date.now() - 60_000);
    for (const names of [{ subject: 'back' }, { organization: 'back' }]) await insertPerson(names);
    await addUsage(db, [row('user', 'back', { calls: 3, lastAt }), row('organization', 'back', { lastAt })]);
    expect((await read({ groupBy: 'user' })).named).toEqual([['other', 3]]);
    expect((await read({ groupBy: 'organization' })).named).toEqual([['other', 1]]);
    await addUsage(db, [row('user', 'back', { calls: 2 })]);
    expect((await read({ groupBy: 'user' })).named).toEqual([
      ['back', 2],
      ['other', 3],
    ]);
  });

  it('counts so many groups of an hour apart, and the others together', async () => {
    const subjects = Array.from({ length: 260 }, (_, index) => `user-${index}`);
    for (const subject of subjects) await insertPerson({ subject });
    await addUsage(
      db,
      subjects.map((subject, index) => row('user', subject, { calls: index < 250 ? 1 : 10 })),
    );
    await addUsage(db, [row('user', 'user-255', { calls: 5 }), row('user', 'user-3', { calls: 7 })]);
    const { named } = await read({ groupBy: 'user', limit: '50' });
    expect(named[0]).toEqual(['user-255', 15]);
    const total = 250 + 100 + 5 + 7;
    const { rows } = await db.raw(
      `SELECT step, count(*)::integer AS groups, sum(calls)::integer AS calls FROM usage_counts
        WHERE project_id = ? GROUP BY step ORDER BY step`,
      [projectId],
    );
    expect(rows).toEqual([
      { step: 1, groups: 201, calls: total },
      { step: 2, groups: 260, calls: total },
    ]);
    expect(named.at(-1)?.[0]).toBe('other');
  });

  it('refuses what it does not keep, and says why', async () => {
    const refused = async (query: object) =>
      read(query).then(
        () => 'answered',
        (error) => error.errors[0].path,
      );
    expect(await refused({ groupBy: 'user', step: 'minute' })).toBe('query.step');
    expect(await refused({ groupBy: 'tag' })).toBe('query.tag');
    expect(await refused({ groupBy: 'provider', userId: 'ada' })).toBe('query.userId');
    expect(await refused({ groupBy: 'user', limit: '1', from: '2026-01-01T00:00:00Z' })).toBe('query.from');
  });

  it('is erased when it is older than it is kept, and with its project', async () => {
    await insertPerson({ subject: 'ada' });
    const hour = new Date(NOW_MS - 72 * HOUR_MS);
    await addUsage(db, [row('user', 'ada', { hour }), row('user', 'ada')]);
    await purgeUsageOfAnyProject(db, { keep: KEEP, nowMs: NOW_MS, signal: new AbortController().signal });
    const count = async () => (await db('usage_counts').where({ project_id: projectId })).length;
    expect(await count()).toBe(3);
    await db('projects').where({ id: projectId }).delete();
    expect(await count()).toBe(0);
    await addUsage(db, [row('user', 'ada')]);
    expect(await count()).toBe(0);
  });
});
