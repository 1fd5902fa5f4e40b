import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { newId } from '../lib/ids.ts';
import { settleWithin } from '../lib/settle-within.ts';
import { NO_TRACING, type Telemetry } from '../platform/telemetry.ts';
import type { TelemetryConfig } from '../settings/telemetry.ts';
import { openAuditLog } from './audit-log.ts';
import { createDeliveryNotes, type DeliveryLog } from './delivery-notes.ts';
import { openMetrics } from './metrics.ts';
import { openTracing } from './tracing.ts';

type Provider = { shutdown(): Promise<void> };

/**
 * OpenTelemetry's own SDK behind the gateway's interface. Nothing is registered globally: packages that look for a
 * global provider, as the job queue does, go on without one.
 */
export function openTelemetry(config: TelemetryConfig, log: DeliveryLog): Telemetry {
  const resource = defaultResource().merge(
    resourceFromAttributes({
      'service.instance.id': newId(),
      ...config.resource,
      'service.name': config.serviceName,
    }),
  );
  const note = createDeliveryNotes(log);
  const providers: Provider[] = [];
  const opened = <Opened extends { readonly provider: Provider }>(one: Opened): Opened => {
    providers.push(one.provider);
    return one;
  };
  const { traces, metrics, logs } = config;
  const tracing = traces && opened(openTracing(traces, resource, note('traces'))).tracing;
  const sendAudit = logs && opened(openAuditLog(logs, resource, note('logs'))).send;
  return {
    tracing: tracing ?? NO_TRACING,
    sendAudit,
    watchMetrics(read) {
      if (metrics !== undefined) opened(openMetrics(metrics, resource, read, note('metrics')));
    },
    async stop(limitMs) {
      const all = Promise.allSettled(providers.map((provider) => provider.shutdown()));
      await settleWithin(limitMs, all, () => undefined);
    },
  };
}
