import { type Tags, tagsSchema } from '../../lib/tags.schema.ts';
import { readUserToken } from './user-jwt.ts';

/**
 * Tags that a project takes from claims of a user's token, which has been verified; claims that are no text, number or yes or no,
 * or too long for a tag, are left out. An agent's own access token has no claims.
 */
export function readClaimedTags(token: string | undefined, names: readonly string[]): Tags {
  if (names.length === 0) return {};
  const claims = readUserToken(token ?? '')?.payload ?? {};
  const tags = names.flatMap((name) => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    if (!['string', 'number', 'boolean'].includes(typeof value)) return [];
    const tag = tagsSchema.safeParse({ [name]: String(value) });
    return tag.success ? Object.entries(tag.data) : [];
  });
  return Object.fromEntries(tags);
}

/** The claims of a token that these tags were read from, as they stand. */
export function pickTagClaims(token: string, names: readonly string[]): Readonly<Record<string, unknown>> {
  const claims = readUserToken(token)?.payload ?? {};
  return Object.fromEntries(Object.keys(readClaimedTags(token, names)).map((name) => [name, claims[name]]));
}
