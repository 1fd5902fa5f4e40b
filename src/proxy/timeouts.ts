import type { ServerResponse } from 'node:http';
import type { ResolvedConnection, WaitLimits } from './contract.ts';
import type { Attempt } from './exchange.ts';
import type { TimeoutKind } from './failures.ts';

/** The limits of one call. A place in a full pool is waited for no longer where the answer may take its time. */
export type CallLimits = WaitLimits & { readonly queueTimeoutMs: number };

/** The limits of a call for which neither its caller nor the catalog sets others. */
export function defaultLimits(settings: WaitLimits): CallLimits {
  const { connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs } = settings;
  return { connectTimeoutMs, queueTimeoutMs: firstByteTimeoutMs, firstByteTimeoutMs, idleTimeoutMs };
}

export type Wait = { readonly kind: TimeoutKind; readonly limitMs: number };

/**
 * The limits of one call: what its caller asks for, else what the catalog says of the provider, else the settings. The
 * times for a free connection and to connect are always those of the settings.
 */
export function callLimits(
  usual: CallLimits,
  provider: ResolvedConnection['timeouts'],
  askedSeconds: number | undefined,
): CallLimits {
  if (provider === undefined && askedSeconds === undefined) return usual;
  const askedMs = milliseconds(askedSeconds);
  return {
    ...usual,
    firstByteTimeoutMs: askedMs ?? milliseconds(provider?.firstByteSeconds) ?? usual.firstByteTimeoutMs,
    idleTimeoutMs: askedMs ?? milliseconds(provider?.idleSeconds) ?? usual.idleTimeoutMs,
  };
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

/** What an attempt waits for now, and how long it may. */
export function chooseWait(attempt: Attempt, isRelaying: boolean, limits: CallLimits): Wait {
  const kind = isRelaying ? 'idle' : (attempt.exchange?.waitsFor() ?? 'queue');
  return { kind, limitMs: limitOf(kind, limits) };
}

function limitOf(kind: TimeoutKind, limits: CallLimits): number {
  if (kind === 'connect') return limits.connectTimeoutMs;
  if (kind === 'queue') return limits.queueTimeoutMs;
  return kind === 'first_byte' ? limits.firstByteTimeoutMs : limits.idleTimeoutMs;
}

/** Bytes moved so far on both connections; those that merely lie in the caller's send buffer do not count. */
export function bytesMoved(attempt: Attempt | undefined, response: ServerResponse): number {
  const caller = response.socket;
  const toCaller = caller ? caller.bytesWritten - caller.writableLength : 0;
  return toCaller + (attempt?.exchange?.bytesMoved ?? 0);
}
