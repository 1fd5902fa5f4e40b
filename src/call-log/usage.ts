import { HttpError } from '../http/errors.ts';
import type { Db } from '../platform/postgres/database.ts';
import { stepMs } from './call-counts.store.ts';
import { type StatsQuery, type StatsWire, USAGE_STEPS_MAX } from './stats.schema.ts';
import type { StatsRange } from './stats.store.ts';
import { sumUsage, type UsageGrouping, type UsagePoint } from './usage-counts.store.ts';

/** Latencies are kept by integration alone. */
export const NO_PERCENTILES = {
  ...{ p50Ms: null, p95Ms: null, p99Ms: null },
  ...{ gatewayP50Ms: null, gatewayP99Ms: null },
};

/** The series of what is counted together, and of groups that are there no more. */
const OTHER = 'other';

/** The usage that a query asks for; undefined where it asks for other numbers. Throws `invalid_request`. */
export function readGrouping(query: StatsQuery): UsageGrouping | undefined {
  const { groupBy, tag, userId, organizationId, provider, integrationId } = query;
  const members = [
    { member: 'tag', value: tag, group: 'tag' },
    { member: 'userId', value: userId, group: 'user' },
    { member: 'organizationId', value: organizationId, group: 'organization' },
  ];
  for (const { member, value, group } of members)
    if (value !== undefined && groupBy !== group) throw refuse(member, `only with \`groupBy=${group}\``);
  const isUsage =
    groupBy === 'tag' || groupBy === 'user' || groupBy === 'organization' || groupBy === 'mandate';
  for (const [member, value] of Object.entries({ provider, integrationId }))
    if (isUsage && value !== undefined) throw refuse(member, 'usage is not kept by provider or integration');
  switch (groupBy) {
    case 'user':
      return { by: groupBy, name: userId };
    case 'organization':
      return { by: groupBy, name: organizationId };
    case 'mandate':
      return { by: groupBy };
    case 'tag':
      if (tag === undefined) throw refuse('tag', 'which tag: required with `groupBy=tag`');
      return { by: groupBy, tag };
    default:
      return undefined;
  }
}

function refuse(member: string, message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path: `query.${member}`, message }] });
}

/** Reads the usage of a project by those groups. */
export async function readUsage(
  db: Db,
  projectId: string,
  grouping: UsageGrouping,
  { step, from, to, limit }: StatsRange & { readonly limit: number },
): Promise<StatsWire> {
  if (step === 'minute') throw refuse('step', 'usage is kept by hour and day');
  if ((to.getTime() - from.getTime()) / stepMs(step) > USAGE_STEPS_MAX)
    throw refuse('from', `more than ${USAGE_STEPS_MAX} steps: choose a longer step or a shorter range`);
  const points = await sumUsage(db, grouping, { projectId, step, from, to, limit });
  const series = [...Map.groupBy(points, ({ key }) => key)].map(([key, own]) => seriesOf(key, own));
  return {
    ...{ from: from.toISOString(), to: to.toISOString(), step, series },
    seriesOmitted: Math.max(0, (points[0]?.groups ?? 0) - series.length),
  };
}

function seriesOf(key: string | null, points: readonly UsagePoint[]): StatsWire['series'][number] {
  const sum = (count: (point: UsagePoint) => number) =>
    points.reduce((total, point) => total + count(point), 0);
  return {
    key: key ?? OTHER,
    label: points[0]?.label ?? null,
    points: points.map((point) => ({
      at: point.at.toISOString(),
      calls: point.calls,
      gatewayErrors: point.gateway_errors,
      providerErrors: point.provider_errors,
      ...NO_PERCENTILES,
    })),
    totals: {
      calls: sum(({ calls }) => calls),
      gatewayErrors: sum((point) => point.gateway_errors),
      providerErrors: sum((point) => point.provider_errors),
      ...NO_PERCENTILES,
    },
  };
}
