import { z } from 'zod';
import { isUuid } from './ids.ts';
import { plainDigits } from './plain-digits.ts';

const VERSION = 1;
const LIMIT_MAX = 200;
const LIMIT_DEFAULT = 50;

/**
 * An opaque cursor: the id of the row after which the next page starts. Ids are UUIDv7, so newest first is simply
 * `ORDER BY id DESC`. It names a row, not a number of rows, so that rows which come or go meanwhile neither repeat
 * nor hide others.
 */
export function encodeCursor(id: string): string {
  return Buffer.from(JSON.stringify([VERSION, id])).toString('base64url');
}

/** The row id in a cursor: read on with `id < $1`. Undefined when there is no cursor or this server did not make it. */
export function decodeCursor(cursor: string | undefined): string | undefined {
  const fields = cursor === undefined ? undefined : parse(cursor);
  if (!Array.isArray(fields) || fields.length !== 2) return undefined;
  const [version, id]: unknown[] = fields;
  return version === VERSION && typeof id === 'string' && isUuid(id) ? id : undefined;
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

const pageLimit = plainDigits(
  z
    .number()
    .int()
    .min(1)
    .max(LIMIT_MAX)
    .default(LIMIT_DEFAULT)
    .meta({ description: 'How many items to answer at most.' }),
);

/**
 * The query members of every list, to be spread into a query schema: `z.strictObject({ ...listQuery, status: … })`.
 * `limit` arrives as a number; a cursor that this server did not make is refused here, so `decodeCursor` may trust the
 * rest.
 */
export const listQuery = {
  limit: pageLimit,
  cursor: z
    .string()
    .max(400)
    .refine((text) => decodeCursor(text) !== undefined, 'Not a cursor of this API; take it from `nextCursor`')
    .optional()
    .meta({ description: 'Where to go on: `nextCursor` of the page before.' }),
};

export type Page<Row> = { readonly items: Row[]; readonly nextCursor: string | null };

/**
 * Reads a page of a list. `read` answers at most `limit` rows, newest first, those below `beforeId` where that is set.
 */
export async function readPage<Row extends { readonly id: string }>(
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  read: (window: {
    readonly beforeId: string | undefined;
    readonly limit: number;
  }) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  return cutPage(await read({ beforeId: decodeCursor(cursor), limit: limit + 1 }), limit);
}

/**
 * Cuts a page out of rows that were read newest first with `LIMIT limit + 1`: the row too many shows that there is
 * a next page.
 */
function cutPage<Row extends { readonly id: string }>(rows: readonly Row[], limit: number): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? encodeCursor(last.id) : null };
}
