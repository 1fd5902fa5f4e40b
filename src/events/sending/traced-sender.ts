import { describeServer, type Tracing, traceWork } from '../../platform/telemetry.ts';
import type { Sender } from './sender.ts';

/** The sender with a span for each attempt, which begins a trace: deliveries go by jobs, long after what caused them. */
export function traceSender(tracing: Tracing, sender: Sender): Sender {
  if (!tracing.isOn) return sender;
  return {
    send: (target, message, signal) => {
      const { url, kafka } = target;
      const name = kafka === null ? 'POST event delivery' : 'send event delivery';
      return traceWork(tracing, name, { kind: 'client', isRoot: true }, async (span) => {
        if (span.isRecording) {
          const fields =
            kafka === null
              ? { 'http.request.method': 'POST', ...describeServer(url) }
              : { 'messaging.system': 'kafka', 'messaging.destination.name': kafka.topic };
          span.set({ ...fields, 'gateway.event.id': message.id });
        }
        const sent = await sender.send(target, message, signal);
        span.set({ 'http.response.status_code': sent?.status });
        if (sent === undefined) span.fail('aborted');
        else if (sent.error !== undefined) span.fail(sent.error);
        return sent;
      });
    },
  };
}
