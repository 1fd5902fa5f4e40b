import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** A new UUIDv7 (RFC 9562): sorts by creation time, so newest-first lists need no second column. */
export function newId(): string {
  return v7();
}

const RANDOM_BYTES = 4096;
/** Hexadecimal digits that one id takes: 18 of its own, and one that becomes the variant. */
const DIGITS = 19;
const VARIANTS = '89ab';
const CODE_OF_A = 0x61;
const pool = Buffer.alloc(RANDOM_BYTES);
let digits = '';
let taken = 0;
let prefix = { ms: 0, text: '' };

/**
 * A UUIDv7 as `newId`, for what is made with every proxied call: at a small part of the time, and in no order within a
 * millisecond. Random digits are drawn for four hundred ids at once, as text: `randomUUID` puts
 * each together from bytes.
 */
export function newRequestId(): string {
  const ms = Date.now();
  if (ms !== prefix.ms) {
    const hex = ms.toString(16).padStart(12, '0');
    prefix = { ms, text: `${hex.slice(0, 8)}-${hex.slice(8)}-7` };
  }
  if (taken + DIGITS > digits.length) {
    digits = randomFillSync(pool).toString('hex');
    taken = 0;
  }
  const at = taken;
  taken += DIGITS;
  const code = digits.charCodeAt(at);
  // The last two bits of the digit: letters follow one place further on than their values do.
  const variant = VARIANTS.charAt((code < CODE_OF_A ? code : code + 1) & 3);
  return `${prefix.text}${digits.slice(at + 1, at + 4)}-${variant}${digits.slice(at + 4, at + 7)}-${digits.slice(at + 7, at + DIGITS)}`;
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
