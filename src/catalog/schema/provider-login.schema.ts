import { z } from 'zod';
import { JWT_ALGORITHMS } from './jwt-algorithms.ts';
import { dottedPath, NO_PLACEHOLDER, sentHeaders, urlTemplate } from './provider-fields.schema.ts';

/** Apple Business Manager takes assertions of 180 days. */
const LIFETIME_SECONDS_MAX = 180 * 24 * 60 * 60;

const template = z.string().min(1).max(2000);

/**
 * One request of a log-in. Texts are templates over the variables, `{clientId}`, `{clientSecret}`, `{jwt}`, `{random}`,
 * `{now}` (`{now+540}`, `{now:ms}`, `{now:iso}`, `{now:date}`), `{base64(a:b)}`, `{refreshToken}` in a refresh,
 * `{accessToken}` in a log-out, and `{step1.name}` for a member of the answer of an earlier step. A header or a member of
 * the body that names an optional variable without a value is left out.
 */
const call = z.strictObject({
  method: z.enum(['POST', 'GET', 'DELETE']).default('POST'),
  url: urlTemplate,
  /** Where `body` stands: `query` puts it behind the address. */
  encoding: z.enum(['form', 'json', 'query']).default('form'),
  headers: sentHeaders(template).default({}),
  body: z.record(z.string().min(1).max(100), z.unknown()).default({}),
});

/** A request by which the gateway logs in. With `awsSigV4` it bears a signature of AWS Signature Version 4. */
const loginCall = call.extend({
  awsSigV4: z
    .strictObject({
      service: template,
      region: template,
      accessKeyId: template.default('{clientId}'),
      secretAccessKey: template.default('{clientSecret}'),
    })
    .optional(),
});

/** What a provider file says of getting access tokens with a key or a password that the gateway keeps. */
export const loginFields = {
  /**
   * A JWT that is signed for each log-in (RFC 7523 section 3), named `{jwt}` in its requests. `iat` and `exp` are added.
   */
  jwt: z
    .strictObject({
      alg: z.enum(JWT_ALGORITHMS).default('RS256'),
      header: z.record(z.string().min(1).max(40), template).default({}),
      claims: z.record(z.string().min(1).max(100), z.unknown()),
      lifetimeSeconds: z.number().int().min(10).max(LIFETIME_SECONDS_MAX).default(300),
      /** How far `iat` lies in the past, for providers that refuse a clock ahead of theirs. */
      issuedSecondsAgo: z.number().int().min(0).max(300).default(0),
      /** The private key (PEM): a variable, or a member of the provider's JSON file. */
      key: template.default('{privateKey}'),
      passphrase: template.optional(),
    })
    .optional(),
  /**
   * The requests by which the gateway logs in: each connection's at first, and again before its token expires. The last
   * answer is read by `tokenResponse`, where `headers.<name>` and `cookies.<name>` are places too. Variables with
   * `from: token-response` are read after every step, by paths such as `step1.instance_url`, and later addresses may name
   * them. Left out with `auth: jwt-bearer`: one form with `grant_type` and `assertion` to `tokenUrl`, with `tokenParams`.
   */
  login: z
    .strictObject({
      steps: z.array(loginCall).min(1).max(4),
      /**
       * Who the operator's client is at the provider, which users' accounts have to let in: asked with the client alone
       * and shown on the form above what users enter. `path` is read in the answer.
       */
      identity: loginCall
        .extend({
          path: dottedPath,
          title: z.string().min(1).max(80),
          description: z.string().min(1).max(300).optional(),
        })
        .optional(),
      /** A request that renews the token by the refresh token of the last answer. Where it is refused, the gateway logs in. */
      refresh: call.optional(),
      /** `text`: the whole last answer is the token. `xml`: all answers are XML; paths name elements from the root. */
      answer: z.enum(['json', 'text', 'xml']).default('json'),
      /** What is kept as the access token: a template over `{accessToken}` and the variables. */
      credential: template.regex(/\{/, NO_PLACEHOLDER).optional(),
      /** Statuses that refuse the credentials. */
      refusedStatuses: z.array(z.int().min(400).max(499)).max(10).default([401, 403]),
      /** Statuses that say that what was connected is gone. */
      goneStatuses: z.array(z.int().min(400).max(499)).max(5).default([]),
    })
    .optional(),
  /** The request that ends the session when a connection is deleted. */
  logout: call.optional(),
  /**
   * An application of the provider's is installed by its user (GitHub Apps): the browser comes back with the
   * installation's id and a code. `list` names, asked with that user's token, the installations that are theirs.
   */
  installation: z
    .strictObject({
      /** The variable, with `from: callback`, that holds the id. */
      variable: z.string().min(1).max(60),
      list: z.strictObject({
        url: urlTemplate,
        headers: sentHeaders(template).default({}),
        itemsPath: dottedPath,
        id: dottedPath,
        pageParameter: z.string().min(1).max(40).default('page'),
      }),
      /** The callback's parameter and value by which an installation waits for the approval of another person. */
      pending: z
        .strictObject({ parameter: z.string().min(1).max(60), value: z.string().min(1).max(60) })
        .optional(),
    })
    .optional(),
};
