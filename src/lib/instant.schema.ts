import { z } from 'zod';
import { isWritable } from './timestamps.ts';

/** A time that a caller gives, with its offset, which may move it into a year that no reply could write. */
export const givenInstant = z.iso
  .datetime({ offset: true })
  .refine((text) => isWritable(Date.parse(text)), 'Must be in the years 0000 to 9999 in UTC, too');
