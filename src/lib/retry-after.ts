/** Shopify and others write fractions, which the standard does not know. */
const SECONDS = /^\d{1,9}(?:\.\d{1,6})?$/;
/** The obsolete form of a date that names no zone: `Date.parse` would take it for the time of this machine. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/**
 * Milliseconds that a `Retry-After` field asks to wait (RFC 9110 section 10.2.3: seconds or a date), never negative;
 * undefined where there is none or it cannot be read.
 */
export function readRetryAfterMs(field: string | undefined, nowMs: number): number | undefined {
  if (field === undefined) return undefined;
  if (SECONDS.test(field)) return Math.ceil(Number(field) * 1000);
  // Of a number, `Date.parse` makes a date long past.
  if (!field.includes(':')) return undefined;
  const atMs = Date.parse(ASCTIME.test(field) ? `${field} GMT` : field);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
