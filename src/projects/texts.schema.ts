import { z } from 'zod';

/** Postgres stores neither U+0000 nor lone surrogates, and other control characters have no place in a name. */
function isPlainText(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

const NOT_PLAIN = 'No control characters or lone surrogates';

/** A name that people give to something. */
export const displayName = z.string().trim().min(1).max(100).refine(isPlainText, NOT_PLAIN);

/** The value of an `iss` or `aud` claim. */
export const claimText = z.string().min(1).max(500).refine(isPlainText, NOT_PLAIN);

/** The application's own id of a user: a JWT's `sub`. Characters are code points, as Postgres counts them. */
export const userIdText = z
  .string()
  .min(1)
  .refine((text) => [...text].length <= 255, 'At most 255 characters')
  .refine(isPlainText, NOT_PLAIN);
