import { createHash, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../lib/is-record.ts';

/** A member that differs: by its path, steps joined by dots. */
export type Difference = { readonly path: string; readonly from: unknown; readonly to: unknown };

/** The members of `after` that differ from `before`; within them, also what only one of the two has. */
export function compareFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Difference[] {
  return Object.keys(after).flatMap((name) => compareValues(name, before[name] ?? null, after[name] ?? null));
}

function compareValues(path: string, from: unknown, to: unknown): Difference[] {
  if (isRecord(from) && isRecord(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) => compareValues(`${path}.${name}`, from[name] ?? null, to[name] ?? null));
  }
  return isDeepStrictEqual(from, to) ? [] : [{ path, from, to }];
}

export function digest(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

/** In a time that says nothing of where two secrets differ. */
export function isSameSecret(left: string, right: string): boolean {
  return isSameDigest(digest(left), digest(right));
}

export function isSameDigest(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** SHA-256 of a value, whatever the order of members. */
export function hashValue(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sortMembers)).digest('base64url');
}

function sortMembers(_name: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The value at a path of steps joined by dots; undefined where there is none. Names with dots are found as well. */
export function valueAt(root: unknown, path: string): unknown {
  if (typeof root !== 'object' || root === null) return undefined;
  for (const [name, value] of Object.entries(root)) {
    if (name === path) return value;
    const found = path.startsWith(`${name}.`) ? valueAt(value, path.slice(name.length + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
