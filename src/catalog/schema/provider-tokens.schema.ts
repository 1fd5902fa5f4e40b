import { z } from 'zod';
import { JWT_ALGORITHMS } from './jwt-algorithms.ts';
import {
  dottedPath,
  parameterName,
  parameters,
  sentHeaders,
  TOKEN_ENDPOINT_AUTH,
  urlTemplate,
} from './provider-fields.schema.ts';

/** How a request for tokens is put, where that is not RFC 6749 4.1.3: a form, posted. */
const tokenRequest = {
  /** With GET, and with `in: query`, the parameters stand in the query. */
  method: z.enum(['POST', 'GET']),
  in: z.enum(['body', 'query']),
  encoding: z.enum(['form', 'json']),
  headers: sentHeaders(z.string()),
  /** The provider's names for registered parameters: `{ client_id: app_id, client_secret: secret }`. */
  parameterNames: z.record(parameterName, parameterName),
  /** Registered parameters that the provider refuses to see. */
  omit: z.array(parameterName),
};

/** What a provider file says of getting tokens, renewing them and giving them back. */
export const tokenFields = {
  tokenRequest: z
    .strictObject({
      method: tokenRequest.method.default('POST'),
      in: tokenRequest.in.default('body'),
      encoding: tokenRequest.encoding.default('form'),
      headers: tokenRequest.headers.default({}),
      parameterNames: tokenRequest.parameterNames.default({}),
      omit: tokenRequest.omit.default([]),
    })
    .prefault({}),
  /** What of `tokenRequest` and `tokenEndpointAuth` is different when a token is refreshed; each field as a whole. */
  refreshRequest: z
    .strictObject({
      ...z.strictObject(tokenRequest).partial().shape,
      tokenEndpointAuth: z.enum(TOKEN_ENDPOINT_AUTH).optional(),
    })
    .prefault({}),
  /**
   * The client secret is a private key (PEM), and what is sent is a JWT signed with it: as `client_secret` (Apple) or
   * as `client_assertion` (RFC 7523). Templates are over the integration's variables, `{clientId}` and `{tokenUrl}`.
   */
  clientAssertion: z
    .strictObject({
      as: z.enum(['client_secret', 'client_assertion']).default('client_assertion'),
      alg: z.enum(JWT_ALGORITHMS).default('RS256'),
      issuer: z.string().default('{clientId}'),
      subject: z.string().default('{clientId}'),
      audience: z.string().default('{tokenUrl}'),
      keyId: z.string().optional(),
      /** Further members of its header, such as `x5t#S256` (RFC 7515 section 4.1.8). */
      header: z.record(z.string().min(1).max(40), z.string().max(500)).default({}),
      lifetimeSeconds: z.number().int().positive().default(300),
    })
    .optional(),
  /**
   * A second request that turns the access token just issued into the one that is kept: a longer-lived one (Facebook,
   * Instagram) or a session (Bullhorn). Its answer is read like the token response, with these paths first: what it
   * says of the token, lifetime and scopes counts, a refresh token that it does not mention stays, and its members are
   * merged over that response's for the account and the variables. Parameters are templates over the variables,
   * `{clientId}`, `{clientSecret}` and `{accessToken}`.
   */
  tokenExchange: z
    .strictObject({
      url: urlTemplate,
      method: z.enum(['GET', 'POST']).default('GET'),
      params: parameters.default({}),
      accessToken: dottedPath.default('access_token'),
      expiresIn: dottedPath.default('expires_in'),
      /** Done again after each refresh, not just after the code exchange. */
      afterRefresh: z.boolean().default(false),
    })
    .optional(),
  /**
   * `access_token`: there is no refresh token, the access token itself is presented while it is still valid
   * (Instagram, Threads, Facebook). `refreshParams` then say how: templates over the variables, `{clientId}`,
   * `{clientSecret}` and `{accessToken}`; nothing but these is sent.
   */
  refreshWith: z.enum(['refresh_token', 'access_token']).default('refresh_token'),
  /**
   * How long before expiry a refresh is tried, where the usual time (the last fifth of the token's life, ten minutes
   * at most; half of it with `refreshWith: access_token`) is refused or too late.
   */
  refreshBeforeExpirySeconds: z.number().int().positive().optional(),
  tokenResponse: z
    .strictObject({
      accessToken: z.union([dottedPath, z.array(dottedPath)]).default('access_token'),
      refreshToken: z.union([dottedPath, z.array(dottedPath)]).default('refresh_token'),
      expiresIn: z.union([dottedPath, z.array(dottedPath)]).default('expires_in'),
      /** Time of expiry, as seconds or milliseconds since 1970 or as a date, where the answer has no lifetime. */
      expiresAt: dottedPath.optional(),
      scope: z.union([dottedPath, z.array(dottedPath)]).default('scope'),
      /** Separators that the answer uses between granted scopes, if not the request's own. */
      scopeSeparator: z.string().optional(),
      /** Providers that answer failures with 200: the member that reports it and the value that means success. */
      okMember: z
        .strictObject({ path: dottedPath, value: z.union([z.string(), z.boolean(), z.number()]) })
        .optional(),
      /** One place or several, in the order in which they are looked at; the usual places are looked at as well. */
      errorCode: z.union([dottedPath, z.array(dottedPath)]).default('error'),
      /** What the provider's own error codes mean in the words of RFC 6749 5.2, beyond the registered ones. */
      errorMeanings: z
        .record(z.string(), z.enum(['invalid_grant', 'client', 'transient', 'rejected']))
        .default({}),
      /**
       * The member and its value by which a refresh without a token in its answer says that the access token that is there
       * lives on, for `accessTokenLifetimeSeconds`.
       */
      prolonged: z
        .strictObject({ path: dottedPath, value: z.union([z.string(), z.boolean(), z.number()]) })
        .optional(),
      /** Values of token_type that stand for a bearer token here (RFC 6749 7.1: others must not be used). */
      tokenTypes: z.array(z.string().min(1)).default(['bearer']),
    })
    .prefault({}),
  /**
   * Refusals of a log-in or of the client that are no fault of the credentials: what has to be done at the provider, for
   * operators. `words`: what the provider's description has in it, where the code alone says too little.
   */
  refusals: z
    .array(
      z.strictObject({
        code: z.string().min(1).max(100),
        words: z.string().min(1).max(100).optional(),
        remedy: z.string().min(1).max(400),
        /** Where a person consents: a template over the variables and `{clientId}`. */
        consentUrl: urlTemplate.optional(),
      }),
    )
    .max(10)
    .default([]),
  /** Lifetime to assume where the answer has no expires_in; null: until the provider says 401. */
  accessTokenLifetimeSeconds: z.number().int().positive().nullable().default(null),
  /**
   * `many`: a refresh token goes on working after it was used, so that a refresh whose answer was lost may be asked
   * again at any time. `once`, or left out where nothing is known: it is asked again only within
   * `refreshTokenReuseSeconds`, unless the connection's last refresh left the token as it was.
   */
  refreshTokenUse: z.enum(['once', 'many']).default('once'),
  /**
   * How long a just-used refresh token keeps working at the provider (single-use tokens with a grace period). A refresh
   * that got no answer is repeated within this time, whether or not a call needs it.
   */
  refreshTokenReuseSeconds: z.number().int().nonnegative().default(0),
  revocation: z
    .strictObject({
      token: z.enum(['refresh_token', 'access_token']).default('refresh_token'),
      /**
       * What the provider ends with the token: the token alone, all that the account granted the client, or the client's
       * access to the whole workspace. The last two are revoked only where no other connection stands on them.
       */
      ends: z.enum(['token', 'grant', 'workspace']).default('token'),
      method: z.enum(['POST', 'GET', 'DELETE']).default('POST'),
      /** `client`: as at the token endpoint; `basic`: client id and secret as Basic; `bearer`: the access token. */
      clientAuth: z.enum(['client', 'basic', 'bearer', 'none']).default('client'),
      /** null: no parameter names the token (it stands in a header, or the address is about it). */
      tokenParameter: z.string().nullable().default('token'),
      in: z.enum(['body', 'query']).default('body'),
      encoding: z.enum(['form', 'json']).default('form'),
      /** Templates over the variables, `{clientId}`, `{clientSecret}` and `{accessToken}`, like the headers'. */
      extraParams: parameters.default({}),
      headers: sentHeaders(z.string()).default({}),
    })
    .prefault({}),
  /** Why the provider revokes nothing on request, and what its users can do instead. */
  noRevocation: z.string().min(1).max(300).optional(),
};
