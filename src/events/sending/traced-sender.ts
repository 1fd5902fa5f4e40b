import { describeServer, type Tracing, traceWork } from '../../platform/telemetry.ts';
import type { Sender } from './sender.ts';

/** The sender with a span for each attempt, which begins a trace: deliveries go by jobs, long after what caused them. */
export function traceSender(tracing: Tracing, sender: Sender): Sender {
  if (!tracing.isOn) return sender;
  return {
    send: (url, message, signal) =>
      traceWork(tracing, 'POST event delivery', { kind: 'client', isRoot: true }, async (span) => {
        if (span.isRecording) {
          span.set({ 'http.request.method': 'POST', ...describeServer(url), 'gateway.event.id': message.id });
        }
        const sent = await sender.send(url, message, signal);
        span.set({ 'http.response.status_code': sent?.status });
        if (sent === undefined) span.fail('aborted');
        else if (sent.error !== undefined) span.fail(sent.error);
        return sent;
      }),
  };
}
