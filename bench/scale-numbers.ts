import type pg from 'pg';
import { BUCKETS, encodeHistogram, findBucket } from '../src/call-log/latency-histogram.ts';

const STEPS = [
  { name: 'minutes of 12 hours', step: 0, ms: 60_000, steps: 12 * 60, calls: 20 },
  { name: 'hours of 21 days', step: 1, ms: 3_600_000, steps: 21 * 24, calls: 1_200 },
  { name: 'days of 400 days', step: 2, ms: 86_400_000, steps: 400, calls: 28_800 },
];
const BATCH = 2_000;

/** Numbers as they come about where every provider is called twenty times a minute, all the time. */
export async function insertCallNumbers(db: pg.Client, projectId: string, providers: number): Promise<void> {
  const nowMs = Date.now();
  for (let index = 0; index < providers; index += 1) {
    const { rows } = await db.query(
      `INSERT INTO call_series (project_id, integration_id, provider, last_call_at)
       VALUES ($1, gen_random_uuid(), $2, now()) RETURNING id`,
      [projectId, `provider-${index}`],
    );
    const usualMs = 40 + (index % 20) * 30;
    for (const { step, ms, steps, calls } of STEPS) {
      const at = Array.from({ length: steps }, (_, back) => new Date(Math.floor(nowMs / ms - back) * ms));
      const histograms = at.map(() => encodeHistogram(spread(usualMs, calls)));
      const ours = at.map(() => encodeHistogram(spread(0.4, calls)));
      for (let first = 0; first < at.length; first += BATCH) {
        const part = <T>(list: readonly T[]) => list.slice(first, first + BATCH);
        await db.query(
          `INSERT INTO call_rollups SELECT $1::int, $2::smallint, at, $3::bigint, $3::bigint / 50, $3::bigint / 20, l, g
           FROM unnest($4::timestamptz[], $5::bytea[], $6::bytea[]) AS given (at, l, g)`,
          [rows[0].id, step, calls, part(at), part(histograms), part(ours)],
        );
      }
    }
  }
  await db.query('VACUUM ANALYZE call_rollups');
}

/** Latencies around the usual one, with a long tail: what is between 60 and 300 ms at providers. */
function spread(usualMs: number, calls: number): Float64Array {
  const histogram = new Float64Array(BUCKETS);
  const drawn = Math.min(calls, 300);
  for (let call = 0; call < drawn; call += 1) {
    const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
    const slow = call % 100 === 0 ? 20 : 1;
    const bucket = findBucket(usualMs * slow * Math.exp(normal * 0.6));
    histogram[bucket] = (histogram[bucket] ?? 0) + calls / drawn;
  }
  return histogram.map(Math.ceil);
}

export async function sizesOfNumbers(db: pg.Client): Promise<Record<string, object>> {
  const { rows } = await db.query(
    `SELECT step, count(*)::int AS rows, avg(pg_column_size(r.*))::int AS bytes FROM call_rollups AS r GROUP BY step ORDER BY step`,
  );
  const total = await db.query(
    `SELECT pg_relation_size('call_rollups') AS heap, pg_indexes_size('call_rollups') AS indexes, pg_total_relation_size('call_rollups') AS total`,
  );
  const mib = (bytes: string) => `${Math.round(Number(bytes) / 1024 / 1024)} MiB`;
  const { heap, indexes, total: all } = total.rows[0];
  return {
    ...Object.fromEntries(
      rows.map((row) => [STEPS[row.step]?.name, { rows: row.rows, 'bytes a row': row.bytes }]),
    ),
    'heap, indexes, all': { rows: `${mib(heap)}, ${mib(indexes)}, ${mib(all)}` },
  };
}
