import type { RemoteParent } from '../platform/telemetry.ts';

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * The trace id of a W3C `traceparent` field, or undefined when it is not valid (Trace Context section 3.2: version ff,
 * all-zero ids and, in version 00, anything after the flags are invalid; later versions may be longer).
 */
export function readTraceId(field: string | string[] | undefined): string | undefined {
  return parseTraceParent(field)?.traceId;
}

/** Longer ones need not be kept (Trace Context section 3.3.1.5). */
const STATE_LENGTH_MAX = 512;

/** The caller's span, by the same rules. `state` is its `tracestate`. */
export function parseTraceParent(
  field: string | string[] | undefined,
  state?: string | string[],
): RemoteParent | undefined {
  if (typeof field !== 'string' || field.length > 256) return undefined;
  const [, version, traceId, spanId, flags = '', more] = TRACEPARENT.exec(field) ?? [];
  if (traceId === undefined || spanId === undefined || version === 'ff') return undefined;
  if (version === '00' && more !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const isStateKept = typeof state === 'string' && state.length <= STATE_LENGTH_MAX;
  return { traceId, spanId, flags: Number.parseInt(flags, 16), state: isStateKept ? state : undefined };
}
