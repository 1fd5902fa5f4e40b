import type { ProxiedCall } from './contract.ts';

/** Takes one line, newline included; meant to be a buffered, asynchronous destination. */
export type LineSink = { write(line: string): unknown };

/** Characters that JSON would escape; all other characters of the fields are printable ASCII. */
const NEEDS_ESCAPE = /[^\x20-\x7e]|["\\]/;

/**
 * One line of JSON per finished call, in pino's form (level 30), put together by hand: a serializer that looks at every
 * value costs more than the whole look-up of user, connection and credential.
 */
export function createAccessLog(sink: LineSink, now: () => number): (call: ProxiedCall) => void {
  return (call) => {
    sink.write(
      `{"level":30,"time":${now()},"requestId":"${call.requestId}","projectId":${text(call.projectId)},"provider":${text(call.provider)}${
        call.connectionId === undefined ? '' : `,"connectionId":"${call.connectionId}"`
      },"method":${text(call.method)},"path":${text(call.path)},"status":${call.status}${
        call.error === undefined ? '' : `,"error":"${call.error}"`
      },"durationMs":${call.durationMs},"attempts":${call.attempts},"msg":"proxied call"}\n`,
    );
  };
}

function text(value: string): string {
  return NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
}
