import { type Logger, ROOT_CONTEXT, SeverityNumber } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import type { AuditRecord } from '../platform/telemetry.ts';
import type { TelemetryConfig } from '../settings/telemetry.ts';
import type { NoteDelivery } from './delivery-notes.ts';
import { batchOptions, exporterOptions } from './exporter-options.ts';
import { NotedExporter } from './noted-exporter.ts';

type LogsConfig = NonNullable<TelemetryConfig['logs']>;

/** Audit records as log records, sent in batches from a queue of bounded length. */
export function openAuditLog(
  { target, batch }: LogsConfig,
  resource: Resource,
  note: NoteDelivery,
): { provider: LoggerProvider; send(record: AuditRecord): void } {
  const processor = new BatchLogRecordProcessor({
    exporter: new NotedExporter(new OTLPLogExporter(exporterOptions(target)), note),
    ...batchOptions(batch),
  });
  const provider = new LoggerProvider({ resource, processors: [processor] });
  const logger = provider.getLogger('integration-gateway');
  return { provider, send: (record) => emit(logger, record) };
}

function emit(logger: Logger, { name, atMs, attributes, body }: AuditRecord): void {
  logger.emit({
    eventName: name,
    timestamp: atMs,
    severityNumber: SeverityNumber.INFO,
    severityText: 'INFO',
    body,
    attributes: Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)),
    context: ROOT_CONTEXT,
  });
}
