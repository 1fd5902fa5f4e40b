import { z } from 'zod';

/** A path behind the API's address, as callers write it: `*` is one segment, `**` at the end the rest. */
const accessPaths = z
  .array(
    z
      .string()
      .max(200)
      .regex(/^\/[\x21-\x7e]*$/, 'begins with a slash'),
  )
  .min(1)
  .max(200);

/** What requests do beyond what their methods say, for mandates that allow reading alone. */
export const accessFields = {
  /** POSTs that only read, such as searches. */
  reads: accessPaths.optional(),
  /** GETs that change something. */
  writes: accessPaths.optional(),
  /** Requests that carry other requests or many records inside. */
  batch: accessPaths.optional(),
  /** Where GraphQL is spoken: bodies decide whether a request reads. */
  graphql: accessPaths.optional(),
};
