import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isForeignKeyViolation } from '../platform/postgres/store-errors.ts';
import { HttpError } from './errors.ts';

const DIGEST_LENGTH = 16;
const digest = (text: string) =>
  createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH);

/** The strong entity tag (RFC 9110 section 8.8.3) of a resource whose row carries a version number. */
export function formatEtag(version: number | string): string {
  return `"${version}"`;
}

/** The same of a resource without a version: its fields that callers may change. */
export function formatEtagOfState(...state: readonly unknown[]): string {
  return formatEtag(digest(JSON.stringify(state)));
}

/**
 * The tag of a version as it was sent. Times of use and counts move within one version, and a caller that holds other
 * ones must not be answered 304; `assertIfMatch` asks for the version alone, since a call that was counted overwrites nothing.
 */
export function tagRepresentation(etag: string, text: string): string {
  return `${etag.slice(0, -1)}.${digest(text)}"`;
}

/**
 * Protects a change from overwriting another principal's (RFC 9110 section 13.1.1). No `If-Match` means that the caller
 * accepts whatever is there. Throws `precondition_failed`, which carries the current tag.
 */
export function assertIfMatch(request: Pick<IncomingMessage, 'headers'>, etag: string): void {
  const wanted = request.headers['if-match'];
  if (wanted === undefined || wanted.trim() === '*') return;
  // Strong comparison: a weak tag never matches.
  if (tagsOf(wanted).some((tag) => tag.replace(/\.[^.]*"$/, '"') === etag)) return;
  throw new HttpError('precondition_failed', { headers: { ETag: etag } });
}

/** More changes of one thing at the same time than this are too many. */
const TRIES_MAX = 20;

/**
 * Does the work of a request, again where another change of the same thing came between its read and its write: a caller
 * without `If-Match` accepts whatever is there. Where a row that the work points at was erased in between, it is done once
 * more, and finds that row missing by its own read. `work` must read again each time, and leave nothing behind when it
 * throws. Throws `overloaded` where others are faster again and again.
 */
export async function repeatOvertaken<Result>(
  request: Pick<IncomingMessage, 'headers'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const wanted = request.headers['if-match'];
  const mayBeOvertaken = wanted === undefined || wanted.trim() === '*';
  let hasLostWhatItNames = false;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (isForeignKeyViolation(error) && !hasLostWhatItNames) hasLostWhatItNames = true;
      else if (!mayBeOvertaken || !isOvertaken(error)) throw error;
    }
  }
  throw new HttpError('overloaded');
}

function isOvertaken(error: unknown): boolean {
  return error instanceof HttpError && error.code === 'precondition_failed';
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
