import type { IncomingMessage } from 'node:http';
import { HttpError } from './errors.ts';

/** The strong entity tag (RFC 9110 section 8.8.3) of a resource whose row carries a version number. */
export function formatEtag(version: number | string): string {
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

/** More changes of one thing at the same time than this are too many. */
const TRIES_MAX = 20;

/**
 * Does the work of a request, again where another change of the same thing came between its read and its write: a caller
 * without `If-Match` accepts whatever is there. `work` must read again each time, and leave nothing behind when it throws
 * `precondition_failed`. Throws `overloaded` where others are faster again and again.
 */
export async function repeatOvertaken<Result>(
  request: Pick<IncomingMessage, 'headers'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const wanted = request.headers['if-match'];
  if (wanted !== undefined && wanted.trim() !== '*') return work();
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof HttpError) || error.code !== 'precondition_failed') throw error;
    }
  }
  throw new HttpError('overloaded');
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
