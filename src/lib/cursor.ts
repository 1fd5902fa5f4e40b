import { isUuid } from './ids.ts';

/** Where a page ended: lists are newest first by id (UUIDv7 sorts by creation), or by `createdAt` and then id. */
export type CursorPosition = { readonly id: string; readonly createdAt?: Date };

const VERSION = 1;

/**
 * An opaque cursor: the row after which the next page starts. It names a row, not a number of rows, so that rows
 * that are added or deleted meanwhile neither repeat nor hide others.
 */
export function encodeCursor(position: CursorPosition): string {
  const fields = [VERSION, position.id, ...(position.createdAt ? [position.createdAt.toISOString()] : [])];
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

/** The position in a cursor, or undefined when it is none of ours. */
export function decodeCursor(cursor: string): CursorPosition | undefined {
  const fields = parse(cursor);
  if (!Array.isArray(fields)) return undefined;
  const [version, id, createdAt, ...more]: unknown[] = fields;
  if (version !== VERSION || typeof id !== 'string' || !isUuid(id) || more.length > 0) return undefined;
  if (createdAt === undefined) return { id };
  const date = typeof createdAt === 'string' ? new Date(createdAt) : new Date(Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : { id, createdAt: date };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

export type Page<Row> = { readonly items: Row[]; readonly nextCursor: string | null };

/**
 * Cuts a page out of rows that were read newest first with `LIMIT limit + 1`: the row too many tells that there is
 * a next page. `positionOf` is the row's id by default; give `createdAt` too where the list is ordered by it.
 */
export function page<Row extends { readonly id: string }>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => CursorPosition = (row) => ({ id: row.id }),
): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? encodeCursor(positionOf(last)) : null };
}
