import { z } from 'zod';
import type { Db } from '../platform/postgres/database.ts';
import { STEPS, type Step, stepMs } from './call-counts.store.ts';

/** Calls of one integration of a project; without one, those that were refused before it was known. */
export type Series = {
  readonly id: number | null;
  readonly integrationId: string | null;
  readonly provider: string | null;
};

export type StatsRange = { readonly step: Step; readonly from: Date; readonly to: Date };

const COUNTS = {
  calls: z.coerce.number(),
  gateway_errors: z.coerce.number(),
  provider_errors: z.coerce.number(),
};
const SERIES_SUMS = z.array(
  z.object({
    ...COUNTS,
    rows: z.coerce.number(),
    id: z.number().nullable(),
    integration_id: z.string().nullable(),
    provider: z.string().nullable(),
  }),
);

/** Each series of the project with its counts in the range; what is not merged yet included, under a null id. */
export async function sumSeries(
  db: Db,
  { projectId, step, from, to, integrationId, provider }: StatsRange & StatsFilter,
) {
  const { rows } = await db.raw(
    `SELECT s.id, s.integration_id, s.provider, sum(r.calls) AS calls,
       sum(r.gateway_errors) AS gateway_errors, sum(r.provider_errors) AS provider_errors, count(*) AS rows
     FROM call_series AS s JOIN call_rollups AS r ON r.series_id = s.id AND r.step = :step
       AND r.at >= :from AND r.at < :to
     WHERE s.project_id = :projectId
       AND (CAST(:integrationId AS uuid) IS NULL OR s.integration_id = :integrationId)
       AND (CAST(:provider AS text) IS NULL OR s.provider = :provider)
     GROUP BY s.id
     UNION ALL
     SELECT NULL, p.integration_id, p.provider, sum(p.calls), sum(p.gateway_errors), sum(p.provider_errors),
       count(*)
     FROM call_counts_pending AS p
     WHERE p.project_id = :projectId AND p.minute >= :from AND p.minute < :to
       AND (CAST(:integrationId AS uuid) IS NULL OR p.integration_id = :integrationId)
       AND (CAST(:provider AS text) IS NULL OR p.provider = :provider)
     GROUP BY p.integration_id, p.provider`,
    {
      ...{ projectId, from, to, step: STEPS[step] },
      integrationId: integrationId ?? null,
      provider: provider ?? null,
    },
  );
  return SERIES_SUMS.parse(rows);
}

export type StatsFilter = {
  readonly projectId: string;
  readonly integrationId?: string | undefined;
  readonly provider?: string | undefined;
};

const STEP_SUMS = z.array(z.object({ ...COUNTS, at: z.date() }));

/** The counts of each step of all these series together, in the order of time. */
export async function sumSteps(
  db: Db,
  { projectId, step, from, to, integrationId, provider }: StatsRange & StatsFilter,
) {
  const { rows } = await db.raw(
    `SELECT at, sum(calls) AS calls, sum(gateway_errors) AS gateway_errors,
       sum(provider_errors) AS provider_errors
     FROM (
       SELECT s.integration_id, s.provider, r.at, r.calls, r.gateway_errors, r.provider_errors
       FROM call_series AS s JOIN call_rollups AS r ON r.series_id = s.id AND r.step = :step
         AND r.at >= :from AND r.at < :to
       WHERE s.project_id = :projectId
       UNION ALL
       SELECT integration_id, provider, to_timestamp(floor(extract(epoch FROM minute) / :seconds) * :seconds),
         calls, gateway_errors, provider_errors
       FROM call_counts_pending WHERE project_id = :projectId AND minute >= :from AND minute < :to
     ) AS parts
     WHERE (CAST(:integrationId AS uuid) IS NULL OR integration_id = :integrationId)
       AND (CAST(:provider AS text) IS NULL OR provider = :provider)
     GROUP BY at ORDER BY at`,
    {
      ...{ projectId, from, to, step: STEPS[step], seconds: stepMs(step) / 1000 },
      integrationId: integrationId ?? null,
      provider: provider ?? null,
    },
  );
  return STEP_SUMS.parse(rows);
}

export type StoredPoint = {
  readonly at: Date;
  readonly calls: number;
  readonly gateway_errors: number;
  readonly provider_errors: number;
  readonly latencies: Uint8Array;
  readonly gateway_latencies: Uint8Array;
};

/** Every stored step of these series within the range, in the order of time. Not checked: there may be thousands. */
export async function listPoints(
  db: Db,
  { projectId, step, from, to, series }: StatsRange & { projectId: string; series: readonly Series[] },
): Promise<StoredPoint[]> {
  const ids = series.flatMap(({ id }) => (id === null ? [] : [id]));
  const pending = series.filter(({ id }) => id === null);
  const { rows } = await db.raw<{ rows: StoredPoint[] }>(
    `SELECT at, calls, gateway_errors, provider_errors, latencies, gateway_latencies
     FROM call_rollups WHERE series_id = ANY (?) AND step = ? AND at >= ? AND at < ?
     UNION ALL
     SELECT to_timestamp(floor(extract(epoch FROM p.minute) / ?) * ?), p.calls, p.gateway_errors,
       p.provider_errors, p.latencies, p.gateway_latencies
     FROM call_counts_pending AS p
     JOIN unnest(?::text[], ?::text[]) AS given (integration_id, provider)
       ON coalesce(p.integration_id::text, '') = given.integration_id
       AND coalesce(p.provider, '') = given.provider
     WHERE p.project_id = ? AND p.minute >= ? AND p.minute < ?
     ORDER BY at`,
    [
      ...[ids, STEPS[step], from, to, stepMs(step) / 1000, stepMs(step) / 1000],
      ...[pending.map((row) => row.integrationId ?? ''), pending.map((row) => row.provider ?? '')],
      ...[projectId, from, to],
    ],
  );
  return rows;
}

const DAY_OF_INTEGRATIONS = z.array(
  z.object({
    integration_id: z.string(),
    calls: z.coerce.number(),
    errors: z.coerce.number(),
    last_call_at: z.date().nullable(),
  }),
);

/** Calls and errors of integrations since a time, by whole hours, and their last call. Only of the given projects. */
export async function sumIntegrations(
  db: Db,
  {
    projectIds,
    integrationIds,
    since,
  }: {
    projectIds: readonly string[];
    integrationIds: readonly string[];
    since: Date;
  },
) {
  const { rows } = await db.raw(
    `SELECT integration_id, sum(calls) AS calls, sum(errors) AS errors, max(last_call_at) AS last_call_at
     FROM (
       SELECT s.integration_id, s.last_call_at, coalesce(r.calls, 0) AS calls, coalesce(r.errors, 0) AS errors
       FROM call_series AS s LEFT JOIN LATERAL (
         SELECT sum(calls) AS calls, sum(gateway_errors + provider_errors) AS errors FROM call_rollups
         WHERE series_id = s.id AND step = :hour AND at >= :since) AS r ON true
       WHERE s.integration_id = ANY (:integrationIds) AND s.project_id = ANY (:projectIds)
       UNION ALL
       SELECT integration_id, last_call_at, calls, gateway_errors + provider_errors FROM call_counts_pending
       WHERE integration_id = ANY (:integrationIds) AND project_id = ANY (:projectIds) AND minute >= :since
     ) AS parts GROUP BY integration_id`,
    { hour: STEPS.hour, since, integrationIds: [...integrationIds], projectIds: [...projectIds] },
  );
  return DAY_OF_INTEGRATIONS.parse(rows);
}
