import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError } from './configuration-error.ts';

const SIGNALS = ['TRACES', 'METRICS', 'LOGS'] as const;
type Signal = (typeof SIGNALS)[number];

/** Each stands for all signals, and with the signal's name before it for that one. */
const EXPORTER_SETTINGS = [
  ...['ENDPOINT', 'HEADERS', 'PROTOCOL', 'TIMEOUT', 'COMPRESSION'],
  ...['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY'],
] as const;
const BATCH_SETTINGS = ['SCHEDULE_DELAY', 'EXPORT_TIMEOUT', 'MAX_QUEUE_SIZE', 'MAX_EXPORT_BATCH_SIZE'];

/** Every variable of OpenTelemetry that the gateway reads. */
export const TELEMETRY_VARIABLES: readonly string[] = [
  'OTEL_SDK_DISABLED',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  ...SIGNALS.map((signal) => `OTEL_${signal}_EXPORTER`),
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  ...['', ...SIGNALS.map((signal) => `${signal}_`)].flatMap((prefix) =>
    EXPORTER_SETTINGS.map((setting) => `OTEL_EXPORTER_OTLP_${prefix}${setting}`),
  ),
  ...['BSP', 'BLRP'].flatMap((batch) => BATCH_SETTINGS.map((setting) => `OTEL_${batch}_${setting}`)),
  'OTEL_METRIC_EXPORT_INTERVAL',
  'OTEL_METRIC_EXPORT_TIMEOUT',
];

/** Where a signal is sent. */
export type TelemetryTarget = Readonly<{
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  isCompressed: boolean;
  /** In PEM; undefined: Node's own authorities, and no certificate of the gateway's. */
  tls: Readonly<{ ca?: Buffer; cert?: Buffer; key?: Buffer }>;
}>;

export type TelemetryBatch = Readonly<{
  delayMs: number;
  exportTimeoutMs: number;
  queueMax: number;
  batchMax: number;
}>;

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'] as const;

export type TelemetryConfig = Readonly<{
  serviceName: string;
  resource: Readonly<Record<string, string>>;
  traces:
    | Readonly<{
        target: TelemetryTarget;
        batch: TelemetryBatch;
        sampler: Readonly<{ kind: (typeof SAMPLERS)[number]; ratio: number; followsParent: boolean }>;
      }>
    | undefined;
  metrics: Readonly<{ target: TelemetryTarget; intervalMs: number; timeoutMs: number }> | undefined;
  logs: Readonly<{ target: TelemetryTarget; batch: TelemetryBatch }> | undefined;
}>;

type Given = Readonly<Record<string, string | undefined>>;

/**
 * What the variables of OpenTelemetry ask for, by its specification; undefined where they switch nothing on. A signal is
 * on where its exporter is `otlp`, or an address is set that it goes to. Throws ConfigurationError for what the gateway
 * has not got, rather than to send something else.
 */
export function telemetryFrom(given: Given, directory: string): TelemetryConfig | undefined {
  if (given.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  const [traces, metrics, logs] = SIGNALS.map((signal) => targetFrom(given, signal, directory));
  if (traces === undefined && metrics === undefined && logs === undefined) return undefined;
  const resource = pairsFrom('OTEL_RESOURCE_ATTRIBUTES', given.OTEL_RESOURCE_ATTRIBUTES);
  return {
    serviceName: given.OTEL_SERVICE_NAME ?? resource['service.name'] ?? 'integration-gateway',
    resource,
    traces: traces && { target: traces, batch: batchFrom(given, 'BSP', 5_000), sampler: samplerFrom(given) },
    metrics: metrics && { target: metrics, ...intervalFrom(given) },
    logs: logs && { target: logs, batch: batchFrom(given, 'BLRP', 1_000) },
  };
}

function targetFrom(given: Given, signal: Signal, directory: string): TelemetryTarget | undefined {
  const read = (setting: (typeof EXPORTER_SETTINGS)[number]) => {
    const [own, shared] = [`OTEL_EXPORTER_OTLP_${signal}_${setting}`, `OTEL_EXPORTER_OTLP_${setting}`];
    return given[own] === undefined ? { name: shared, text: given[shared] } : { name: own, text: given[own] };
  };
  const endpoint = read('ENDPOINT');
  const exporter = `OTEL_${signal}_EXPORTER`;
  const chosen = given[exporter] ?? (endpoint.text === undefined ? 'none' : 'otlp');
  if (chosen === 'none') return undefined;
  if (chosen !== 'otlp') throw fault(exporter, 'otlp or none');
  const protocol = read('PROTOCOL');
  if ((protocol.text ?? 'http/protobuf') !== 'http/protobuf')
    throw fault(protocol.name, 'http/protobuf, which collectors take at port 4318');
  const compression = read('COMPRESSION');
  if (!['gzip', 'none', undefined].includes(compression.text)) throw fault(compression.name, 'gzip or none');
  const timeout = read('TIMEOUT');
  return {
    url: urlFrom(endpoint, signal),
    headers: {
      ...pairsFrom('OTEL_EXPORTER_OTLP_HEADERS', given.OTEL_EXPORTER_OTLP_HEADERS),
      ...pairsFrom(read('HEADERS').name, read('HEADERS').text),
    },
    timeoutMs: numberFrom(timeout.name, timeout.text, 10_000),
    isCompressed: compression.text === 'gzip',
    tls: {
      ...fileFrom('ca', read('CERTIFICATE'), directory),
      ...fileFrom('cert', read('CLIENT_CERTIFICATE'), directory),
      ...fileFrom('key', read('CLIENT_KEY'), directory),
    },
  };
}

type Setting = { readonly name: string; readonly text: string | undefined };

/** A signal's own address is complete; the shared one gets the signal's path (OTLP specification, endpoint URLs). */
function urlFrom({ name, text = 'http://localhost:4318' }: Setting, signal: Signal): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw fault(name, 'an http or https URL');
  if (name.includes(signal)) return url.href;
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  url.pathname += `v1/${signal.toLowerCase()}`;
  return url.href;
}

/** `key=value` pairs, separated by commas and percent-encoded (W3C Baggage without properties). */
function pairsFrom(name: string, text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(pairs.map((pair) => pairFrom(name, pair)));
}

function pairFrom(name: string, pair: string): [string, string] {
  const at = pair.indexOf('=');
  try {
    if (at > 0) return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
  } catch {
    // A percent sign that encodes nothing is a fault like the others.
  }
  throw fault(name, 'key=value pairs separated by commas, percent-encoded');
}

function samplerFrom(given: Given) {
  const text = given.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on';
  const followsParent = text.startsWith('parentbased_');
  const kind = SAMPLERS.find((sampler) => sampler === text.replace(/^parentbased_/, ''));
  if (kind === undefined) {
    const names = SAMPLERS.flatMap((sampler) => [sampler, `parentbased_${sampler}`]);
    throw fault('OTEL_TRACES_SAMPLER', `one of ${names.join(', ')}`);
  }
  const ratio = Number(given.OTEL_TRACES_SAMPLER_ARG ?? '1');
  if (kind === 'traceidratio' && !(ratio >= 0 && ratio <= 1))
    throw fault('OTEL_TRACES_SAMPLER_ARG', 'a share from 0 to 1, such as 0.01');
  return { kind, ratio, followsParent };
}

function batchFrom(given: Given, prefix: 'BSP' | 'BLRP', delayMs: number): TelemetryBatch {
  const read = (setting: string, fallback: number) =>
    numberFrom(`OTEL_${prefix}_${setting}`, given[`OTEL_${prefix}_${setting}`], fallback);
  const queueMax = read('MAX_QUEUE_SIZE', 2_048);
  const batchMax = read('MAX_EXPORT_BATCH_SIZE', Math.min(512, queueMax));
  if (batchMax > queueMax)
    throw fault(`OTEL_${prefix}_MAX_EXPORT_BATCH_SIZE`, 'no more than the queue holds');
  return {
    delayMs: read('SCHEDULE_DELAY', delayMs),
    exportTimeoutMs: read('EXPORT_TIMEOUT', 30_000),
    queueMax,
    batchMax,
  };
}

function intervalFrom(given: Given): { intervalMs: number; timeoutMs: number } {
  const read = (setting: string, fallback: number) =>
    numberFrom(`OTEL_METRIC_EXPORT_${setting}`, given[`OTEL_METRIC_EXPORT_${setting}`], fallback);
  const intervalMs = read('INTERVAL', 60_000);
  return { intervalMs, timeoutMs: Math.min(intervalMs, read('TIMEOUT', 30_000)) };
}

const NUMBER_MAX = 2 ** 31 - 1;

function numberFrom(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= NUMBER_MAX) return value;
  throw fault(name, `a whole number from 1 to ${NUMBER_MAX}`);
}

function fileFrom<Key extends string>(key: Key, { name, text }: Setting, directory: string) {
  if (text === undefined) return {};
  try {
    return { [key]: readFileSync(resolve(directory, text)) };
  } catch {
    throw fault(name, `a file of PEM that can be read; ${text} is none`);
  }
}

function fault(name: string, expected: string): ConfigurationError {
  return new ConfigurationError(`${name}: ${expected}`);
}
