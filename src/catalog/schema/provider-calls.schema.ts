import { z } from 'zod';
import { isMessageField } from '../../lib/sent-fields.ts';
import {
  dottedPath,
  headerName,
  NO_PLACEHOLDER,
  parameterName,
  parameters,
  sentHeader,
  sentHeaders,
} from './provider-fields.schema.ts';

const memberName = z.string().min(1).max(100);
/** An hour is longer than any server in front of the gateway waits. */
const timeoutSeconds = z.int().min(1).max(3_600);

/** 401 always refuses, and what is passed on without a body cannot say so. */
const refusingStatus = z
  .int()
  .min(200)
  .max(499)
  .refine((status) => ![204, 205, 304, 401].includes(status));

/** What a provider file says of putting a credential on API calls, and of finding it on those of the provider’s clients. */
export const callFields = {
  /**
   * Basic authentication on API calls: templates over the variables, `{username}` and `{password}` by default; where
   * tokens are issued, over `{accessToken}`, which then takes this place and no other.
   */
  basic: z
    .strictObject({ username: z.string().default('{username}'), password: z.string().default('{password}') })
    .optional(),
  /** How an OAuth access token is put on API calls. */
  accessTokenHeader: sentHeader(
    z.strictObject({
      name: headerName,
      template: z.string().regex(/\{accessToken\}/, NO_PLACEHOLDER),
    }),
  ).prefault({ name: 'Authorization', template: 'Bearer {accessToken}' }),
  /**
   * Headers added to API calls unless the caller sends them, which it may not where they say whom the integration's key acts
   * for. Templates over the variables, `{clientId}`, `{clientSecret}` and `{clientBasic}` (both, joined by a colon, in
   * Base64).
   */
  apiHeaders: sentHeaders(z.string()).default({}),
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
  /**
   * Where the provider's own clients put their credential, besides Authorization: Bearer. The real credential goes where
   * the provider wants it in any case; `carriesCredential` names a header that has to hold it itself, since the API behind
   * reads no other place.
   */
  callerCredentials: z
    .array(
      z.discriminatedUnion('in', [
        z.strictObject({ in: z.literal('scheme'), scheme: z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/) }),
        z.strictObject({
          in: z.literal('header'),
          name: headerName.refine((name) => !isMessageField(name), 'is a header field that the gateway sets'),
          carriesCredential: z.literal(true).optional(),
        }),
        z.strictObject({ in: z.literal('basic'), part: z.enum(['username', 'password']) }),
        /** For clients that sign: `<parameter>=<user token>` in an Authorization of this scheme. */
        z.strictObject({
          in: z.literal('signature'),
          scheme: z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/),
          parameter: z.string().regex(/^[A-Za-z_]+$/),
        }),
      ]),
    )
    .default([]),
  /**
   * How long a call may wait for its answer to begin, and between bytes, where the gateway's settings are too short: a
   * language model may think for minutes.
   */
  timeouts: z
    .strictObject({ firstByteSeconds: timeoutSeconds.optional(), idleSeconds: timeoutSeconds.optional() })
    .optional(),
  /**
   * How answers with another status than 401 say that the credential is refused: by one of these texts at a path of a JSON
   * answer, or in an element of that name of an XML answer. Such an answer counts like a 401.
   */
  callRefused: z
    .strictObject({
      status: z.union([refusingStatus, z.array(refusingStatus).min(1).max(5)]),
      path: dottedPath,
      values: z.array(z.string().min(1).max(200)).min(1).max(20),
    })
    .optional(),
  /** How the API hands out long lists, as most of its operations do. */
  paging: z
    .strictObject({
      /** Names of the members of JSON answers that hold absolute addresses of the same API, such as the next page. */
      links: z.array(memberName).min(1).max(20).optional(),
      /** What leads to the next page: an address, a token, a count of records or the number of a page. */
      style: z.enum(['link', 'cursor', 'offset', 'page', 'none']).optional(),
      /** Where the answer has that, or what says that there is more. */
      next: memberName.optional(),
      /** Parameter of the request that takes it. */
      parameter: memberName.optional(),
      /** Parameter of the request that says how many records a page has. */
      limitParameter: memberName.optional(),
      /** Where the answer has the records. */
      items: memberName.optional(),
    })
    .optional(),
  /**
   * What a refusal for now looks like, for `Gateway-Retry` and for pauses of polls. 429, 502, 503 and 504 and the field
   * `Retry-After` count with every provider.
   */
  retry: z
    .strictObject({
      /** Further statuses that may mean "later"; those that mean other refusals too need a sign of it in the answer. */
      statuses: z.array(z.int().min(400).max(599)).max(5).default([]),
      /** Fields that say how long to wait, in seconds or as `1m30s`; the first that can be read counts. */
      after: z.array(headerName).max(5).default([]),
      /** Fields that say until when: seconds or milliseconds since 1970, or a date. */
      at: z.array(headerName).max(5).default([]),
    })
    .optional(),
  /** What the provider's responses say of its rate limit, beside `Retry-After`. */
  rateLimit: z
    .strictObject({
      /** Whose allowance it is: that of each connection, or of the application, which all its connections share. */
      of: z.enum(['connection', 'integration']).default('connection'),
      /** Statuses that mean "later". */
      statuses: z.array(z.int().min(400).max(599)).max(5).default([429]),
      limit: headerName.optional(),
      remaining: headerName.optional(),
      reset: headerName.optional(),
      /** What `reset` counts: seconds or milliseconds from now, since 1970, a date, a length as `1m30s`, or the whole window. */
      resetUnit: z
        .enum(['seconds', 'ms', 'epoch-seconds', 'epoch-ms', 'iso', 'duration', 'window-ms'])
        .default('seconds'),
      /** One field holds everything: `limit=100, remaining=50, reset=5`. */
      combined: headerName.optional(),
    })
    .optional(),
  /**
   * Fields of answers that callers need and the gateway would drop, because their names read like those of browsers.
   */
  responseHeaders: z.array(headerName).max(30).default([]),
};
