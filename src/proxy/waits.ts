import type { ServerResponse } from 'node:http';
import type { ProxyLimits } from './contract.ts';
import type { Attempt } from './exchange.ts';
import type { TimeoutKind } from './failures.ts';

export type Wait = { readonly kind: TimeoutKind; readonly limitMs: number };

/** What an attempt waits for at the moment, and how long it may. */
export function waitOf(attempt: Attempt, isRelaying: boolean, limits: ProxyLimits): Wait {
  const kind = isRelaying ? 'idle' : (attempt.exchange?.waitsFor() ?? 'queue');
  return { kind, limitMs: limitOf(kind, limits) };
}

function limitOf(kind: TimeoutKind, limits: ProxyLimits): number {
  if (kind === 'connect') return limits.connectTimeoutMs;
  return kind === 'queue' || kind === 'first_byte' ? limits.firstByteTimeoutMs : limits.idleTimeoutMs;
}

/** Bytes moved so far on both connections; those that merely lie in the caller's send buffer do not count. */
export function bytesMoved(attempt: Attempt | undefined, response: ServerResponse): number {
  const caller = response.socket;
  const toCaller = caller ? caller.bytesWritten - caller.writableLength : 0;
  return toCaller + (attempt?.exchange?.bytesMoved ?? 0);
}
