import { z } from 'zod';
import { headerName, parameterName, parameters } from './provider-fields.schema.ts';

/** What a provider file says of putting a credential on API calls, and of finding it on those of the provider’s clients. */
export const callFields = {
  /** Basic authentication on API calls: templates over the variables, `{username}` and `{password}` by default. */
  basic: z
    .strictObject({ username: z.string().default('{username}'), password: z.string().default('{password}') })
    .optional(),
  /** How an OAuth access token is put on API calls. */
  accessTokenHeader: z
    .strictObject({ name: headerName, template: z.string().includes('{accessToken}') })
    .prefault({ name: 'Authorization', template: 'Bearer {accessToken}' }),
  /**
   * Headers added to API calls unless the caller sends them. Templates over the variables, `{clientId}`,
   * `{clientSecret}` and `{clientBasic}` (both, joined by a colon, in Base64).
   */
  apiHeaders: z.record(headerName, z.string()).default({}),
  /**
   * Query parameters added to API calls unless the caller sends them. Templates like those of apiHeaders; one that names
   * `{accessToken}` carries the token in the place of `accessTokenHeader`.
   */
  apiQuery: parameters.default({}),
  /**
   * Query parameter of API calls that proves the client behind a token: the HMAC-SHA256 of the access token with the
   * client secret, in hexadecimal (Meta's appsecret_proof). `unless`: the parameter by which a caller brings another
   * token, for which the proof would be wrong.
   */
  accessTokenProof: z.strictObject({ parameter: parameterName, unless: parameterName.optional() }).optional(),
  /** Where the provider's own clients put their credential, besides Authorization: Bearer. */
  callerCredentials: z
    .array(
      z.discriminatedUnion('in', [
        z.strictObject({ in: z.literal('scheme'), scheme: z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/) }),
        z.strictObject({ in: z.literal('header'), name: headerName }),
        z.strictObject({ in: z.literal('basic'), part: z.enum(['username', 'password']) }),
      ]),
    )
    .default([]),
};
