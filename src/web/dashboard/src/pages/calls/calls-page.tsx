import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useProjectId } from '../../app/project.ts';
import { useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { LatencyChart, LatencyNumbers, OutcomeChart, OutcomeNumbers } from './call-charts.tsx';
import { CallGroups } from './call-groups.tsx';
import { CallList } from './call-list.tsx';
import styles from './calls.module.css';
import { LiveTail } from './live-tail.tsx';
import { UsageGroups } from './usage-groups.tsx';
import { type Period, useStats } from './use-stats.ts';

const PERIODS: readonly Period[] = ['hour', 'day', 'month'];

/** Every call through the proxy: how many, how fast, why one failed, and which come right now. */
export function CallsPage() {
  const { calls: texts } = useTexts();
  const projectId = useProjectId();
  const { period, setPeriod, filter } = useView();
  const total = useStats(projectId, period, 'total', filter);
  const hasNumbers = (total.data?.series.length ?? 0) > 0;
  const isNew =
    total.isSuccess && !hasNumbers && period === 'month' && !filter.provider && !filter.integrationId;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} actions={<ConsoleButton />} />
      <div className={styles.head}>
        <SegmentedControl
          size="sm"
          aria-label={texts.period}
          value={period}
          onChange={(value) => setPeriod(PERIODS.find((each) => each === value) ?? 'day')}
          data={PERIODS.map((value) => ({ value, label: texts.periods[value] }))}
        />
      </div>
      {isNew ? (
        <EmptyState icon="calls" title={texts.emptyTitle} text={texts.emptyText} action={<ConsoleButton />} />
      ) : (
        <Loaded query={total}>
          {(stats) => (
            <div className={styles.charts}>
              <Section title={texts.outcome.title}>
                <OutcomeNumbers series={stats.series[0]} />
                <OutcomeChart stats={stats} />
              </Section>
              <Section title={texts.latency.title}>
                <LatencyNumbers series={stats.series[0]} />
                <LatencyChart stats={stats} />
              </Section>
            </div>
          )}
        </Loaded>
      )}
      {hasNumbers && <CallGroups projectId={projectId} period={period} filter={filter} />}
      {hasNumbers && <UsageGroups projectId={projectId} period={period} />}
      <LiveTail key={projectId} />
      <CallList />
    </>
  );
}

function ConsoleButton() {
  const { calls: texts } = useTexts();
  const projectId = useProjectId();
  return (
    <LinkButton
      variant="default"
      to="/p/$projectId/console"
      params={{ projectId }}
      leftSection={<Icon name="code" size={16} />}
    >
      {texts.openConsole}
    </LinkButton>
  );
}

/** Period and filters as they stand in the address. */
function useView() {
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    period: PERIODS.find((each) => each === search.period) ?? ('day' as const),
    setPeriod: (period: Period) =>
      void navigate({
        to: '.',
        replace: true,
        resetScroll: false,
        search: (previous: Record<string, unknown>): Record<string, unknown> => ({ ...previous, period }),
      }),
    filter: { provider: search.provider, integrationId: search.integrationId },
  };
}
