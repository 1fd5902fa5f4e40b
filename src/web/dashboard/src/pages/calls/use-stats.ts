import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { apiQuery } from '../../api/queries.ts';

export type Stats = components['schemas']['Stats'];
export type Numbers = components['schemas']['CallNumbers'];
export type Period = 'hour' | 'day' | 'month';

const STEPS = { hour: 'minute', day: 'hour', month: 'day' } as const;
const FRESH_MS = 15_000;

/** Whose calls they are: kept by hour and day, for the whole project. */
export type Usage = 'user' | 'organization' | 'mandate' | 'tag';

export type StatsFilter = {
  readonly provider?: string | undefined;
  readonly integrationId?: string | undefined;
};

/** The numbers of the last hour, 24 hours or 30 days, asked for again every 15 seconds while they are looked at. */
export function useStats(
  projectId: string,
  period: Period,
  groupBy: 'total' | 'provider' | 'integration',
  filter: StatsFilter = {},
) {
  return useQuery({
    ...apiQuery('/projects/{projectId}/stats', {
      path: { projectId },
      query: { step: STEPS[period], groupBy, ...given(filter) },
    }),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
}

const HOUR_MS = 3_600_000;
/** Of an hour there is one number, which goes on growing. */
const USAGE_STEPS = { hour: 'hour', day: 'hour', month: 'day' } as const;

/** The same by who made the calls; with the key of a tag by its values. */
export function useUsage(projectId: string, period: Period, groupBy: Usage, tag: string) {
  return useQuery({
    ...apiQuery('/projects/{projectId}/stats', {
      path: { projectId },
      query: {
        step: USAGE_STEPS[period],
        groupBy,
        ...(period === 'hour' && {
          from: new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS).toISOString(),
        }),
        ...(groupBy === 'tag' && { tag }),
      },
    }),
    enabled: groupBy !== 'tag' || tag !== '',
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
}

function given({ provider, integrationId }: StatsFilter) {
  return { ...(provider && { provider }), ...(integrationId && { integrationId }) };
}
