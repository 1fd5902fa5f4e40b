import { z } from 'zod';

/** A name that people give to something. Postgres stores neither U+0000 nor lone surrogates. */
export const displayName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'No control characters or lone surrogates');
