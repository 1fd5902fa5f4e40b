import { toHttpError } from '../../http/errors.ts';
import { isUuid } from '../../lib/ids.ts';
import { describeMethod, describeServer, type Span, type Tracing } from '../../platform/telemetry.ts';

type ReceivedRequest = {
  readonly method: string;
  readonly route: string;
  readonly integrationId: string;
  /** The unguessable part of the address is there. */
  readonly hasPart: boolean;
  readonly origin: string;
  readonly requestId: string;
};

/**
 * Receives a webhook as a span that begins a trace: a provider's `traceparent` is a stranger's word, by which the
 * gateway decides nothing. `work` gives the status of the answer.
 */
export async function traceReceipt(
  tracing: Tracing,
  received: ReceivedRequest,
  work: (span: Span) => Promise<number>,
): Promise<void> {
  const method = describeMethod(received.method);
  const span = tracing.start(`${method} ${received.route}`, { kind: 'server', isRoot: true });
  if (span.isRecording) describe(span, received);
  try {
    const status = await tracing.within(span, () => work(span));
    span.set({ 'http.response.status_code': status });
  } catch (error) {
    const { code, status } = toHttpError(error);
    span.set({ 'http.response.status_code': status, 'gateway.error': code });
    if (status >= 500) span.fail(code);
    throw error;
  } finally {
    span.end();
  }
}

function describe(
  span: Span,
  { method, route, integrationId, hasPart, origin, requestId }: ReceivedRequest,
): void {
  const { 'url.full': _, ...server } = describeServer(origin);
  const id = isUuid(integrationId) ? integrationId : 'REDACTED';
  span.set({
    ...server,
    'http.request.method': describeMethod(method),
    'http.route': route,
    'url.scheme': origin.slice(0, origin.indexOf(':')),
    'url.path': `/webhooks/${id}${hasPart ? '/REDACTED' : ''}`,
    'gateway.request_id': requestId,
  });
}
