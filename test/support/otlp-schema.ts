import protobuf from 'protobufjs';

/** A message of OTLP: `name: [type, number]`, `*` before the type for a repeated field. */
type Fields = Readonly<Record<string, readonly [type: string, number: number]>>;

/**
 * Names, types and numbers of fields as the published protobuf of OTLP (version 1 of opentelemetry-proto) has them, as
 * far as the gateway sends them. Enumerations are read as numbers.
 */
const MESSAGES: Readonly<Record<string, Fields>> = {
  ExportTraceServiceRequest: { resource_spans: ['*ResourceSpans', 1] },
  ResourceSpans: { resource: ['Resource', 1], scope_spans: ['*ScopeSpans', 2] },
  ScopeSpans: { scope: ['InstrumentationScope', 1], spans: ['*Span', 2] },
  Span: {
    trace_id: ['bytes', 1],
    span_id: ['bytes', 2],
    trace_state: ['string', 3],
    parent_span_id: ['bytes', 4],
    name: ['string', 5],
    kind: ['int32', 6],
    start_time_unix_nano: ['fixed64', 7],
    end_time_unix_nano: ['fixed64', 8],
    attributes: ['*KeyValue', 9],
    status: ['Status', 15],
    flags: ['fixed32', 16],
  },
  Status: { message: ['string', 2], code: ['int32', 3] },
  ExportLogsServiceRequest: { resource_logs: ['*ResourceLogs', 1] },
  ResourceLogs: { resource: ['Resource', 1], scope_logs: ['*ScopeLogs', 2] },
  ScopeLogs: { scope: ['InstrumentationScope', 1], log_records: ['*LogRecord', 2] },
  LogRecord: {
    time_unix_nano: ['fixed64', 1],
    severity_number: ['int32', 2],
    severity_text: ['string', 3],
    body: ['AnyValue', 5],
    attributes: ['*KeyValue', 6],
    observed_time_unix_nano: ['fixed64', 11],
    event_name: ['string', 12],
  },
  ExportMetricsServiceRequest: { resource_metrics: ['*ResourceMetrics', 1] },
  ResourceMetrics: { resource: ['Resource', 1], scope_metrics: ['*ScopeMetrics', 2] },
  ScopeMetrics: { scope: ['InstrumentationScope', 1], metrics: ['*Metric', 2] },
  Metric: {
    name: ['string', 1],
    description: ['string', 2],
    unit: ['string', 3],
    gauge: ['Gauge', 5],
    sum: ['Sum', 7],
    histogram: ['Histogram', 9],
  },
  Gauge: { data_points: ['*NumberDataPoint', 1] },
  Sum: {
    data_points: ['*NumberDataPoint', 1],
    aggregation_temporality: ['int32', 2],
    is_monotonic: ['bool', 3],
  },
  Histogram: { data_points: ['*HistogramDataPoint', 1], aggregation_temporality: ['int32', 2] },
  NumberDataPoint: {
    start_time_unix_nano: ['fixed64', 2],
    time_unix_nano: ['fixed64', 3],
    as_double: ['double', 4],
    as_int: ['sfixed64', 6],
    attributes: ['*KeyValue', 7],
  },
  HistogramDataPoint: {
    start_time_unix_nano: ['fixed64', 2],
    time_unix_nano: ['fixed64', 3],
    count: ['fixed64', 4],
    sum: ['double', 5],
    bucket_counts: ['*fixed64', 6],
    explicit_bounds: ['*double', 7],
    attributes: ['*KeyValue', 9],
  },
  Resource: { attributes: ['*KeyValue', 1] },
  InstrumentationScope: { name: ['string', 1], version: ['string', 2] },
  KeyValue: { key: ['string', 1], value: ['AnyValue', 2] },
  AnyValue: {
    string_value: ['string', 1],
    bool_value: ['bool', 2],
    int_value: ['int64', 3],
    double_value: ['double', 4],
  },
};

const root = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(MESSAGES).map(([name, fields]) => [
      name,
      {
        fields: Object.fromEntries(
          Object.entries(fields).map(([field, declared]) => [field, declare(declared)]),
        ),
      },
    ]),
  ),
});

function declare([type, id]: readonly [string, number]) {
  return type.startsWith('*') ? { rule: 'repeated', type: type.slice(1), id } : { type, id };
}

export type OtlpRequest =
  | 'ExportTraceServiceRequest'
  | 'ExportLogsServiceRequest'
  | 'ExportMetricsServiceRequest';

/** The message with bytes in hexadecimal and 64-bit numbers as text, whose absent fields are left out. */
export function decodeOtlp(name: OtlpRequest, bytes: Uint8Array): unknown {
  const type = root.lookupType(name);
  const plain = type.toObject(type.decode(bytes), { longs: String, bytes: Array, arrays: true });
  return JSON.parse(
    JSON.stringify(plain, (key, value) =>
      /_id$/.test(key) && Array.isArray(value) ? Buffer.from(value).toString('hex') : value,
    ),
  );
}
