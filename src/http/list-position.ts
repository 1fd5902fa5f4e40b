import { z } from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import { HttpError } from './errors.ts';

/** The query member of a list whose items have no id of a row, in the place of the one of `listQuery`. */
export const positionCursor = z
  .string()
  .max(400)
  .optional()
  .meta({ description: 'Where to go on: `nextCursor` of the page before.' });

/** A cursor that holds what the last item of a page was sorted by. */
export function encodePosition(position: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** What `encodePosition` was given; undefined without a cursor. Throws `invalid_request` for one of another list. */
export function decodePosition<Position extends z.ZodType>(
  schema: Position,
  cursor: string | undefined,
): z.output<Position> | undefined {
  if (cursor === undefined) return undefined;
  const parsed = schema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (parsed.success) return parsed.data;
  const message = 'Not a cursor of this list; take it from `nextCursor`';
  throw new HttpError('invalid_request', { errors: [{ path: 'query.cursor', message }] });
}
