import { z } from 'zod';
import { decodeCursor } from '../lib/cursor.ts';

export const LIMIT_MAX = 200;
export const LIMIT_DEFAULT = 50;

/**
 * The query members of every list, to be spread into a query schema: `z.object({ ...listQuery, status: … })`.
 * `limit` arrives as a number, `cursor` as the position after which to start, undefined on the first page.
 */
export const listQuery = {
  limit: z
    .string()
    .regex(/^\d{1,4}$/, `Must be a whole number from 1 to ${LIMIT_MAX}`)
    .transform(Number)
    .pipe(z.number().int().min(1).max(LIMIT_MAX))
    .default(LIMIT_DEFAULT)
    .meta({
      description: 'How many items to answer at most.',
      override: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
    }),
  cursor: z
    .string()
    .max(400)
    .transform((text, context) => {
      const position = decodeCursor(text);
      if (position) return position;
      context.addIssue({ code: 'custom', message: 'Not a cursor of this list; take it from `nextCursor`' });
      return z.NEVER;
    })
    .optional()
    .meta({ description: 'Where to go on: `nextCursor` of the page before.', override: { type: 'string' } }),
};

/** The member beside the named array in every list reply. */
export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'Give it as `cursor` to get the next page; null on the last one.' });
