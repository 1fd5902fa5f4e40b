import { z } from 'zod';
import { hasAtMost } from '../lib/code-points.ts';
import type { UrlValidation } from './web-addresses.ts';

/** Postgres stores neither U+0000 nor lone surrogates, and other control characters have no place in a name. */
function isPlainText(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

const NOT_PLAIN = 'No control characters or lone surrogates';

/** A name that people give to something. */
export const displayName = z.string().trim().min(1).max(100).refine(isPlainText, NOT_PLAIN);

/** The value of an `iss` or `aud` claim. */
export const claimText = z.string().min(1).max(500).refine(isPlainText, NOT_PLAIN);

/**
 * Operators' own test connections stand under `operator:<operator id>`. A user token with such a `sub` would reach
 * them, so that no application may give its users ids of this form.
 */
const RESERVED_USER_ID_PREFIX = 'operator:';

/** The user id under which an operator's own test connections stand. */
export function operatorSubject(operatorId: string): string {
  return `${RESERVED_USER_ID_PREFIX}${operatorId}`;
}

export function isReservedUserId(userId: string): boolean {
  return userId.startsWith(RESERVED_USER_ID_PREFIX);
}

/** The application's own id of a user: a JWT's `sub`. */
export const userIdText = z
  .string()
  .min(1)
  .refine((text) => hasAtMost(text, 255), 'At most 255 characters')
  .refine(isPlainText, NOT_PLAIN);

/** The application's own id of an organization: a JWT's `org`. */
export const organizationIdText = userIdText;

/** The id of a user that the application names: any but the reserved ones. */
export const ownUserIdText = userIdText.refine(
  (text) => !isReservedUserId(text),
  `Ids that begin with \`${RESERVED_USER_ID_PREFIX}\` are reserved for operators' test connections`,
);

/** A text that is valid where `judge` says so, in whose words a fault is. */
export function judgedText(judge: (text: string) => UrlValidation) {
  return z.string().superRefine((text, context) => {
    const judgement = judge(text);
    if (!judgement.ok) context.addIssue({ code: 'custom', message: judgement.message });
  });
}
