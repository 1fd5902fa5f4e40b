import { parseTraceParent } from '../http/trace-context.ts';
import { describeMethod, describeServer, type Span, type Tracing } from '../platform/telemetry.ts';
import type { ProxiedCall } from './contract.ts';
import { type FieldList, firstField } from './field-list.ts';

/** The provider's path stays out of logs and spans: some providers have tokens in paths, others names of persons. */
export const PROXY_ROUTE = '/projects/{projectId}/proxy/{provider}';

type Fields = { readonly traceparent: string | undefined; readonly forward: FieldList };

/** Begins the span of a call. */
export type BeginCallTrace = (method: string, fields: Fields) => CallTrace;

/** Undefined where nothing is traced. `origin`: where callers reach the proxy. */
export function createCallTracing(tracing: Tracing | undefined, origin: string): BeginCallTrace | undefined {
  if (tracing?.isOn !== true) return undefined;
  const { 'url.full': _, ...server } = describeServer(origin);
  const scheme = origin.slice(0, origin.indexOf(':'));
  return (method, { traceparent, forward }) => {
    const state = traceparent === undefined ? undefined : firstField(forward, 'tracestate');
    const span = tracing.start(`${describeMethod(method)} ${PROXY_ROUTE}`, {
      kind: 'server',
      remote: parseTraceParent(traceparent, state),
    });
    if (span.isRecording) span.set({ ...server, 'url.scheme': scheme, 'http.route': PROXY_ROUTE });
    return new CallTrace(tracing, span);
  };
}

/**
 * The span of one proxied call, with a client's span for each request to the provider (HTTP semantic conventions).
 * What goes out is not changed by it: the provider gets the caller's own `traceparent` as it came.
 */
export class CallTrace {
  readonly #tracing: Tracing;
  readonly #span: Span;
  #attempt: Span | undefined;
  #attempts = 0;

  constructor(tracing: Tracing, span: Span) {
    this.#tracing = tracing;
    this.#span = span;
  }

  /** Runs `work` so that what it starts, a refresh above all, belongs to the call. */
  within<Result>(work: () => Result): Result {
    return this.#tracing.within(this.#span, work);
  }

  beginAttempt(method: string, origin: string): void {
    if (!this.#span.isRecording) return;
    // One that is still open was sent on a connection that the provider had closed.
    this.noteFailure('connection_closed');
    this.endAttempt();
    const name = describeMethod(method);
    this.#attempt = this.within(() => this.#tracing.start(name, { kind: 'client' }));
    this.#attempt.set({
      'http.request.method': name,
      ...describeServer(origin),
      'http.request.resend_count': this.#attempts === 0 ? undefined : this.#attempts,
    });
    this.#attempts += 1;
  }

  noteAnswer(status: number): void {
    this.#attempt?.set({ 'http.response.status_code': status });
    if (status >= 400) this.#attempt?.fail(String(status));
  }

  noteFailure(code: string): void {
    this.#attempt?.fail(code);
  }

  endAttempt(): void {
    this.#attempt?.end();
    this.#attempt = undefined;
  }

  end(call: ProxiedCall): void {
    this.endAttempt();
    if (this.#span.isRecording) describeCall(this.#span, call);
    this.#span.end();
  }
}

function describeCall(span: Span, call: ProxiedCall): void {
  const { status, error, projectId, provider } = call;
  // Until the connection is known, the address is the caller's text.
  const isKnown = call.connectionId !== undefined;
  span.set({
    'http.request.method': describeMethod(call.method),
    'http.response.status_code': status === 0 ? undefined : status,
    'url.path': isKnown ? `/projects/${projectId}/proxy/${provider}/REDACTED` : '/projects/REDACTED',
    'gateway.request_id': call.requestId,
    'gateway.error': error,
    'gateway.attempts': call.attempts,
    'gateway.provider_ms': call.providerMs,
    ...(isKnown && {
      'gateway.project.id': projectId,
      'gateway.provider': provider,
      'gateway.connection.id': call.connectionId,
      'gateway.integration.id': call.integrationId,
    }),
  });
  // A refusal by a 4xx is an answer, no failure of the server (semantic conventions for HTTP spans).
  if (status >= 500) span.fail(error ?? String(status));
  else if (error === 'cut_off' && status > 0) span.fail(error);
}
