import type { Logger } from '../platform/logger.ts';
import { NO_TELEMETRY, type Telemetry } from '../platform/telemetry.ts';
import type { TelemetryConfig } from '../settings/telemetry.ts';

/** What sends spans, metrics and audit records. Without `config` none of OpenTelemetry's packages is loaded. */
export async function loadTelemetry(
  config: TelemetryConfig | undefined,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<Telemetry> {
  if (config === undefined) return NO_TELEMETRY;
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry(config, log);
}
