import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** A new UUIDv7 (RFC 9562): sorts by creation time, so newest-first lists need no second column. */
export function newId(): string {
  return v7();
}

let prefix = { ms: 0, text: '' };

/**
 * A UUIDv7 as `newId`, for what is made with every proxied call: forty times as fast, and in no order within a
 * millisecond.
 */
export function newRequestId(): string {
  const ms = Date.now();
  if (ms !== prefix.ms) {
    const hex = ms.toString(16).padStart(12, '0');
    prefix = { ms, text: `${hex.slice(0, 8)}-${hex.slice(8)}-7` };
  }
  return prefix.text + randomUUID().slice(15);
}

/** Below every UUIDv7 that is made at this time or later, and above every one that was made before. */
export function createIdBound(timeMs: number): string {
  const hex = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** True for a UUID in its usual text form, in either case. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}
