import { z } from 'zod';
import type { Db } from '../platform/postgres/database.ts';
import type { CountedRow } from './call-counts.ts';
import { addHistogram, BUCKETS, encodeHistogram } from './latency-histogram.ts';

/** Two numbers of our own: one process at a time merges counts. */
const ROLLUP_LOCK = '20330, 4';
/** Merging takes about 10 us of the event loop for each. */
const ROLLUP_ROWS = 500;
/** Integrations that come and go leave series behind; a project's further ones are counted together. */
const SERIES_PER_PROJECT_MAX = 1_000;

/** As `call_rollups.step` has it. */
export const STEPS = { minute: 0, hour: 1, day: 2 } as const;
export type Step = keyof typeof STEPS;
const STEP_MS: Readonly<Record<Step, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
export const STEP_NAMES: readonly Step[] = ['minute', 'hour', 'day'];

/** The length of a step in ms. All of them begin at whole multiples since 1970, days at midnight UTC. */
export function stepMs(step: Step): number {
  return STEP_MS[step];
}

/** Adds what a process has counted to what waits to be merged. */
export async function insertCounts(db: Db, rows: readonly CountedRow[]): Promise<void> {
  await db('call_counts_pending').insert(
    rows.map((row) => ({
      project_id: row.projectId,
      integration_id: row.integrationId,
      provider: row.provider,
      minute: row.minute,
      last_call_at: row.lastCallAt,
      calls: row.calls,
      gateway_errors: row.gatewayErrors,
      provider_errors: row.providerErrors,
      latencies: row.latencies,
      gateway_latencies: row.gatewayLatencies,
    })),
  );
}

const PENDING = z.array(
  z.object({
    project_id: z.string(),
    integration_id: z.string().nullable(),
    provider: z.string().nullable(),
    minute: z.date(),
    last_call_at: z.date(),
    calls: z.coerce.number(),
    gateway_errors: z.coerce.number(),
    provider_errors: z.coerce.number(),
    latencies: z.instanceof(Uint8Array),
    gateway_latencies: z.instanceof(Uint8Array),
  }),
);
type Pending = z.infer<typeof PENDING>[number];

/**
 * Merges some of what waits into the minutes, hours and days of its integrations, in one transaction. Answers whether
 * there may be more. False also where another process is at it.
 */
export async function mergeCountsOfAnyProject(db: Db): Promise<boolean> {
  return db.transaction(async (trx) => {
    const lock = await trx.raw(`SELECT pg_try_advisory_xact_lock(${ROLLUP_LOCK}) AS taken`);
    if (lock.rows[0]?.taken !== true) return false;
    const oldest = trx('call_counts_pending').orderBy('id').limit(ROLLUP_ROWS).select('id');
    const pending = PENDING.parse(
      await trx('call_counts_pending').whereIn('id', oldest).delete().returning('*'),
    );
    if (pending.length === 0) return false;
    const seriesOf = await findSeries(trx, pending);
    await addToRollups(trx, pending, seriesOf);
    return pending.length === ROLLUP_ROWS;
  });
}

const keyOf = (projectId: string, integrationId: string | null) => `${projectId} ${integrationId ?? ''}`;

const SERIES = z.array(
  z.object({ id: z.number(), project_id: z.string(), integration_id: z.string().nullable() }),
);

/** The series of each pending row, by project and integration; made where there is none. None for deleted projects. */
async function findSeries(trx: Db, pending: readonly Pending[]): Promise<ReadonlyMap<string, number>> {
  const latest = new Map<string, Pending>();
  for (const row of pending) {
    const key = keyOf(row.project_id, row.integration_id);
    const other = latest.get(key);
    if (other === undefined || other.last_call_at < row.last_call_at) latest.set(key, row);
  }
  const projectIds = [...new Set(pending.map((row) => row.project_id))];
  const living = new Set<string>(await trx('projects').whereIn('id', projectIds).pluck('id'));
  const sizes: { project_id: string; total: string }[] = await trx('call_series')
    .whereIn('project_id', projectIds)
    .groupBy('project_id')
    .select('project_id')
    .count({ total: '*' });
  const full = new Set(
    sizes.filter(({ total }) => Number(total) >= SERIES_PER_PROJECT_MAX).map((row) => row.project_id),
  );
  const wanted = [...latest.values()].filter((row) => living.has(row.project_id));
  const found = await touchSeries(trx, wanted);
  const missing = wanted
    .map((row) => (full.has(row.project_id) ? { ...row, integration_id: null, provider: null } : row))
    .filter((row) => !found.has(keyOf(row.project_id, row.integration_id)));
  if (missing.length > 0) {
    await trx('call_series')
      .insert(
        missing.map(({ project_id, integration_id, provider, last_call_at }) => ({
          ...{ project_id, integration_id, provider, last_call_at },
        })),
      )
      .onConflict()
      .ignore();
    for (const [key, id] of await touchSeries(trx, missing)) found.set(key, id);
  }
  return found;
}

/** Notes the last call of the series that exist, and answers their ids. */
async function touchSeries(trx: Db, rows: readonly Pending[]): Promise<Map<string, number>> {
  const { rows: touched } = await trx.raw(
    `UPDATE call_series AS s SET last_call_at = GREATEST(s.last_call_at, given.at)
     FROM unnest(?::uuid[], ?::text[], ?::timestamptz[]) AS given (project_id, integration_id, at)
     WHERE s.project_id = given.project_id
       AND s.integration_id IS NOT DISTINCT FROM nullif(given.integration_id, '')::uuid
     RETURNING s.id, s.project_id, s.integration_id`,
    [
      rows.map((row) => row.project_id),
      rows.map((row) => row.integration_id ?? ''),
      rows.map((row) => row.last_call_at),
    ],
  );
  return new Map(SERIES.parse(touched).map((row) => [keyOf(row.project_id, row.integration_id), row.id]));
}

class Sum {
  calls = 0;
  gatewayErrors = 0;
  providerErrors = 0;
  readonly latencies = new Float64Array(BUCKETS);
  readonly gatewayLatencies = new Float64Array(BUCKETS);
  readonly seriesId: number;
  readonly step: Step;
  readonly at: Date;

  constructor(seriesId: number, step: Step, at: Date) {
    this.seriesId = seriesId;
    this.step = step;
    this.at = at;
  }

  add(row: Omit<Pending, 'project_id' | 'integration_id' | 'provider' | 'minute' | 'last_call_at'>): void {
    this.calls += row.calls;
    this.gatewayErrors += row.gateway_errors;
    this.providerErrors += row.provider_errors;
    addHistogram(this.latencies, row.latencies);
    addHistogram(this.gatewayLatencies, row.gateway_latencies);
  }
}

const STORED = z.array(
  PENDING.element
    .omit({ project_id: true, integration_id: true, provider: true, minute: true, last_call_at: true })
    .extend({ series_id: z.number(), step: z.number(), at: z.date() }),
);

async function addToRollups(
  trx: Db,
  pending: readonly Pending[],
  seriesOf: ReadonlyMap<string, number>,
): Promise<void> {
  const sums = new Map<string, Sum>();
  for (const row of pending) {
    const seriesId =
      seriesOf.get(keyOf(row.project_id, row.integration_id)) ?? seriesOf.get(keyOf(row.project_id, null));
    if (seriesId === undefined) continue;
    for (const step of STEP_NAMES) {
      const at = new Date(Math.floor(row.minute.getTime() / STEP_MS[step]) * STEP_MS[step]);
      const key = `${seriesId} ${STEPS[step]} ${at.getTime()}`;
      const sum = sums.get(key) ?? new Sum(seriesId, step, at);
      sums.set(key, sum);
      sum.add(row);
    }
  }
  const all = [...sums.values()];
  const where = [all.map((sum) => sum.seriesId), all.map((sum) => STEPS[sum.step]), all.map((sum) => sum.at)];
  const { rows } = await trx.raw(
    `SELECT r.* FROM call_rollups AS r
     JOIN unnest(?::int[], ?::smallint[], ?::timestamptz[]) AS given (series_id, step, at)
       USING (series_id, step, at)`,
    where,
  );
  for (const row of STORED.parse(rows)) {
    sums.get(`${row.series_id} ${row.step} ${row.at.getTime()}`)?.add(row);
  }
  await trx.raw(
    `INSERT INTO call_rollups
       (series_id, step, at, calls, gateway_errors, provider_errors, latencies, gateway_latencies)
     SELECT * FROM unnest(?::int[], ?::smallint[], ?::timestamptz[], ?::bigint[], ?::bigint[], ?::bigint[],
       ?::bytea[], ?::bytea[])
     ON CONFLICT (series_id, step, at) DO UPDATE SET calls = excluded.calls,
       gateway_errors = excluded.gateway_errors, provider_errors = excluded.provider_errors,
       latencies = excluded.latencies, gateway_latencies = excluded.gateway_latencies`,
    [
      ...where,
      all.map((sum) => sum.calls),
      all.map((sum) => sum.gatewayErrors),
      all.map((sum) => sum.providerErrors),
      all.map((sum) => encodeHistogram(sum.latencies)),
      all.map((sum) => encodeHistogram(sum.gatewayLatencies)),
    ],
  );
}
