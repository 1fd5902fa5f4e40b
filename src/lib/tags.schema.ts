import { z } from 'zod';
import { hasAtMost } from './code-points.ts';

export const TAGS_MAX = 20;
const KEY_LENGTH_MAX = 64;
const VALUE_LENGTH_MAX = 255;

/** Postgres stores neither U+0000 nor lone surrogates, and other control characters have no place in a label. */
const isPlain = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

/** The key of one tag. */
export const tagKey = z
  .string()
  .min(1)
  .refine((text) => hasAtMost(text, KEY_LENGTH_MAX), `Keys have at most ${KEY_LENGTH_MAX} characters`)
  .refine((text) => isPlain(text), 'No control characters or lone surrogates')
  // What these name is part of every object of JavaScript.
  .refine((text) => text !== '__proto__', 'This key is not allowed');
const tagValue = z
  .string()
  .refine((text) => hasAtMost(text, VALUE_LENGTH_MAX), `Values have at most ${VALUE_LENGTH_MAX} characters`)
  .refine((text) => isPlain(text), 'No control characters or lone surrogates');

export type Tags = Readonly<Record<string, string>>;

/** Labels that an application puts on connections. */
export const tagsSchema = z
  .record(tagKey, tagValue)
  .refine((tags) => Object.keys(tags).length <= TAGS_MAX, `At most ${TAGS_MAX} tags`);

/** The same as a JSON Merge Patch (RFC 7396): null takes a tag away. */
export const tagsPatchSchema = z
  .record(tagKey, tagValue.nullable())
  .refine((tags) => Object.keys(tags).length <= 2 * TAGS_MAX, `At most ${2 * TAGS_MAX} changes`);

/** `?tag.plan=pro`: what has all of the given tags. */
export const tagQuery = {
  tag: tagsSchema.optional().meta({
    description:
      'By tags of connections: `?tag.plan=pro`, or `?tag[plan]=pro`. Of several, all have to be there.',
  }),
};

/** Tags after a patch; undefined where there would be too many. */
export function patchTags(tags: Tags, patch: Readonly<Record<string, string | null>>): Tags | undefined {
  const merged = Object.entries({ ...tags, ...patch }).flatMap(([key, value]) =>
    value === null ? [] : [[key, value] as const],
  );
  return merged.length > TAGS_MAX ? undefined : Object.fromEntries(merged);
}
