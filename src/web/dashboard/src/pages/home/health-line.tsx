import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { TextLink } from '../../ui/link.tsx';
import { useDayStats } from './day-numbers.tsx';
import type { ListedIntegration } from './home-data.ts';

type HealthLineProps = { readonly projectId: string; readonly integrations: readonly ListedIntegration[] };

/** How the project does, in one line: "44 calls in 24 hours, 29% errors · 1 connection needs its user". */
export function HealthLine({ projectId, integrations }: HealthLineProps) {
  const { home } = useTexts();
  const { language } = useLanguage();
  const series = useDayStats(projectId).stats.data?.series;
  if (series === undefined) return null;
  const add = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const calls = add(series.map(({ totals }) => totals.calls));
  const errors = add(series.map(({ totals }) => totals.gatewayErrors + totals.providerErrors));
  const lost = add(integrations.map(({ numbers }) => numbers?.reauthorizationRequired ?? 0));
  const share = (errors / Math.max(calls, 1)).toLocaleString(language, { style: 'percent' });
  const ofDay = calls === 0 ? home.noCalls.replace(/\.$/, '') : home.callsOfDay(calls);
  return (
    <>
      <TextLink to="/p/$projectId/calls" params={{ projectId }}>
        {calls === 0 ? ofDay : `${ofDay}, ${home.errorShare(share)}`}
      </TextLink>
      {lost > 0 && (
        <>
          {' · '}
          <TextLink
            to="/p/$projectId/connections"
            params={{ projectId }}
            search={{ status: 'reauthorization_required' }}
          >
            {home.lostConnections(lost)}
          </TextLink>
        </>
      )}
    </>
  );
}
