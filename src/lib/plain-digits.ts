import { z } from 'zod';

/**
 * A number of a query, which arrives as text. Plain digits only: what else `Number` understands (`1e2`, `0x10`, blanks) is
 * a mistake of the caller.
 */
export function plainDigits<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : text),
    schema,
  );
}
