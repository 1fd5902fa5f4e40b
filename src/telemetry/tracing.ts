import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  createTraceState,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { RemoteParent, Span, SpanStart, TelemetryAttributes, Tracing } from '../platform/telemetry.ts';
import type { TelemetryConfig } from '../settings/telemetry.ts';
import type { NoteDelivery } from './delivery-notes.ts';
import { batchOptions, exporterOptions } from './exporter-options.ts';
import { NotedExporter } from './noted-exporter.ts';

type TracesConfig = NonNullable<TelemetryConfig['traces']>;

const SCOPE = 'integration-gateway';
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** Spans by OpenTelemetry's SDK, sent in batches from a queue of bounded length. */
export function openTracing(
  { target, batch, sampler }: TracesConfig,
  resource: Resource,
  note: NoteDelivery,
): { provider: TracerProvider; tracing: Tracing } {
  const processor = new BatchSpanProcessor({
    exporter: new NotedExporter(new OTLPTraceExporter(exporterOptions(target)), note),
    ...batchOptions(batch),
  });
  const provider = new TracerProvider({
    resource,
    sampler: chooseSampler(sampler),
    spanProcessors: [processor],
  });
  return { provider, tracing: createTracing(provider) };
}

function chooseSampler({ kind, ratio, followsParent }: TracesConfig['sampler']): Sampler {
  const samplers: Record<typeof kind, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const root = samplers[kind]();
  return followsParent ? new ParentBasedSampler({ root }) : root;
}

function createTracing(provider: TracerProvider): Tracing {
  const tracer = provider.getTracer(SCOPE);
  const underWay = new AsyncLocalStorage<Context | undefined>();
  return {
    isOn: true,
    start(name, { kind, remote, isRoot }: SpanStart) {
      const own = isRoot ? undefined : underWay.getStore();
      const parent = remote === undefined ? (own ?? ROOT_CONTEXT) : contextOf(remote);
      return new StartedSpan(tracer.startSpan(name, { kind: KINDS[kind] }, parent));
    },
    within: (span, work) => (span instanceof StartedSpan ? underWay.run(span.context, work) : work()),
    bind(work) {
      const context = underWay.getStore();
      return () => underWay.run(context, work);
    },
    isWithin: () => underWay.getStore() !== undefined,
  };
}

function contextOf({ traceId, spanId, flags, state }: RemoteParent): Context {
  const traceState = state === undefined ? {} : { traceState: createTraceState(state) };
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: flags,
    isRemote: true,
    ...traceState,
  });
}

class StartedSpan implements Span {
  readonly #span: OtelSpan;
  #context: Context | undefined;
  readonly isRecording: boolean;

  constructor(span: OtelSpan) {
    this.#span = span;
    this.isRecording = span.isRecording();
  }

  /** Made when the first other span may belong to this one. */
  get context(): Context {
    this.#context ??= trace.setSpan(ROOT_CONTEXT, this.#span);
    return this.#context;
  }

  set(attributes: TelemetryAttributes): void {
    if (!this.isRecording) return;
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined) this.#span.setAttribute(name, value);
  }

  fail(errorType: string): void {
    if (!this.isRecording) return;
    this.#span.setAttribute('error.type', errorType);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end();
  }
}
