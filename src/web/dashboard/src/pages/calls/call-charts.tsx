import { useMemo } from 'react';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { type ChartSeries, listSteps, valuesAt } from '../../ui/chart/chart-data.ts';
import { TimeChart } from '../../ui/chart/time-chart.tsx';
import { formatDuration } from '../../ui/time.tsx';
import styles from './calls.module.css';
import type { Numbers, Stats } from './use-stats.ts';

type Series = Stats['series'][number] | undefined;

/** Calls over time by outcome: success, errors of the gateway, errors of providers. `stats` is grouped by `total`. */
export function OutcomeChart({ stats }: { stats: Stats }) {
  const { outcome: texts } = useTexts().calls;
  const { language } = useLanguage();
  const chart = useMemo(() => {
    const times = listSteps(stats.from, stats.to, stats.step);
    const points = stats.series[0]?.points ?? [];
    const layer = (
      key: string,
      label: string,
      color: ChartSeries['color'],
      read: (point: Point) => number,
    ) => ({
      ...{ key, label, color },
      values: valuesAt(times, points, read, 0),
    });
    const series = [
      layer('success', texts.success, '--chart-success', successesOf),
      layer('provider', texts.providerErrors, '--chart-provider-error', (point) => point.providerErrors),
      layer('gateway', texts.gatewayErrors, '--chart-gateway-error', (point) => point.gatewayErrors),
    ];
    return { times, series, format: (value: number) => value.toLocaleString(language) };
  }, [stats, texts, language]);
  return <TimeChart title={texts.title} step={stats.step} isStacked {...chart} />;
}

type Point = Stats['series'][number]['points'][number];

function successesOf({ calls, gatewayErrors, providerErrors }: Point): number {
  return calls - gatewayErrors - providerErrors;
}

/** Latency over time: of whole calls, and the gateway's share of it. */
export function LatencyChart({ stats }: { stats: Stats }) {
  const { latency: texts } = useTexts().calls;
  const { language } = useLanguage();
  const chart = useMemo(() => {
    const times = listSteps(stats.from, stats.to, stats.step);
    const points = stats.series[0]?.points ?? [];
    const line = (
      key: 'p50Ms' | 'p95Ms' | 'p99Ms' | 'gatewayP50Ms' | 'gatewayP99Ms',
      label: string,
      color: ChartSeries['color'],
    ) => ({
      ...{ key, label, color },
      values: valuesAt(times, points, (point) => point[key], null),
    });
    const series: ChartSeries[] = [
      line('p50Ms', texts.p50, '--chart-p50'),
      line('p95Ms', texts.p95, '--chart-p95'),
      line('p99Ms', texts.p99, '--chart-p99'),
      { ...line('gatewayP50Ms', texts.gatewayP50, '--chart-gateway') },
      { ...line('gatewayP99Ms', texts.gatewayP99, '--chart-gateway'), isDashed: true },
    ];
    return { times, series, format: (value: number) => formatDuration(value, language) };
  }, [stats, texts, language]);
  return <TimeChart title={texts.title} step={stats.step} {...chart} />;
}

/** The period's sums above a chart. */
export function OutcomeNumbers({ series }: { series: Series }) {
  const { outcome: texts } = useTexts().calls;
  const { language } = useLanguage();
  const totals = series?.totals;
  const calls = totals?.calls ?? 0;
  const errors = (totals?.gatewayErrors ?? 0) + (totals?.providerErrors ?? 0);
  return (
    <NumberRow
      numbers={[
        [texts.calls, calls.toLocaleString(language)],
        [texts.errors, formatShare(errors, calls, language)],
        [texts.gatewayErrors, (totals?.gatewayErrors ?? 0).toLocaleString(language)],
        [texts.providerErrors, (totals?.providerErrors ?? 0).toLocaleString(language)],
      ]}
    />
  );
}

export function LatencyNumbers({ series }: { series: Series }) {
  const { latency: texts } = useTexts().calls;
  const { language } = useLanguage();
  const format = (ms: number | null | undefined) => (ms == null ? '–' : formatDuration(ms, language));
  const totals: Numbers | undefined = series?.totals;
  return (
    <NumberRow
      numbers={[
        [texts.p50, format(totals?.p50Ms)],
        [texts.p95, format(totals?.p95Ms)],
        [texts.p99, format(totals?.p99Ms)],
        [texts.gatewayP50, format(totals?.gatewayP50Ms)],
        [texts.gatewayP99, format(totals?.gatewayP99Ms)],
      ]}
    />
  );
}

function NumberRow({ numbers }: { numbers: readonly (readonly [string, string])[] }) {
  return (
    <dl className={styles.numbers}>
      {numbers.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A share in per cent; few errors among many calls are never rounded to none. */
export function formatShare(part: number, whole: number, language: string): string {
  const share = whole === 0 ? 0 : part / whole;
  const isTiny = share > 0 && share < 0.001;
  const text = Math.max(share, isTiny ? 0.001 : 0).toLocaleString(language, {
    style: 'percent',
    maximumFractionDigits: 1,
  });
  return isTiny ? `< ${text}` : text;
}
