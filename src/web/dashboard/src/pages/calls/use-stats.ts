import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { apiQuery } from '../../api/queries.ts';

export type Stats = components['schemas']['Stats'];
export type Numbers = components['schemas']['CallNumbers'];
export type Period = 'hour' | 'day' | 'month';

const STEPS = { hour: 'minute', day: 'hour', month: 'day' } as const;
const FRESH_MS = 15_000;

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

function given({ provider, integrationId }: StatsFilter) {
  return { ...(provider && { provider }), ...(integrationId && { integrationId }) };
}
