import { mergeCountsOfAnyProject } from '../../src/call-log/call-counts.store.ts';
import { createCallCounts } from '../../src/call-log/call-counts.ts';
import { buildCallRecord, redactPath } from '../../src/call-log/call-record.ts';
import { createCallRecorder } from '../../src/call-log/call-recorder.ts';
import { purgeNumbersOfAnyProject } from '../../src/call-log/purge-numbers.store.ts';
import { insertCalls, listCalls } from '../../src/call-log/recent-calls.store.ts';
import { statsQuery } from '../../src/call-log/stats.schema.ts';
import { readStats } from '../../src/call-log/stats.ts';
import { newId } from '../../src/lib/ids.ts';
import { createChores } from '../../src/platform/chores.ts';
import type { Db } from '../../src/platform/postgres/database.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { insertProject } from '../support/rows.ts';
import { finishedCall } from './fake-calls.ts';

const database = await createTestDatabase();
const db = database.knex;
afterAll(database.drop);

const HOUR_MS = 3_600_000;
const KEEP = { minute: HOUR_MS, hour: 48 * HOUR_MS, day: 400 * 24 * HOUR_MS };
const { signal } = new AbortController();
const unwatched = { isWatched: () => false, show: () => undefined };

/** What one process records, at a time that the test sets. */
function startRecorder(
  options: { nowMs?: number; db?: Db; callsPerProjectMax?: number; callsKeepDays?: number } = {},
) {
  const clock = { nowMs: options.nowMs ?? Date.now() };
  const warnings: object[] = [];
  const recorder = createCallRecorder({
    db: options.db ?? db,
    settings: {
      keep: KEEP,
      callsKeepDays: options.callsKeepDays ?? 7,
      callsPerProjectMax: options.callsPerProjectMax ?? 1_000,
      slowMs: 3_000,
    },
    now: () => clock.nowMs,
    log: { warn: (fields) => void warnings.push(fields) },
    tail: unwatched,
  });
  const [flush, merge, purge] = recorder.chores;
  if (!flush || !merge || !purge) throw new Error('a chore is missing');
  return {
    ...recorder,
    clock,
    warnings,
    flush: () => flush.run(signal),
    merge: () => merge.run(signal),
    purge: () => purge.run(signal),
  };
}

const user = (projectId: string) => ({ projectId, subject: 'customer-17' });

async function totals(projectId: string, step: string, nowMs = Date.now(), query: object = {}) {
  const asked = statsQuery.parse({ step, groupBy: 'integration', ...query });
  const { series } = await readStats(db, projectId, asked, nowMs);
  return series.map(({ totals: { calls, gatewayErrors, providerErrors } }) => [
    calls,
    gatewayErrors,
    providerErrors,
  ]);
}

describe('the calls that are kept', () => {
  it('are stored beside one that the store can never take', async () => {
    const projectId = await insertProject(db);
    const { record, flush, warnings } = startRecorder();
    const refused = finishedCall({ projectId, actors: [{ id: '\ud83d' }] });
    const others = [finishedCall({ projectId }), finishedCall({ projectId })];
    for (const call of [others[0], refused, others[1]]) if (call) record(call, user(projectId));
    await flush();
    const stored = await listCalls(db, { projectId, limit: 10 });
    expect(stored.map(({ requestId }) => requestId).toSorted()).toEqual(
      others.map(({ requestId }) => requestId).toSorted(),
    );
    expect(warnings).toEqual([expect.objectContaining({ requestId: refused.requestId })]);
  });
});

describe('the numbers of calls', () => {
  it('of several processes add up, exactly once, however many merge them at a time', async () => {
    const projectId = await insertProject(db);
    const integrationId = newId();
    const processes = [startRecorder(), startRecorder(), startRecorder()];
    for (const { record } of processes) {
      for (let call = 0; call < 40; call += 1)
        record(finishedCall({ projectId, integrationId }), user(projectId));
      record(finishedCall({ projectId, integrationId, status: 500 }), user(projectId));
      record(
        finishedCall({ projectId, integrationId, status: 502, error: 'upstream_unreachable' }),
        user(projectId),
      );
    }
    await Promise.all(processes.map(({ flush }) => flush()));
    expect(await totals(projectId, 'hour')).toEqual([[126, 3, 3]]);
    await Promise.all(processes.map(({ merge }) => merge()));
    await processes[0]?.merge();
    for (const step of ['minute', 'hour', 'day'])
      expect(await totals(projectId, step)).toEqual([[126, 3, 3]]);
    // A second round adds to rows that exist.
    processes[0]?.record(finishedCall({ projectId, integrationId, durationMs: 9_000 }), user(projectId));
    await processes[0]?.flush();
    await processes[0]?.merge();
    for (const step of ['hour', 'day']) expect(await totals(projectId, step)).toEqual([[127, 3, 3]]);
  });

  it('tell the percentiles of call and gateway, in series of steps', async () => {
    const projectId = await insertProject(db);
    const integrationId = newId();
    const { record, flush, merge, clock } = startRecorder({ nowMs: Date.now() - 10 * 60_000 });
    for (const durationMs of [100, 100, 100, 5_000])
      record(
        finishedCall({ projectId, integrationId, durationMs, providerMs: durationMs - 1 }),
        user(projectId),
      );
    clock.nowMs += 5 * 60_000;
    record(finishedCall({ projectId, integrationId, durationMs: 20, providerMs: 19 }), user(projectId));
    await flush();
    await merge();
    const asked = statsQuery.parse({ step: 'minute' });
    const { series } = await readStats(db, projectId, asked, Date.now());
    expect(series).toMatchObject([
      { key: 'hubspot', points: [{ calls: 4 }, { calls: 1 }], totals: { calls: 5 } },
    ]);
    const [first] = series[0]?.points ?? [];
    expect(first?.p50Ms).toBeGreaterThan(95);
    expect(first?.p50Ms).toBeLessThan(105);
    expect(first?.p99Ms).toBeGreaterThan(4_750);
    expect(first?.gatewayP99Ms).toBeLessThan(1.06);
  });

  it('wait in memory while the store is away, and are stored once it is back', async () => {
    const projectId = await insertProject(db);
    const broken = await createTestDatabase({ empty: true });
    const { record, flush } = startRecorder({ db: broken.knex });
    record(finishedCall({ projectId, integrationId: newId() }), user(projectId));
    await expect(flush()).rejects.toThrow();
    await broken.knex.raw('CREATE TABLE call_counts_pending AS SELECT 1 AS calls WHERE false');
    await expect(flush()).rejects.toThrow();
    await broken.knex.raw(`
      DROP TABLE call_counts_pending;
      CREATE TABLE projects (id uuid);
      CREATE TABLE call_counts_pending (project_id uuid, integration_id uuid, provider text, minute timestamptz,
        last_call_at timestamptz, calls bigint, gateway_errors bigint, provider_errors bigint, latencies bytea,
        gateway_latencies bytea)`);
    await flush();
    expect(await broken.knex('call_counts_pending').sum({ calls: 'calls' })).toMatchObject([{ calls: '1' }]);
    await broken.drop();
  });

  it('are stored when the process stops', async () => {
    const projectId = await insertProject(db);
    const { record, chores } = startRecorder();
    const running = createChores({ chores, random: () => 1, log: { warn: () => undefined } });
    running.start();
    record(finishedCall({ projectId, integrationId: newId() }), user(projectId));
    await running.stop();
    expect(await totals(projectId, 'hour')).toEqual([[1, 0, 0]]);
  });

  it('go when they are older than they are kept, each step at its own age', async () => {
    const projectId = await insertProject(db);
    const nowMs = Date.now();
    for (const ageHours of [0, 3, 60, 401 * 24]) {
      const { record, flush, merge } = startRecorder({ nowMs: nowMs - ageHours * HOUR_MS });
      record(finishedCall({ projectId, integrationId: newId() }), user(projectId));
      await flush();
      await merge();
    }
    await purgeNumbersOfAnyProject(db, { keep: KEEP, nowMs, signal });
    const rows: { step: number; total: string }[] = await db('call_rollups AS r')
      .join('call_series AS s', 's.id', 'r.series_id')
      .where('s.project_id', projectId)
      .groupBy('step')
      .orderBy('step')
      .select('step')
      .count({ total: '*' });
    expect(rows.map(({ step, total }) => [step, Number(total)])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(await db('call_series').where({ project_id: projectId })).toHaveLength(3);
  });

  it('of a deleted project go, and those that come late are not taken', async () => {
    const projectId = await insertProject(db);
    const { record, flush, merge, purge } = startRecorder();
    const call = () =>
      record(finishedCall({ projectId, integrationId: newId(), status: 500 }), user(projectId));
    call();
    await flush();
    await merge();
    await db('projects').where({ id: projectId }).delete();
    call();
    await flush();
    await merge();
    await purge();
    for (const table of ['call_series', 'call_counts_pending', 'recent_calls'])
      expect(await db(table).where({ project_id: projectId })).toEqual([]);
    const orphans = db('call_series').select('id');
    expect(await db('call_rollups').whereNotIn('series_id', orphans)).toEqual([]);
  });

  it('refuse a range of too many points', async () => {
    const asked = statsQuery.parse({
      step: 'minute',
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-02T00:00:00Z',
    });
    await expect(readStats(db, newId(), asked, Date.now())).rejects.toMatchObject({
      code: 'invalid_request',
    });
    // By origin there are three series, however few are asked for.
    const byOrigin = statsQuery.parse({
      ...{ step: 'minute', groupBy: 'origin', limit: '1' },
      ...{ from: '2026-01-01T00:00:00Z', to: '2026-01-02T10:00:00Z' },
    });
    await expect(readStats(db, newId(), byOrigin, Date.now())).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const empty = statsQuery.parse({ step: 'day', from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' });
    await expect(readStats(db, newId(), empty, Date.now())).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('counting in memory', () => {
  it('takes a bounded number of integrations of a project, and counts the others together', () => {
    const counts = createCallCounts({ now: () => 0 });
    const [greedy, modest] = [newId(), newId()];
    for (let call = 0; call < 3_000; call += 1)
      counts.count(finishedCall({ projectId: greedy, integrationId: newId() }), greedy, true);
    counts.count(finishedCall({ projectId: modest, integrationId: newId() }), modest, true);
    const rows = counts.take(10_000);
    const ofGreedy = rows.filter(({ projectId }) => projectId === greedy);
    expect(ofGreedy).toHaveLength(513);
    expect(ofGreedy.reduce((sum, row) => sum + row.calls, 0)).toBe(3_000);
    expect(rows.filter(({ projectId }) => projectId === modest)).toHaveLength(1);
  });

  it('counts no call for an integration whose id a caller gives as the project', () => {
    const counts = createCallCounts({ now: () => 0 });
    const [projectId, integrationId] = [newId(), newId()];
    counts.count(finishedCall({ projectId, integrationId }), projectId, true);
    const forged = finishedCall({ projectId: integrationId, error: 'token_invalid', status: 401 });
    counts.count(forged, integrationId, false);
    const rows = counts.take(10_000);
    expect(rows.map((row) => [row.projectId, row.integrationId, row.gatewayErrors])).toEqual([
      [projectId, integrationId, 0],
      [integrationId, null, 1],
    ]);
  });

  it('makes up no project for callers with bad tokens beyond a small number', () => {
    const counts = createCallCounts({ now: () => 0 });
    for (let call = 0; call < 3_000; call += 1) {
      const projectId = newId();
      counts.count(finishedCall({ projectId, error: 'token_invalid', status: 401 }), projectId, false);
    }
    expect(counts.take(10_000)).toHaveLength(256);
    expect(counts.takeLost()).toBe(3_000 - 256);
    expect(counts.takeLost()).toBe(0);
  });

  it('keeps what could not be stored, up to a limit, and loses the oldest', () => {
    const clock = { nowMs: 0 };
    const counts = createCallCounts({ now: () => clock.nowMs });
    const projectId = newId();
    for (let minute = 0; minute < 20_100; minute += 1) {
      clock.nowMs = minute * 60_000;
      counts.count(finishedCall({ projectId, integrationId: projectId }), projectId, true);
    }
    expect(counts.take(30_000)).toHaveLength(20_000);
    expect(counts.takeLost()).toBe(100);
  });
});

describe('the calls that are kept', () => {
  it('are bounded for each project: many good calls leave a sample, and failures stay', async () => {
    const projectId = await insertProject(db);
    const { record, flush } = startRecorder();
    const failed = finishedCall({ projectId, status: 500 });
    record(failed, user(projectId));
    for (let call = 0; call < 2_000; call += 1) record(finishedCall({ projectId }), user(projectId));
    record(finishedCall({ projectId, durationMs: 60_000 }), user(projectId));
    await flush();
    const kept = await listCalls(db, { projectId, limit: 5_000 });
    expect(kept).toHaveLength(52);
    expect(kept.map(({ requestId }) => requestId)).toContain(failed.requestId);
    expect(kept.filter(({ durationMs }) => durationMs === 60_000)).toHaveLength(1);
  });

  it('are trimmed to the newest, samples and failures apart', async () => {
    const projectId = await insertProject(db);
    const { record, flush, clock } = startRecorder({ callsPerProjectMax: 40 });
    for (let call = 0; call < 200; call += 1) {
      clock.nowMs += 2_000;
      record(finishedCall({ projectId, status: call % 2 === 0 ? 200 : 500 }), user(projectId));
    }
    await flush();
    const kept = await listCalls(db, { projectId, limit: 500 });
    expect(kept.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(kept.filter(({ status }) => status === 500)).toHaveLength(20);
  });

  it('of callers with bad tokens are trimmed to a tenth, however many come', async () => {
    const projectId = await insertProject(db);
    const { record, flush, clock } = startRecorder({ callsPerProjectMax: 40 });
    for (let call = 0; call < 200; call += 1) {
      clock.nowMs += 10_000;
      record(finishedCall({ projectId, status: 401, error: 'token_invalid' }), undefined);
      if (call < 10) record(finishedCall({ projectId, status: 500 }), user(projectId));
    }
    await flush();
    const kept = await listCalls(db, { projectId, limit: 500 });
    expect(kept.filter(({ status }) => status === 401)).toHaveLength(4);
    expect(kept.filter(({ status }) => status === 500)).toHaveLength(10);
  });

  it('of projects that callers with bad tokens make up count nowhere', async () => {
    const projectId = await insertProject(db);
    const calls = [newId(), projectId, newId()].map((id) => ({
      call: buildCallRecord(finishedCall({ projectId: id, status: 401, error: 'token_invalid' }), {
        ...{ projectId: id, user: undefined, nowMs: Date.now() },
      }),
      isSample: false,
    }));
    expect((await insertCalls(db, calls)).map(({ call }) => call.projectId)).toEqual([projectId]);
  });

  it('whose token a key of the project signed are kept, however many strangers call', async () => {
    const projectId = await insertProject(db);
    const { record, flush } = startRecorder();
    const refused = { projectId, status: 401, error: 'token_invalid' };
    for (let call = 0; call < 500; call += 1) {
      record(finishedCall(refused), undefined);
      record(finishedCall({ ...refused, refusal: { fault: 'signature', isSigned: false } }), undefined);
    }
    record(finishedCall({ ...refused, refusal: { fault: 'audience', isSigned: true } }), undefined);
    await flush();
    const kept = await listCalls(db, { projectId, limit: 500 });
    const count = (fault: string | null) => kept.filter(({ tokenFault }) => tokenFault === fault).length;
    expect([count(null), count('signature'), count('audience')]).toEqual([20, 20, 1]);
  });

  it('go after some days, and with their project', async () => {
    const projectId = await insertProject(db);
    const { record, flush, purge, clock } = startRecorder({ callsKeepDays: 2 });
    record(finishedCall({ projectId }), user(projectId));
    await flush();
    await purge();
    expect(await listCalls(db, { projectId, limit: 5 })).toHaveLength(1);
    clock.nowMs += 3 * 24 * HOUR_MS;
    await purge();
    expect(await listCalls(db, { projectId, limit: 5 })).toHaveLength(0);
  });

  it('of callers with bad tokens are few, and none where there is no such project', async () => {
    const projectId = await insertProject(db);
    const { record, flush } = startRecorder();
    for (let call = 0; call < 500; call += 1) {
      record(finishedCall({ projectId, status: 401, error: 'token_invalid' }), undefined);
      record(finishedCall({ projectId: newId(), status: 401, error: 'token_invalid' }), undefined);
      record(finishedCall({ projectId: 'no id', status: 401, error: 'token_invalid' }), undefined);
    }
    await flush();
    expect(await listCalls(db, { projectId, limit: 500 })).toHaveLength(20);
    expect(await db('recent_calls').where('code', 'token_invalid')).toHaveLength(20);
    expect(await mergeCountsOfAnyProject(db)).toBe(false);
  });

  it.each([
    ['/crm/v3/objects/contacts/151', '/crm/v3/objects/contacts/151'],
    ['/a;token=secret/b', '/a;…/b'],
    ['/a%3Btoken=secret', '/a;…'],
    [`/hooks/${'s'.repeat(65)}/x`, '/hooks/ssssssss…/x'],
    ['', ''],
  ])('show the path %s as %s', (path, shown) => {
    expect(redactPath(path)).toBe(shown);
  });

  it('show no more than the beginning of a long path', () => {
    expect(redactPath('/segment'.repeat(2_000)).length).toBe(301);
  });
});
