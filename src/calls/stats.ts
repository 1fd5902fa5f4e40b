import { HttpError } from '../http/errors.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type Step, stepMs } from './call-counts.store.ts';
import { addHistogram, BUCKETS, percentile } from './latency-histogram.ts';
import { POINTS_MAX, type StatsQuery, type StatsWire } from './stats.schema.ts';
import { listPoints, type StatsRange, type StoredPoint, sumSeries } from './stats.store.ts';

/** What a range is where the caller names none. */
const USUAL_STEPS: Readonly<Record<Step, number>> = { minute: 60, hour: 24, day: 30 };

/** The range that a query asks for, in whole steps. Throws `invalid_request` for one that is empty or too long. */
export function readRange(query: StatsQuery, nowMs: number): StatsRange {
  const { step, limit } = query;
  const length = stepMs(step);
  const toMs = Math.ceil((query.to === undefined ? nowMs : Date.parse(query.to)) / length) * length;
  const fromMs =
    query.from === undefined
      ? toMs - USUAL_STEPS[step] * length
      : Math.floor(Date.parse(query.from) / length) * length;
  const steps = (toMs - fromMs) / length;
  if (steps <= 0) throw rangeError('must be before `to`');
  if (steps * limit > POINTS_MAX)
    throw rangeError(
      `${steps} steps of ${limit} series are more than ${POINTS_MAX} points: choose a longer step, a shorter range or a lower limit`,
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
  const { integrationId, provider } = query;
  const sums = await sumSeries(db, { ...range, projectId, integrationId, provider });
  const wire = { from: range.from.toISOString(), to: range.to.toISOString(), step: range.step };
  if (query.groupBy === 'origin') {
    const points = mergePoints(await pointsOf(db, projectId, range, sums), range.step);
    return { ...wire, series: byOrigin(points), seriesOmitted: 0 };
  }
  const groups = groupSeries(sums, query.groupBy);
  const series: StatsWire['series'] = [];
  for (const group of groups.slice(0, query.limit)) {
    const merged = mergePoints(await pointsOf(db, projectId, range, group.sums), range.step);
    series.push({ key: group.key, label: group.label, ...merged });
  }
  return { ...wire, series, seriesOmitted: Math.max(0, groups.length - query.limit) };
}

async function pointsOf(
  db: Db,
  projectId: string,
  range: StatsRange,
  sums: SeriesSums,
): Promise<StoredPoint[]> {
  if (sums.length === 0) return [];
  const series = sums.map((row) => ({
    id: row.id,
    integrationId: row.integration_id,
    provider: row.provider,
  }));
  return listPoints(db, { ...range, projectId, series });
}

type Group = { key: string; label: string | null; calls: number; sums: SeriesSums };

const COLUMNS = { provider: 'provider', integration: 'integration_id' } as const;

/** The group with the most calls first. */
function groupSeries(sums: SeriesSums, groupBy: 'provider' | 'integration' | 'total'): Group[] {
  const groups = new Map<string, Group>();
  for (const row of sums) {
    const key = groupBy === 'total' ? 'total' : (row[COLUMNS[groupBy]] ?? 'none');
    const label = groupBy === 'total' ? null : row.provider;
    const group = groups.get(key) ?? { key, label, calls: 0, sums: [] };
    groups.set(key, group);
    group.calls += row.calls;
    group.sums.push(row);
  }
  return [...groups.values()].sort((a, b) => b.calls - a.calls || (a.key < b.key ? -1 : 1));
}

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

  numbers(): Numbers {
    return {
      calls: this.calls,
      gatewayErrors: this.gatewayErrors,
      providerErrors: this.providerErrors,
      p50Ms: percentile(this.#latencies, 0.5),
      p95Ms: percentile(this.#latencies, 0.95),
      p99Ms: percentile(this.#latencies, 0.99),
      gatewayP50Ms: percentile(this.#gatewayLatencies, 0.5),
      gatewayP99Ms: percentile(this.#gatewayLatencies, 0.99),
    };
  }
}

/** One point for each step with calls, of rows in the order of time; and their sum. */
export function mergePoints(rows: readonly StoredPoint[], step: Step): { points: Point[]; totals: Numbers } {
  const points: Point[] = [];
  const totals = new Sum();
  let current: { atMs: number; sum: Sum } | undefined;
  const close = () => {
    if (current) points.push({ at: new Date(current.atMs).toISOString(), ...current.sum.numbers() });
  };
  for (const row of rows) {
    const atMs = Math.floor(row.at.getTime() / stepMs(step)) * stepMs(step);
    if (current?.atMs !== atMs) {
      close();
      current = { atMs, sum: new Sum() };
    }
    current.sum.add(row);
    totals.add(row);
  }
  close();
  return { points, totals: totals.numbers() };
}

/** Latencies are not kept by origin. */
const NO_PERCENTILES = { p50Ms: null, p95Ms: null, p99Ms: null, gatewayP50Ms: null, gatewayP99Ms: null };

function byOrigin({ points, totals }: { points: Point[]; totals: Numbers }): StatsWire['series'] {
  const shares = {
    none: ({ calls, gatewayErrors, providerErrors }: Numbers) => ({
      ...{ calls: calls - gatewayErrors - providerErrors, gatewayErrors: 0, providerErrors: 0 },
      ...NO_PERCENTILES,
    }),
    gateway: ({ gatewayErrors }: Numbers) => ({
      ...{ calls: gatewayErrors, gatewayErrors, providerErrors: 0 },
      ...NO_PERCENTILES,
    }),
    provider: ({ providerErrors }: Numbers) => ({
      ...{ calls: providerErrors, gatewayErrors: 0, providerErrors },
      ...NO_PERCENTILES,
    }),
  };
  return Object.entries(shares).map(([key, share]) => ({
    ...{ key, label: null },
    points: points.map((point) => ({ at: point.at, ...share(point) })),
    totals: share(totals),
  }));
}
