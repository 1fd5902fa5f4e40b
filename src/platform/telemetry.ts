/** What a span or a log record says, by the names of OpenTelemetry's semantic conventions where they have one. */
export type TelemetryAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The caller's own span, from its W3C `traceparent` and `tracestate`. */
export type RemoteParent = {
  readonly traceId: string;
  readonly spanId: string;
  /** The flags of Trace Context: 1 says that the caller records the trace. */
  readonly flags: number;
  readonly state: string | undefined;
};

export type SpanStart = {
  readonly kind: 'server' | 'client' | 'internal';
  /** Left out: the span belongs to the one under way, if there is one. */
  readonly remote?: RemoteParent | undefined;
  /** It begins a trace of its own, whatever is under way. */
  readonly isRoot?: true;
};

/** One piece of work of a trace. Nothing that it is given may be a secret, a query, or a path of a provider. */
export type Span = {
  /** False: the span is not sampled, and nothing of it is kept. */
  readonly isRecording: boolean;
  set(attributes: TelemetryAttributes): void;
  /** `errorType`: a code of the gateway or a status; a small fixed set. */
  fail(errorType: string): void;
  end(): void;
};

export type Tracing = {
  /** False: no span is ever recorded, and callers may leave out their preparations. */
  readonly isOn: boolean;
  start(name: string, start: SpanStart): Span;
  /** Runs `work` so that spans which it starts, also later, belong to `span`. */
  within<Result>(span: Span, work: () => Result): Result;
  /** `work` as a part of the span that is under way now, from wherever it is called. */
  bind<Result>(work: () => Result): () => Result;
  /** Whether a span is under way here. */
  isWithin(): boolean;
};

/** One series of a metric, as prom-client gives it. */
export type MetricValue = {
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly metricName?: string | undefined;
};

/** A metric with all its series, as prom-client gives it. */
export type MetricReading = {
  readonly name: string;
  readonly help: string;
  /** A word such as `counter`, which prom-client declares as a number. */
  readonly type: unknown;
  readonly values: readonly MetricValue[];
};

/** An entry of the audit log, on its way to where logs are gathered. */
export type AuditRecord = {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: TelemetryAttributes;
  /** As JSON text. */
  readonly body: string;
};

export type Telemetry = {
  readonly tracing: Tracing;
  /** Sends the metrics that `read` gives, again and again. */
  watchMetrics(read: () => Promise<readonly MetricReading[]>): void;
  /** Undefined where nothing takes audit records. */
  readonly sendAudit: ((record: AuditRecord) => void) | undefined;
  /** Sends what has gathered, for `limitMs` at most. */
  stop(limitMs: number): Promise<void>;
};

const NO_SPAN: Span = {
  isRecording: false,
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

export const NO_TRACING: Tracing = {
  isOn: false,
  start: () => NO_SPAN,
  within: (_span, work) => work(),
  bind: (work) => work,
  isWithin: () => false,
};

/** Where no variable of OpenTelemetry switches it on. */
export const NO_TELEMETRY: Telemetry = {
  tracing: NO_TRACING,
  watchMetrics: () => undefined,
  sendAudit: undefined,
  stop: async () => undefined,
};

/** Runs `work` as a span, which fails where it rejects. `typeOf` names the error in a word. */
export async function traceWork<Result>(
  tracing: Tracing,
  name: string,
  start: SpanStart,
  work: (span: Span) => Promise<Result>,
  typeOf: (error: unknown) => string = () => 'internal_error',
): Promise<Result> {
  const span = tracing.start(name, start);
  try {
    return await tracing.within(span, () => work(span));
  } catch (error) {
    span.fail(typeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Of URLs no span has more than the origin: paths and queries may hold secrets, and ids of persons. */
const REDACTED = 'REDACTED';

/** What a request to `url` says of its server. */
export function describeServer(url: string): TelemetryAttributes {
  const parsed = URL.parse(url);
  if (parsed === null) return {};
  const { origin, protocol, hostname, port } = parsed;
  return {
    'url.full': `${origin}/${REDACTED}`,
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}

const METHODS = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'QUERY',
]);

/** A method as spans name it: what is none of HTTP's own may be any text of a caller. */
export function describeMethod(method: string): string {
  return METHODS.has(method) ? method : '_OTHER';
}
