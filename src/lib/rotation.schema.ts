import { z } from 'zod';
import { givenInstant } from './instant.schema.ts';

const DAY_SECONDS = 24 * 60 * 60;

/** An end that is given for a new credential. */
export const futureInstant = givenInstant.refine(
  (text) => Date.parse(text) > Date.now(),
  'Must be in the future',
);

/** For how long what is rotated goes on working; `noun` is what it is. */
export function createOverlapSeconds(noun: 'key' | 'token') {
  return z
    .number()
    .int()
    .min(0)
    .max(30 * DAY_SECONDS)
    .default(DAY_SECONDS)
    .meta({ description: `How long the old ${noun} goes on working beside the new one.` });
}
