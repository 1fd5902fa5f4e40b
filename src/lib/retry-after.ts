/**
 * Milliseconds that a `Retry-After` field asks to wait (RFC 9110 section 10.2.3: seconds or a date), never negative;
 * undefined where there is none or it cannot be read.
 */
export function readRetryAfterMs(field: string | undefined, nowMs: number): number | undefined {
  if (field === undefined) return undefined;
  if (/^\d{1,9}$/.test(field)) return Number(field) * 1000;
  const atMs = Date.parse(field);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
