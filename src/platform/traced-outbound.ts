import { type createOutbound, type Outbound, OutboundError } from './outbound.ts';
import { describeMethod, describeServer, type Tracing, traceWork } from './telemetry.ts';

/** A client's span for each request that belongs to a span: others would be traces of one request without a reason. */
export function traceOutbound(
  tracing: Tracing,
  outbound: ReturnType<typeof createOutbound>,
): ReturnType<typeof createOutbound> {
  if (!tracing.isOn) return outbound;
  const request: Outbound['request'] = (asked) => {
    if (!tracing.isWithin()) return outbound.request(asked);
    const method = describeMethod(asked.method ?? 'GET');
    return traceWork(
      tracing,
      method,
      { kind: 'client' },
      async (span) => {
        span.set({ 'http.request.method': method, ...describeServer(asked.url) });
        const answer = await outbound.request(asked);
        span.set({ 'http.response.status_code': answer.status });
        if (answer.status >= 400) span.fail(String(answer.status));
        return answer;
      },
      (error) => (error instanceof OutboundError ? error.kind : 'internal_error'),
    );
  };
  return { ...outbound, request };
}
