import { isUuid } from '../lib/ids.ts';
import type { Chore } from '../platform/chores.ts';
import type { Db } from '../platform/postgres/database.ts';
import { isTransientStoreError } from '../platform/postgres/store-errors.ts';
import type { ProxiedCall, VerifiedUser } from '../proxy/contract.ts';
import { insertCounts, mergeCountsOfAnyProject } from './call-counts.store.ts';
import { createCallCounts } from './call-counts.ts';
import { findCallCode, findCallOrigin } from './call-outcome.ts';
import { buildCallRecord } from './call-record.ts';
import { createKeptCalls, type KeptCall } from './kept-calls.ts';
import { type KeepTimes, purgeNumbersOfAnyProject } from './purge-numbers.store.ts';
import { insertCalls, purgeCallsOfAnyProject, trimCalls } from './recent-calls.store.ts';
import { addUsage, purgeUsageOfAnyProject } from './usage-counts.store.ts';
import { createUsageCounts } from './usage-counts.ts';

/** What a crash may lose. */
const FLUSH_MS = 5_000;
/** Each group takes two rows: less often than the numbers. */
const USAGE_MS = 15_000;
const USAGE_BATCH = 1_000;
const MERGE_MS = 10_000;
const PURGE_MS = 10 * 60_000;
const COUNTS_BATCH = 500;
const CALLS_BATCH = 200;
/** A project's calls are trimmed once it has got so many more in this process. */
const TRIM_AFTER = 100;

export type CallSettings = {
  readonly keep: KeepTimes;
  readonly callsKeepDays: number;
  readonly callsPerProjectMax: number;
  readonly slowMs: number;
};

/**
 * Records every finished call: counts it, and keeps some. What it holds in memory is written to the store every few
 * seconds, never by a query per call.
 */
export function createCallRecorder(deps: {
  db: Db;
  settings: CallSettings;
  now(): number;
  log: { warn(fields: object, message: string): void };
  /** Shows a call to those who watch the project. */
  tail: { isWatched(projectId: string): boolean; show(call: ReturnType<typeof buildCallRecord>): void };
}) {
  const { db, settings, now, log, tail } = deps;
  const counts = createCallCounts({ now });
  const usage = createUsageCounts({ now });
  const kept = createKeptCalls(settings);
  const grownBy = new Map<string, number>();

  function record(call: ProxiedCall, user: VerifiedUser | undefined): void {
    const isVerified = user !== undefined;
    // Without a verified token it is the caller's text.
    if (!isVerified && !isUuid(call.projectId)) return;
    const projectId = (user?.projectId ?? call.projectId).toLowerCase();
    counts.count(call, projectId, isVerified);
    if (user !== undefined) usage.count(call, projectId, user);
    const isError = findCallOrigin(call) !== 'none' || findCallCode(call) !== null;
    const nowMs = now();
    const { durationMs, refusal } = call;
    const choice = kept.choose(projectId, { isError, isVerified, refusal, durationMs }, nowMs);
    const isWatched = isVerified && tail.isWatched(projectId);
    if (choice === undefined && !isWatched) return;
    const made = buildCallRecord(call, { projectId, user, nowMs });
    if (choice) kept.add({ call: made, isSample: choice.isSample });
    if (isWatched) tail.show(made);
  }

  async function flushCounts(): Promise<void> {
    const lost = counts.takeLost();
    if (lost > 0) log.warn({ calls: lost }, 'calls were left out of the numbers: too many at once');
    // A batch that is not full is the last one: what has been counted since can wait for the next flush.
    for (let stored = COUNTS_BATCH; stored === COUNTS_BATCH; ) {
      const rows = counts.take(COUNTS_BATCH);
      if (rows.length > 0) await insertCounts(db, rows);
      counts.drop(rows);
      stored = rows.length;
    }
  }

  async function flushUsage(): Promise<void> {
    const lost = usage.takeLost();
    if (lost > 0) log.warn({ calls: lost }, 'calls were left out of the usage: too many at once');
    for (let stored = USAGE_BATCH; stored === USAGE_BATCH; ) {
      const rows = usage.take(USAGE_BATCH);
      await addUsage(db, rows);
      usage.drop(rows);
      stored = rows.length;
    }
  }

  /** Answers those that are stored. A call that the store can never take keeps no others from it. */
  async function storeCalls(calls: readonly KeptCall[]): Promise<readonly KeptCall[]> {
    if (calls.length === 0) return [];
    try {
      return await insertCalls(db, calls);
    } catch (error) {
      if (isTransientStoreError(error)) throw error;
    }
    const stored: KeptCall[] = [];
    for (const one of calls) {
      try {
        stored.push(...(await insertCalls(db, [one])));
      } catch (error) {
        if (isTransientStoreError(error)) throw error;
        log.warn({ err: error, requestId: one.call.requestId }, 'a call could not be recorded');
      }
    }
    return stored;
  }

  async function flushCalls(): Promise<void> {
    for (let stored = CALLS_BATCH; stored === CALLS_BATCH; ) {
      const calls = kept.take(CALLS_BATCH);
      const added = await storeCalls(calls);
      kept.drop(calls);
      for (const { call } of added) grownBy.set(call.projectId, (grownBy.get(call.projectId) ?? 0) + 1);
      stored = calls.length;
    }
    const grown = [...grownBy].filter(([, by]) => by >= TRIM_AFTER).map(([projectId]) => projectId);
    await trimCalls(db, grown, settings.callsPerProjectMax);
    for (const projectId of grown) grownBy.delete(projectId);
  }

  async function flush(): Promise<void> {
    await flushCounts();
    await flushCalls();
  }

  async function merge(signal: AbortSignal): Promise<void> {
    let isMore = true;
    while (isMore && !signal.aborted) isMore = await mergeCountsOfAnyProject(db);
  }

  async function purge(signal: AbortSignal): Promise<void> {
    await purgeNumbersOfAnyProject(db, { keep: settings.keep, nowMs: now(), signal });
    await purgeUsageOfAnyProject(db, { keep: settings.keep, nowMs: now(), signal });
    await purgeCallsOfAnyProject(db, { keepDays: settings.callsKeepDays, nowMs: now(), signal });
  }

  return {
    record,
    chores: [
      { name: 'numbers of calls', intervalMs: FLUSH_MS, runsAtStop: true, run: flush },
      { name: 'merging numbers of calls', intervalMs: MERGE_MS, run: merge },
      { name: 'old numbers of calls', intervalMs: PURGE_MS, runsAtStart: true, run: purge },
      { name: 'usage by user and organization', intervalMs: USAGE_MS, runsAtStop: true, run: flushUsage },
    ] satisfies Chore[],
  };
}
