import { z } from 'zod';
import type { Db } from '../platform/postgres/database.ts';
import { STEPS, type Step } from './call-counts.store.ts';
import type { KeepTimes } from './purge-numbers.store.ts';
import { USAGE_KINDS, type UsageKind, type UsageRow } from './usage-counts.ts';

/** The group of what is counted together, since there is no room for more of one kind, or no name for it. */
const TOGETHER = '00000000-0000-0000-0000-000000000000';
/** Groups of one project and kind within a step; what comes later in it is counted together. */
const GROUPS_MAX = { hour: 200, day: 1_000 } as const;
const PURGE_ROWS = 5_000;

/** Steps that usage is kept by. */
export type UsageStep = keyof typeof GROUPS_MAX;

const kindOf = (kind: UsageKind): number => USAGE_KINDS.indexOf(kind);

/**
 * A user or organization by the application's own id, in SQL; one that the gateway has no row of has no group either. A row that
 * is younger than the calls is of a user who came back after being erased, and did not make them; clocks may differ a little.
 */
const GROUP_OF_NAME = `CASE g.kind
  WHEN ${kindOf('user')} THEN (SELECT u.id FROM end_users u WHERE u.project_id = g.project_id AND u.subject = g.name
    AND u.created_at <= g.last_at + interval '5 seconds')
  WHEN ${kindOf('organization')} THEN (SELECT u.id FROM end_users u WHERE u.project_id = g.project_id AND u.organization = g.name
    AND u.created_at <= g.last_at + interval '5 seconds')
  ELSE CAST(nullif(g.name, '') AS uuid) END`;

/** Adds what a process has counted, in one order for all processes, so that none waits for another in a circle. */
export async function addUsage(db: Db, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length === 0) return;
  for (const step of ['hour', 'day'] as const) {
    await db.raw(
      `WITH given AS (
         SELECT g.project_id, g.kind, date_trunc('${step}', g.hour AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS at,
           coalesce(${GROUP_OF_NAME}, '${TOGETHER}') AS group_id, g.calls, g.gateway_errors, g.provider_errors
         FROM unnest(CAST(:projects AS uuid[]), CAST(:kinds AS smallint[]), CAST(:names AS text[]), CAST(:hours AS timestamptz[]), CAST(:lasts AS timestamptz[]), CAST(:calls AS bigint[]),
           CAST(:gatewayErrors AS bigint[]), CAST(:providerErrors AS bigint[]))
           AS g (project_id, kind, name, hour, last_at, calls, gateway_errors, provider_errors)
         WHERE EXISTS (SELECT FROM projects p WHERE p.id = g.project_id)
       ), summed AS (
         SELECT project_id, kind, at, group_id, sum(calls) AS calls, sum(gateway_errors) AS gateway_errors,
           sum(provider_errors) AS provider_errors
         FROM given GROUP BY 1, 2, 3, 4
       ), sizes AS (
         SELECT u.project_id, u.kind, u.at, count(*) AS size
         FROM (SELECT DISTINCT project_id, kind, at FROM summed) AS d
         JOIN usage_counts u ON u.project_id = d.project_id AND u.kind = d.kind AND u.step = :step AND u.at = d.at
         GROUP BY 1, 2, 3
       ), ranked AS (
         SELECT s.*, k.group_id IS NOT NULL AS is_known,
           coalesce(z.size, 0) + row_number() OVER (
             PARTITION BY s.project_id, s.kind, s.at, k.group_id IS NULL ORDER BY s.calls DESC, s.group_id) AS place
         FROM summed s
         LEFT JOIN usage_counts k ON k.project_id = s.project_id AND k.kind = s.kind AND k.step = :step AND k.at = s.at
           AND k.group_id = s.group_id
         LEFT JOIN sizes z ON z.project_id = s.project_id AND z.kind = s.kind AND z.at = s.at
       ), placed AS (
         SELECT project_id, kind, at,
           CASE WHEN is_known OR place <= :groupsMax THEN group_id ELSE '${TOGETHER}' END AS group_id,
           calls, gateway_errors, provider_errors
         FROM ranked
       )
       INSERT INTO usage_counts (project_id, kind, step, at, group_id, calls, gateway_errors, provider_errors)
       SELECT project_id, kind, :step, at, group_id, sum(calls), sum(gateway_errors), sum(provider_errors)
       FROM placed GROUP BY 1, 2, 4, 5 ORDER BY 1, 2, 4, 5
       ON CONFLICT (project_id, kind, step, at, group_id) DO UPDATE SET calls = usage_counts.calls + excluded.calls,
         gateway_errors = usage_counts.gateway_errors + excluded.gateway_errors,
         provider_errors = usage_counts.provider_errors + excluded.provider_errors`,
      {
        step: STEPS[step],
        groupsMax: GROUPS_MAX[step],
        projects: rows.map(({ projectId }) => projectId),
        kinds: rows.map(({ kind }) => kindOf(kind)),
        names: rows.map(({ name }) => name),
        hours: rows.map(({ hour }) => hour),
        lasts: rows.map(({ lastAt }) => lastAt),
        calls: rows.map(({ calls }) => calls),
        gatewayErrors: rows.map(({ gatewayErrors }) => gatewayErrors),
        providerErrors: rows.map(({ providerErrors }) => providerErrors),
      },
    );
  }
}

/** What numbers are asked for by: the name and, in SQL, key and label of each group. */
export type UsageGrouping =
  | { readonly by: 'user' | 'organization'; readonly name?: string | undefined }
  | { readonly by: 'mandate' }
  | { readonly by: 'tag'; readonly tag: string };

/** Users and organizations stand in one table. */
const OF_END_USER = {
  join: 'LEFT JOIN end_users n ON n.id = u.group_id AND n.project_id = u.project_id',
  key: 'CAST(n.id AS text)',
};

const GROUPS: Readonly<
  Record<UsageGrouping['by'], { kind: UsageKind; join: string; key: string; label: string }>
> = {
  user: {
    kind: 'user',
    ...OF_END_USER,
    label: 'n.subject',
  },
  organization: {
    kind: 'organization',
    ...OF_END_USER,
    label: 'n.organization',
  },
  mandate: {
    kind: 'mandate',
    join: 'LEFT JOIN mandates n ON n.id = u.group_id AND n.project_id = u.project_id',
    ...{ key: 'CAST(n.id AS text)', label: 'n.name' },
  },
  tag: {
    kind: 'connection',
    join: 'LEFT JOIN connections n ON n.id = u.group_id AND n.project_id = u.project_id',
    ...{ key: 'n.tags ->> :tag', label: 'n.tags ->> :tag' },
  },
};

const USAGE = z.array(
  z.object({
    at: z.date(),
    key: z.string().nullable(),
    label: z.string().nullable(),
    calls: z.coerce.number(),
    gateway_errors: z.coerce.number(),
    provider_errors: z.coerce.number(),
    group_calls: z.coerce.number(),
    groups: z.coerce.number(),
  }),
);

export type UsagePoint = z.infer<typeof USAGE>[number];

/**
 * The steps of the groups with the most calls, and how many groups there are. A null key: what is counted together, and what
 * belongs to none that is there any more.
 */
export async function sumUsage(
  db: Db,
  grouping: UsageGrouping,
  range: { projectId: string; step: UsageStep; from: Date; to: Date; limit: number },
): Promise<UsagePoint[]> {
  const { kind, join, key, label } = GROUPS[grouping.by];
  const name = 'name' in grouping ? (grouping.name ?? null) : null;
  const { rows } = await db.raw(
    `WITH named AS (
       SELECT u.at, ${key} AS key, ${label} AS label, u.calls, u.gateway_errors, u.provider_errors
       FROM usage_counts u ${join}
       WHERE u.project_id = :projectId AND u.kind = ${kindOf(kind)} AND u.step = :step AND u.at >= :from AND u.at < :to
     ), wanted AS (
       SELECT * FROM named WHERE CAST(:name AS text) IS NULL OR label = :name
     ), sums AS (
       SELECT key, group_calls, count(*) OVER () AS groups,
         row_number() OVER (ORDER BY key IS NULL, group_calls DESC, key) AS place
       FROM (SELECT key, sum(calls) AS group_calls FROM wanted GROUP BY key) AS keys
     )
     SELECT w.at, w.key, min(w.label) AS label, sum(w.calls) AS calls, sum(w.gateway_errors) AS gateway_errors,
       sum(w.provider_errors) AS provider_errors, s.group_calls, s.groups
     FROM wanted w JOIN sums s ON s.key IS NOT DISTINCT FROM w.key AND (s.place <= :limit OR s.key IS NULL)
     GROUP BY w.at, w.key, s.group_calls, s.groups ORDER BY w.key IS NULL, s.group_calls DESC, w.key, w.at`,
    {
      ...{ projectId: range.projectId, from: range.from, to: range.to, limit: range.limit, name },
      ...{ step: STEPS[range.step], ...('tag' in grouping && { tag: grouping.tag }) },
    },
  );
  return USAGE.parse(rows);
}

/** Erases what is older than it is kept. */
export async function purgeUsageOfAnyProject(
  db: Db,
  { keep, nowMs, signal }: { keep: KeepTimes; nowMs: number; signal: AbortSignal },
): Promise<void> {
  const steps: readonly Step[] = ['hour', 'day'];
  for (const step of steps) {
    for (let erased = PURGE_ROWS; erased === PURGE_ROWS && !signal.aborted; ) {
      const { rowCount } = await db.raw(
        `DELETE FROM usage_counts WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM usage_counts WHERE step = ? AND at < ? LIMIT ?))`,
        [STEPS[step], new Date(nowMs - keep[step]), PURGE_ROWS],
      );
      erased = rowCount;
    }
  }
}
