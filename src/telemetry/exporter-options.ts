import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import type { OTLPExporterNodeConfigBase } from '@opentelemetry/otlp-exporter-base/node-http';
import type { TelemetryTarget } from '../settings/telemetry.ts';

/** Requests of one signal under way: a collector that hangs must not gather them. */
const AT_ONCE_MAX = 4;

export function exporterOptions(target: TelemetryTarget): OTLPExporterNodeConfigBase {
  return {
    url: target.url,
    headers: { ...target.headers },
    timeoutMillis: target.timeoutMs,
    compression: target.isCompressed ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE,
    httpAgentOptions: { keepAlive: true, ...target.tls },
    concurrencyLimit: AT_ONCE_MAX,
    userAgent: 'integration-gateway',
  };
}
