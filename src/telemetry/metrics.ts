import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import {
  MeterProvider,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { MetricReading } from '../platform/telemetry.ts';
import type { TelemetryConfig } from '../settings/telemetry.ts';
import type { NoteDelivery } from './delivery-notes.ts';
import { exporterOptions } from './exporter-options.ts';
import { convertMetrics } from './metric-data.ts';
import { NotedExporter } from './noted-exporter.ts';

type MetricsConfig = NonNullable<TelemetryConfig['metrics']>;

/** Sends the numbers of `/metrics`, under the same names. */
export function openMetrics(
  { target, intervalMs, timeoutMs }: MetricsConfig,
  resource: Resource,
  read: () => Promise<readonly MetricReading[]>,
  note: NoteDelivery,
): { provider: MeterProvider } {
  const startedAtMs = Date.now();
  const producer: MetricProducer = {
    async collect() {
      const metrics = convertMetrics(await read(), { startedAtMs, nowMs: Date.now() });
      const scope = { name: 'integration-gateway' };
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
  const reader = new PeriodicExportingMetricReader({
    exporter: new NotedExporter(new OTLPMetricExporter(exporterOptions(target)), note),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: timeoutMs,
    metricProducers: [producer],
  });
  return { provider: new MeterProvider({ resource, readers: [reader] }) };
}
