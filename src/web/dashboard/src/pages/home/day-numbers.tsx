import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { apiQuery } from '../../api/queries.ts';
import { NOT_KNOWN, useProviderNames } from '../../app/providers.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import { SparkBars } from '../../ui/spark-bars.tsx';
import { formatDuration } from '../../ui/time.tsx';
import uiStyles from '../../ui/ui.module.css';

type Series = components['schemas']['Stats']['series'][number];

const HOURS = 24;
const HOUR_MS = 3_600_000;
const REFRESH_MS = 60_000;

/** The last whole 24 hours, the present one included. */
function lastDay() {
  const endMs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  return { from: new Date(endMs - HOURS * HOUR_MS).toISOString(), to: new Date(endMs).toISOString() };
}

/** The numbers of the last 24 hours by provider; asked for once, however many parts of the page show them. */
export function useDayStats(projectId: string) {
  const period = useMemo(lastDay, []);
  const stats = useQuery({
    ...apiQuery('/projects/{projectId}/stats', {
      path: { projectId },
      query: { ...period, step: 'hour', groupBy: 'provider' },
    }),
    refetchInterval: REFRESH_MS,
  });
  return { period, stats };
}

/** Calls and errors of the last 24 hours, a row for each provider. */
export function DayNumbers({ projectId }: { projectId: string }) {
  const { home } = useTexts();
  const { period, stats } = useDayStats(projectId);
  return (
    <Section title={home.dayTitle} lead={home.dayLead} flush>
      <Loaded query={stats}>
        {({ series }) =>
          series.length === 0 ? (
            <p className={`soft ${uiStyles.sectionBody}`}>{home.noCalls}</p>
          ) : (
            <SeriesTable projectId={projectId} series={series} from={period.from} />
          )
        }
      </Loaded>
    </Section>
  );
}

function SeriesTable(props: { projectId: string; series: readonly Series[]; from: string }) {
  const { projectId, series, from } = props;
  const { home, calls } = useTexts();
  const { language } = useLanguage();
  const nameOf = useProviderNames(series.map(({ key }) => key).filter((key) => key !== NOT_KNOWN));
  const callsOf = (provider: string, origin?: 'gateway' | 'provider') => ({
    to: '/p/$projectId/calls' as const,
    params: { projectId },
    // Calls that were refused so early are errors of the gateway, whatever provider their path named.
    search: provider === NOT_KNOWN ? { origin: 'gateway' } : { provider, ...(origin && { origin }) },
  });
  const number = (row: Series, count: number, origin?: 'gateway' | 'provider') =>
    count === 0 ? (
      <span className="soft">0</span>
    ) : (
      <TextLink {...callsOf(row.key, origin)}>{count.toLocaleString(language)}</TextLink>
    );
  return (
    <Table
      bare
      label={home.dayTitle}
      rows={series}
      rowKey={(row) => row.key}
      columns={[
        {
          key: 'provider',
          header: home.provider,
          render: (row) =>
            row.key === NOT_KNOWN ? (
              <TextLink {...callsOf(row.key)}>{calls.refusedBefore}</TextLink>
            ) : (
              <span className={uiStyles.withLogo}>
                <ProviderLogo id={row.key} size={20} />
                <TextLink {...callsOf(row.key)}>{nameOf(row.key)}</TextLink>
              </span>
            ),
        },
        {
          key: 'spark',
          header: home.perHour,
          wide: true,
          render: (row) => <SparkBars points={hours(row, from)} />,
        },
        {
          key: 'calls',
          header: home.calls,
          align: 'end',
          render: (row) => number(row, row.totals.calls),
        },
        {
          key: 'gateway',
          header: home.gatewayErrors,
          align: 'end',
          render: (row) => number(row, row.totals.gatewayErrors, 'gateway'),
        },
        {
          key: 'providerErrors',
          header: home.providerErrors,
          align: 'end',
          render: (row) => number(row, row.totals.providerErrors, 'provider'),
        },
        {
          key: 'p95',
          header: home.p95,
          align: 'end',
          wide: true,
          render: ({ totals }) => (totals.p95Ms === null ? '–' : formatDuration(totals.p95Ms, language)),
        },
      ]}
    />
  );
}

/** Every hour of the day, those without calls too. */
function hours({ points }: Series, from: string) {
  const byHour = new Map(points.map((point) => [Date.parse(point.at), point]));
  return Array.from({ length: HOURS }, (_, hour) => {
    const atMs = Date.parse(from) + hour * HOUR_MS;
    const { calls = 0, gatewayErrors = 0, providerErrors = 0 } = byHour.get(atMs) ?? {};
    const success = calls - gatewayErrors - providerErrors;
    return { key: String(atMs), success, gatewayErrors, providerErrors };
  });
}
