import { type HrTime, ValueType } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { MetricReading, MetricValue } from '../platform/telemetry.ts';

/** The time that counters and histograms cover. */
type Window = { readonly startedAtMs: number; readonly nowMs: number };

/** Metrics in the form of OpenTelemetry. Summaries, which the gateway has none of, are left out. */
export function convertMetrics(readings: readonly MetricReading[], window: Window): MetricData[] {
  return readings.flatMap((reading): MetricData[] => {
    const base = {
      descriptor: {
        name: reading.name,
        description: reading.help,
        unit: reading.name.includes('_seconds') ? 's' : reading.name.includes('_bytes') ? 'By' : '',
        valueType: ValueType.DOUBLE,
      },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    if (reading.type === 'counter')
      return [
        {
          ...base,
          dataPointType: DataPointType.SUM,
          isMonotonic: true,
          dataPoints: numbers(reading, window),
        },
      ];
    if (reading.type === 'gauge')
      return [{ ...base, dataPointType: DataPointType.GAUGE, dataPoints: numbers(reading, window) }];
    if (reading.type === 'histogram')
      return [{ ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(reading, window) }];
    return [];
  });
}

function numbers({ values }: MetricReading, window: Window): DataPoint<number>[] {
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => pointOf(labels, value, window));
}

/** Prometheus counts what is below a bound, OpenTelemetry what is between two. */
function histograms({ name, values }: MetricReading, window: Window): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...series.values()].flatMap((ofSeries) => {
    const [first] = ofSeries;
    if (first === undefined) return [];
    const { le: _, ...labels } = first.labels;
    const find = (part: string) =>
      ofSeries.find(({ metricName }) => metricName === `${name}_${part}`)?.value ?? 0;
    const bounded = ofSeries
      .filter(
        ({ metricName, labels: { le } }) => metricName === `${name}_bucket` && Number.isFinite(Number(le)),
      )
      .toSorted((left, right) => Number(left.labels.le) - Number(right.labels.le));
    const count = find('count');
    const below = [...bounded.map(({ value }) => value), count];
    const counts = below.map((value, index) => value - (below[index - 1] ?? 0));
    const boundaries = bounded.map(({ labels: { le } }) => Number(le));
    return [pointOf(labels, { buckets: { boundaries, counts }, sum: find('sum'), count }, window)];
  });
}

function pointOf<Value>(labels: MetricValue['labels'], value: Value, window: Window): DataPoint<Value> {
  const attributes = Object.fromEntries(
    Object.entries(labels).flatMap(([name, label]) => (label === undefined ? [] : [[name, label]])),
  );
  return { startTime: timeOf(window.startedAtMs), endTime: timeOf(window.nowMs), attributes, value };
}

function timeOf(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1_000_000)];
}
