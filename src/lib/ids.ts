import { v7 } from 'uuid';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** A new UUIDv7 (RFC 9562): sorts by creation time, so newest-first lists need no second column. */
export function newId(): string {
  return v7();
}

/** True for a UUID in its usual text form, in either case. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}
