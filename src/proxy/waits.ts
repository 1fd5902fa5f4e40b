import type { ServerResponse } from 'node:http';
import type { ProxyLimits } from './contract.ts';
import type { TimeoutKind } from './failures.ts';
import type { Attempt } from './forward.ts';
import type { RequestBody } from './request-body.ts';

export type Wait = { readonly kind: TimeoutKind; readonly limitMs: number };

/** What an attempt waits for at the moment, read off its connection, and how long it may. */
export function waitOf(attempt: Attempt, body: RequestBody, isRelaying: boolean, limits: ProxyLimits): Wait {
  if (isRelaying) return { kind: 'idle', limitMs: limits.idleTimeoutMs };
  const socket = attempt.outgoing?.socket;
  if (!socket) return { kind: 'queue', limitMs: limits.firstByteTimeoutMs };
  const isTlsPending = 'secureConnecting' in socket && socket.secureConnecting === true;
  if (socket.connecting || isTlsPending) return { kind: 'connect', limitMs: limits.connectTimeoutMs };
  if (body.isComplete) return { kind: 'first_byte', limitMs: limits.firstByteTimeoutMs };
  const isProviderSlow = attempt.outgoing?.writableNeedDrain === true;
  return { kind: isProviderSlow ? 'idle' : 'caller_idle', limitMs: limits.idleTimeoutMs };
}

/** Bytes moved so far on both connections; those that merely lie in the caller's send buffer do not count. */
export function bytesMoved(attempt: Attempt | undefined, response: ServerResponse): number {
  const upstream = attempt?.outgoing?.socket;
  const caller = response.socket;
  const toCaller = caller ? caller.bytesWritten - caller.writableLength : 0;
  return toCaller + (upstream ? upstream.bytesRead + upstream.bytesWritten : 0);
}
