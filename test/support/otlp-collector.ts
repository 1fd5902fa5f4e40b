import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { closeServer, listen } from './listen.ts';
import { decodeOtlp, type OtlpRequest } from './otlp-schema.ts';

const value = z
  .object({
    string_value: z.string().optional(),
    bool_value: z.boolean().optional(),
    int_value: z.string().transform(Number).optional(),
    double_value: z.number().optional(),
  })
  .transform((any) => any.string_value ?? any.bool_value ?? any.int_value ?? any.double_value);
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((pairs) => Object.fromEntries(pairs.map((pair) => [pair.key, pair.value])));
const resource = z.object({ attributes });

const span = z.object({
  trace_id: z.string(),
  span_id: z.string(),
  parent_span_id: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  start_time_unix_nano: z.string(),
  end_time_unix_nano: z.string(),
  attributes,
  status: z.object({ code: z.number().optional() }).optional(),
});
const traces = z.object({
  resource_spans: z.array(z.object({ resource, scope_spans: z.array(z.object({ spans: z.array(span) })) })),
});

const record = z.object({
  time_unix_nano: z.string(),
  severity_text: z.string(),
  body: value,
  attributes,
  event_name: z.string(),
});
const logs = z.object({
  resource_logs: z.array(
    z.object({ resource, scope_logs: z.array(z.object({ log_records: z.array(record) })) }),
  ),
});

const points = z.object({
  data_points: z.array(
    z.object({
      attributes,
      as_double: z.number().optional(),
      count: z.string().optional(),
      sum: z.number().optional(),
      bucket_counts: z.array(z.string()).optional(),
      explicit_bounds: z.array(z.number()).optional(),
    }),
  ),
  is_monotonic: z.boolean().optional(),
});
const metric = z.object({
  name: z.string(),
  unit: z.string().optional(),
  gauge: points.optional(),
  sum: points.optional(),
  histogram: points.optional(),
});
const metrics = z.object({
  resource_metrics: z.array(
    z.object({ resource, scope_metrics: z.array(z.object({ metrics: z.array(metric) })) }),
  ),
});

export type CollectedSpan = z.output<typeof span>;
export type CollectedMetric = z.output<typeof metric>;

export type OtlpCollector = Awaited<ReturnType<typeof startOtlpCollector>>;

/** What a collector gets at its HTTP port: OTLP as protobuf, decoded by the published schema, apart from the sender's code. */
export async function startOtlpCollector() {
  const collected = {
    spans: [] as CollectedSpan[],
    records: [] as z.output<typeof record>[],
    /** The newest reading of each. */
    metrics: new Map<string, CollectedMetric>(),
    resources: [] as Record<string, unknown>[],
    requests: [] as { readonly path: string; readonly headers: IncomingHttpHeaders }[],
    /** Everything that came, as text to be searched. */
    text: '',
  };
  let status = 200;

  function take(path: string, bytes: Buffer): void {
    const decode = (name: OtlpRequest) => {
      const decoded = decodeOtlp(name, bytes);
      collected.text += `${JSON.stringify(decoded)}\n${bytes.toString('latin1')}\n`;
      return decoded;
    };
    if (path === '/v1/traces') {
      for (const one of traces.parse(decode('ExportTraceServiceRequest')).resource_spans) {
        collected.resources.push(one.resource.attributes);
        collected.spans.push(...one.scope_spans.flatMap(({ spans }) => spans));
      }
    } else if (path === '/v1/logs') {
      for (const one of logs.parse(decode('ExportLogsServiceRequest')).resource_logs)
        collected.records.push(...one.scope_logs.flatMap(({ log_records }) => log_records));
    } else if (path === '/v1/metrics') {
      for (const one of metrics.parse(decode('ExportMetricsServiceRequest')).resource_metrics)
        for (const found of one.scope_metrics.flatMap((scope) => scope.metrics))
          collected.metrics.set(found.name, found);
    } else throw new Error(`no signal is at ${path}`);
  }

  const server = createServer(async (request, response) => {
    const { headers, url: path = '' } = request;
    const bytes = await buffer(request);
    collected.requests.push({ path, headers });
    const isTaken = status === 200 && headers['content-type'] === 'application/x-protobuf';
    if (isTaken) take(path, headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes);
    if (status === 0) return;
    response.writeHead(isTaken ? 200 : status, { 'content-type': 'application/x-protobuf' }).end();
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    collected,
    /** How requests are answered from now on; 0: never. */
    answerWith(next: number): void {
      status = next;
    },
    spansOf: (name: string) => collected.spans.filter((one) => one.name === name),
    close: () => closeServer(server),
  };
}
