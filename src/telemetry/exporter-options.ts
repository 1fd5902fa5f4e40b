import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import type { OTLPExporterNodeConfigBase } from '@opentelemetry/otlp-exporter-base/node-http';
import type { TelemetryBatch, TelemetryTarget } from '../settings/telemetry.ts';

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

/** Of a queue of bounded length, from which a signal is sent in batches. */
export function batchOptions(batch: TelemetryBatch) {
  return {
    scheduledDelayMillis: batch.delayMs,
    exportTimeoutMillis: batch.exportTimeoutMs,
    maxQueueSize: batch.queueMax,
    maxExportBatchSize: batch.batchMax,
  };
}
