import { TAGS_MAX, type Tags } from '../lib/tags.schema.ts';

/** Those of the token count more than what its user asks for; undefined where there are too many. */
export function joinTags(asked: Tags | undefined, claimed: Tags): Tags | undefined {
  const joined = { ...asked, ...claimed };
  return Object.keys(joined).length > TAGS_MAX ? undefined : joined;
}
