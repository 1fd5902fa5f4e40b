import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';

/**
 * Throws where an end user sets tags that the project takes from claims of users' tokens: they choose who hears of events
 * and how calls are counted.
 */
export function assertOwnTags(
  { kind }: Pick<Principal, 'kind'>,
  tags: Readonly<Record<string, unknown>>,
  claimed: readonly string[],
): void {
  if (kind !== 'end_user') return;
  const refused = Object.keys(tags).filter((key) => claimed.includes(key));
  if (refused.length === 0) return;
  throw new HttpError('invalid_request', {
    errors: refused.map((key) => ({ path: `body.tags.${key}`, message: 'comes from the token of the user' })),
  });
}
