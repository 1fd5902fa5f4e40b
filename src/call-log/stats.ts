import { HttpError } from '../http/errors.ts';
import { WRITABLE_MS } from '../lib/timestamps.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type Step, stepMs } from './call-counts.store.ts';
import { ORIGINS } from './call-outcome.ts';
import { addHistogram, BUCKETS, percentiles } from './latency-histogram.ts';
import { POINTS_MAX, type StatsQuery, type StatsWire } from './stats.schema.ts';
import { listPoints, type StatsRange, type StoredPoint, sumSeries, sumSteps } from './stats.store.ts';
import { NO_PERCENTILES, readGrouping, readUsage } from './usage.ts';

/** What a range is where the caller names none. */
const USUAL_STEPS: Readonly<Record<Step, number>> = { minute: 60, hour: 24, day: 30 };

/** The range that a query asks for, in whole steps. Throws `invalid_request` for one that is empty or too long. */
export function readRange(query: StatsQuery, nowMs: number): StatsRange {
  const { step, limit, groupBy } = query;
  const seriesMax = groupBy === 'origin' ? ORIGINS.length : limit;
  const length = stepMs(step);
  const lastMs = Math.floor(WRITABLE_MS.last / length) * length;
  const givenMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const toMs = Math.min(Math.ceil(givenMs / length) * length, lastMs);
  const fromMs =
    query.from === undefined
      ? Math.max(toMs - USUAL_STEPS[step] * length, WRITABLE_MS.first)
      : Math.floor(Date.parse(query.from) / length) * length;
  const steps = (toMs - fromMs) / length;
  if (steps <= 0) throw rangeError('must be before `to`');
  if (steps * seriesMax > POINTS_MAX)
    throw rangeError(
      `${steps} steps of ${seriesMax} series are more than ${POINTS_MAX} points: choose a longer step, a shorter range or a lower limit`,
    );
  return { step, from: new Date(fromMs), to: new Date(toMs) };
}

function rangeError(message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path: 'query.from', message }] });
}

type SeriesSums = Awaited<ReturnType<typeof sumSeries>>;
type Point = StatsWire['series'][number]['points'][number];
type Numbers = StatsWire['series'][number]['totals'];

/** Reads and merges the numbers of a project. */
export async function readStats(
  db: Db,
  projectId: string,
  query: StatsQuery,
  nowMs: number,
): Promise<StatsWire> {
  const range = readRange(query, nowMs);
  const grouping = readGrouping(query);
  if (grouping !== undefined) return readUsage(db, projectId, grouping, { ...range, limit: query.limit });
  const { groupBy, integrationId, provider } = query;
  const wire = { from: range.from.toISOString(), to: range.to.toISOString(), step: range.step };
  if (groupBy === 'origin') {
    const points = await sumSteps(db, { ...range, projectId, integrationId, provider });
    return { ...wire, series: byOrigin(points), seriesOmitted: 0 };
  }
  const sums = await sumSeries(db, { ...range, projectId, integrationId, provider });
  const groups = groupSeries(sums, groupBy === 'integration' || groupBy === 'total' ? groupBy : 'provider');
  assertRows(groups.slice(0, query.limit));
  const series: StatsWire['series'] = [];
  for (const group of groups.slice(0, query.limit)) {
    series.push({ key: group.key, label: group.label, ...(await readGroup(db, projectId, range, group)) });
  }
  return { ...wire, series, seriesOmitted: Math.max(0, groups.length - query.limit) };
}

/** Histograms that are read for one reply: each takes some 5 us. */
const ROWS_MAX = 50_000;

function assertRows(groups: readonly Group[]): void {
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  if (rows > ROWS_MAX)
    throw rangeError(
      `this takes ${rows} stored steps, more than ${ROWS_MAX}: choose a longer step, a shorter range or a lower limit`,
    );
}

/** Of one query, so that neither reading nor merging holds the event loop for long. */
const SLICE_ROWS = 4_000;

/** Reads a group in slices of time. */
async function readGroup(
  db: Db,
  projectId: string,
  range: StatsRange,
  group: Group,
): Promise<{ points: Point[]; totals: Numbers }> {
  const { step, from, to } = range;
  const series = group.sums.map((row) => ({
    id: row.id,
    integrationId: row.integration_id,
    provider: row.provider,
  }));
  const steps = (to.getTime() - from.getTime()) / stepMs(step);
  const sliceMs = Math.ceil(steps / Math.ceil(group.rows / SLICE_ROWS)) * stepMs(step);
  const merged = createPoints(step);
  for (let fromMs = from.getTime(); fromMs < to.getTime(); fromMs += sliceMs) {
    const slice = { from: new Date(fromMs), to: new Date(Math.min(to.getTime(), fromMs + sliceMs)) };
    merged.add(await listPoints(db, { step, ...slice, projectId, series }));
  }
  return merged.end();
}

type Group = { key: string; label: string | null; calls: number; rows: number; sums: SeriesSums };

const COLUMNS = { provider: 'provider', integration: 'integration_id' } as const;

/** The group with the most calls first. */
function groupSeries(sums: SeriesSums, groupBy: 'provider' | 'integration' | 'total'): Group[] {
  const groups = new Map<string, Group>();
  for (const row of sums) {
    const key = groupBy === 'total' ? 'total' : (row[COLUMNS[groupBy]] ?? 'none');
    const label = groupBy === 'total' ? null : row.provider;
    const group = groups.get(key) ?? { key, label, calls: 0, rows: 0, sums: [] };
    groups.set(key, group);
    group.calls += row.calls;
    group.rows += row.rows;
    group.sums.push(row);
  }
  return [...groups.values()].sort((a, b) => b.calls - a.calls || (a.key < b.key ? -1 : 1));
}

/** Numbers added up. One is used again and again, since its histograms are large. */
class Sum {
  calls = 0;
  gatewayErrors = 0;
  providerErrors = 0;
  readonly #latencies = new Float64Array(BUCKETS);
  readonly #gatewayLatencies = new Float64Array(BUCKETS);

  add(row: StoredPoint): void {
    this.calls += row.calls;
    this.gatewayErrors += row.gateway_errors;
    this.providerErrors += row.provider_errors;
    addHistogram(this.#latencies, row.latencies);
    addHistogram(this.#gatewayLatencies, row.gateway_latencies);
  }

  reset(): void {
    this.calls = 0;
    this.gatewayErrors = 0;
    this.providerErrors = 0;
    this.#latencies.fill(0);
    this.#gatewayLatencies.fill(0);
  }

  numbers(): Numbers {
    const { calls, gatewayErrors, providerErrors } = this;
    const [p50Ms = null, p95Ms = null, p99Ms = null] = percentiles(this.#latencies, [0.5, 0.95, 0.99]);
    const [gatewayP50Ms = null, gatewayP99Ms = null] = percentiles(this.#gatewayLatencies, [0.5, 0.99]);
    return { calls, gatewayErrors, providerErrors, p50Ms, p95Ms, p99Ms, gatewayP50Ms, gatewayP99Ms };
  }
}

/** Makes one point of each step with calls, of rows in the order of time; and their sum. */
function createPoints(step: Step) {
  const points: Point[] = [];
  const totals = new Sum();
  const sum = new Sum();
  let currentMs: number | undefined;

  function close(): void {
    if (currentMs !== undefined) points.push({ at: new Date(currentMs).toISOString(), ...sum.numbers() });
    sum.reset();
  }

  return {
    add(rows: readonly StoredPoint[]): void {
      for (const row of rows) {
        const atMs = Math.floor(row.at.getTime() / stepMs(step)) * stepMs(step);
        if (currentMs !== atMs) close();
        currentMs = atMs;
        sum.add(row);
        totals.add(row);
      }
    },

    end(): { points: Point[]; totals: Numbers } {
      close();
      return { points, totals: totals.numbers() };
    },
  };
}

type Counts = Pick<Numbers, 'calls' | 'gatewayErrors' | 'providerErrors'>;

function byOrigin(steps: Awaited<ReturnType<typeof sumSteps>>): StatsWire['series'] {
  const shares: Record<string, (counts: Counts) => Counts> = {
    none: ({ calls, gatewayErrors, providerErrors }) => ({
      ...{ calls: calls - gatewayErrors - providerErrors, gatewayErrors: 0, providerErrors: 0 },
    }),
    gateway: ({ gatewayErrors }) => ({ calls: gatewayErrors, gatewayErrors, providerErrors: 0 }),
    provider: ({ providerErrors }) => ({ calls: providerErrors, gatewayErrors: 0, providerErrors }),
  };
  const points = steps.map((row) => ({
    at: row.at.toISOString(),
    ...{ calls: row.calls, gatewayErrors: row.gateway_errors, providerErrors: row.provider_errors },
  }));
  const totals = points.reduce(addCounts, { calls: 0, gatewayErrors: 0, providerErrors: 0 });
  return Object.entries(shares).map(([key, share]) => ({
    ...{ key, label: null },
    points: points.map((point) => ({ at: point.at, ...share(point), ...NO_PERCENTILES })),
    totals: { ...share(totals), ...NO_PERCENTILES },
  }));
}

function addCounts(sum: Counts, counts: Counts): Counts {
  return {
    calls: sum.calls + counts.calls,
    gatewayErrors: sum.gatewayErrors + counts.gatewayErrors,
    providerErrors: sum.providerErrors + counts.providerErrors,
  };
}
