const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * The trace id of a W3C `traceparent` field, or undefined when it is not valid (Trace Context section 3.2: version ff,
 * all-zero ids and, in version 00, anything after the flags are invalid; later versions may be longer).
 */
export function readTraceId(field: string | string[] | undefined): string | undefined {
  if (typeof field !== 'string' || field.length > 256) return undefined;
  const [, version, traceId, parentId, , more] = TRACEPARENT.exec(field) ?? [];
  if (traceId === undefined || parentId === undefined || version === 'ff') return undefined;
  if (version === '00' && more !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  return traceId;
}
