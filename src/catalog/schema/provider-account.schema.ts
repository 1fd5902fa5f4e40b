import { z } from 'zod';
import { dottedPath, sentHeaders, urlTemplate } from './provider-fields.schema.ts';

/** Where a piece of the account's identity stands. */
const accountField = z.strictObject({
  from: z.enum(['token-response', 'id-token', 'callback', 'request', 'variable']).default('token-response'),
  path: z.union([dottedPath, z.array(dottedPath).min(1)]),
  /** Of several paths: all that lead somewhere, joined ("Ada" "Lovelace"), or the first that does. */
  take: z.enum(['all', 'first']).default('all'),
  /** A regular expression whose first group is the wanted part of the value. */
  pattern: z.string().max(200).optional(),
});

/** What a provider file says of finding out whose account was connected. */
export const accountFields = {
  account: z
    .strictObject({
      id: accountField,
      name: accountField.optional(),
      /** Made once after authorization, with the connection's credential, for fields with from: request. */
      request: z
        .strictObject({
          url: urlTemplate,
          method: z.enum(['GET', 'POST']).default('GET'),
          headers: sentHeaders(z.string()).default({}),
          /** JSON of a POST (a GraphQL query). */
          body: z.record(z.string(), z.unknown()).optional(),
        })
        .optional(),
    })
    .optional(),
};
