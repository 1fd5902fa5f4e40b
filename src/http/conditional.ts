import type { IncomingMessage } from 'node:http';
import { HttpError } from './errors.ts';

/** The strong entity tag (RFC 9110 section 8.8.3) of a resource whose row carries a version number. */
export function etagOf(version: number | string): string {
  return `"${version}"`;
}

/**
 * Protects a change from overwriting another principal's (RFC 9110 section 13.1.1). No `If-Match` means that the caller
 * accepts whatever is there. Throws `precondition_failed`, which carries the current tag.
 */
export function assertIfMatch(request: Pick<IncomingMessage, 'headers'>, etag: string): void {
  const wanted = request.headers['if-match'];
  if (wanted === undefined || wanted.trim() === '*') return;
  // Strong comparison: a weak tag never matches.
  if (tagsOf(wanted).includes(etag)) return;
  throw new HttpError('precondition_failed', { headers: { ETag: etag } });
}

/** True when the caller already has this representation (RFC 9110 section 13.1.2, weak comparison). */
export function matchesIfNoneMatch(request: Pick<IncomingMessage, 'headers'>, etag: string): boolean {
  const held = request.headers['if-none-match'];
  if (held === undefined) return false;
  if (held.trim() === '*') return true;
  return tagsOf(held).some((tag) => tag.replace(/^W\//, '') === etag.replace(/^W\//, ''));
}

function tagsOf(field: string): string[] {
  return field.match(/(?:W\/)?"[^"]*"/g) ?? [];
}
