import { readUserToken } from '../identity/user-jwt/user-jwt.ts';
import { TAGS_MAX, type Tags, tagsSchema } from '../lib/tags.schema.ts';

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

/** Those of the token count more than what its user asks for; undefined where there are too many. */
export function joinTags(asked: Tags | undefined, claimed: Tags): Tags | undefined {
  const joined = { ...asked, ...claimed };
  return Object.keys(joined).length > TAGS_MAX ? undefined : joined;
}
