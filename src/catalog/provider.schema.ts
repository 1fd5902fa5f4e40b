import { z } from 'zod';

/**
 * What a provider file may say. Field names of the first block are those of the public facts format
 * (id … defaultScopes); the second block is what the gateway adds. Everything optional has a default, so code that
 * reads a `Provider` never asks "is it there" for a behaviour.
 */

const urlTemplate = z
  .string()
  .max(2000)
  .regex(
    /^(https?:\/\/|\{[A-Za-z][A-Za-z0-9_.]*\})(?:[^\s$[\]<>"\\#]|\$(?!\{))*$/,
    'must be an http(s) URL without a fragment',
  );
/** An authorization page may be a route after `#` (Apollo's is); its query then follows the fragment. */
const pageTemplate = z
  .string()
  .max(2000)
  .regex(/^(https?:\/\/|\{[A-Za-z][A-Za-z0-9_.]*\})[^\s$[\]<>"\\]*$/, 'must be an http(s) URL');
/** Values are templates over the variables, `{clientId}`, and `{nonce}` in an authorization request. */
const parameters = z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]*$/), z.string().min(1));
const headerName = z.string().regex(/^[A-Za-z0-9-]+$/);
/**
 * `members.0.name` in a JSON answer; `accounts[is_default=true].base_uri` takes the first element of a list whose member
 * has that value.
 */
const dottedPath = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]+(\[[A-Za-z0-9_-]+=[A-Za-z0-9_-]+\])?(\.[A-Za-z0-9_-]+(\[[A-Za-z0-9_-]+=[A-Za-z0-9_-]+\])?)*$/,
  );
const parameterName = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]*$/);

const TOKEN_ENDPOINT_AUTH = ['client_secret_post', 'client_secret_basic', 'none'] as const;

/** How a request for tokens is put, where that is not RFC 6749 4.1.3: a form, posted. */
const tokenRequest = {
  /** With GET, and with `in: query`, the parameters stand in the query. */
  method: z.enum(['POST', 'GET']),
  in: z.enum(['body', 'query']),
  encoding: z.enum(['form', 'json']),
  headers: z.record(headerName, z.string()),
  /** The provider's names for registered parameters: `{ client_id: app_id, client_secret: secret }`. */
  parameterNames: z.record(parameterName, parameterName),
  /** Registered parameters that the provider refuses to see. */
  omit: z.array(parameterName),
};

export const AUTH_KINDS = ['oauth2', 'oauth2-client-credentials', 'api-key', 'basic'] as const;
export const CATEGORIES = [
  'crm',
  'marketing',
  'support',
  'communication',
  'calendar-email',
  'productivity',
  'project-management',
  'storage',
  'accounting',
  'commerce',
  'payments',
  'hr',
  'developer',
  'analytics',
  'social',
  'identity',
  'design',
  'sales',
  'data',
  'other',
] as const;

/**
 * A value that URL templates and headers take by `{name}`.
 * `from` says who knows it: the end user (asked in a form before authorizing), the operator (integration.variables),
 * the callback's query, the token response, or the account call made after it.
 */
const variable = z.strictObject({
  from: z.enum(['user', 'integration', 'callback', 'token-response', 'account']).default('user'),
  /** Callback parameter name, or dotted path in the JSON answer. Defaults to the variable's own name. */
  path: z.string().min(1).optional(),
  title: z.string().max(80).optional(),
  description: z.string().max(300).optional(),
  example: z.string().max(200).optional(),
  /** Anchored by the loader. What does not match is refused with the description as the hint. */
  pattern: z.string().max(300).optional(),
  options: z.array(z.strictObject({ value: z.string(), title: z.string() })).optional(),
  default: z.string().optional(),
  /** A value that must not be shown back or stored in plain (part of a credential). */
  secret: z.boolean().default(false),
});

/** Where a piece of the account's identity stands. */
const accountField = z.strictObject({
  from: z.enum(['token-response', 'id-token', 'callback', 'request', 'variable']).default('token-response'),
  path: z.union([dottedPath, z.array(dottedPath).min(1)]),
  /** Of several paths: all that lead somewhere, joined ("Ada" "Lovelace"), or the first that does. */
  take: z.enum(['all', 'first']).default('all'),
  /** A regular expression whose first group is the wanted part of the value. */
  pattern: z.string().max(200).optional(),
});

export const providerFileSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case letters, digits and single hyphens')
    .max(40),
  name: z.string().min(1).max(60),
  category: z.enum(CATEGORIES).default('other'),
  auth: z.enum(AUTH_KINDS),
  authorizationUrl: pageTemplate.optional(),
  tokenUrl: urlTemplate.optional(),
  refreshUrl: urlTemplate.optional(),
  revocationUrl: urlTemplate.optional(),
  apiBaseUrl: urlTemplate,
  scopeSeparator: z.enum([' ', ',', '+']).default(' '),
  /** false: the provider refuses or breaks on PKCE. null or true: S256 is sent (RFC 6749 3.1 has unknown parameters ignored). */
  pkce: z.boolean().nullable().default(null),
  tokenEndpointAuth: z.enum(TOKEN_ENDPOINT_AUTH).nullable().default(null),
  authorizationParams: parameters.default({}),
  tokenParams: parameters.default({}),
  refreshParams: parameters.default({}),
  variables: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_.]*$/), z.union([z.string(), variable]))
    .default({}),
  apiKey: z
    .strictObject({
      in: z.enum(['header', 'query', 'path']),
      name: z.string().min(1),
      template: z.string().includes('{apiKey}'),
    })
    .optional(),
  docsUrl: z.url({ protocol: /^https?$/ }).optional(),
  defaultScopes: z.array(z.string().min(1)).default([]),
  quirks: z.array(z.string()).default([]),
  sources: z.array(z.string()).optional(),
  agree: z.number().optional(),
  conflicts: z.array(z.unknown()).optional(),

  // What the gateway adds
  logoUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Why this file departs from the facts or how a conflict between sources was decided. */
  notes: z.array(z.string().max(500)).default([]),
  /** Where an application is registered at the provider. */
  portalUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Slug of the logo in Simple Icons, where name and id do not lead to it; `none` where they lead to somebody else's. */
  icon: z.string().max(60).optional(),
  issuer: z.string().optional(),
  /** The provider always sends `iss` in its authorization response (RFC 9207 2.3): one without it is refused. */
  issuerAlwaysSent: z.boolean().default(false),
  scopeParameter: z.string().default('scope'),
  optionalScopeParameter: z.string().optional(),
  /** Name of the client id in the authorization request. `tokenRequest.parameterNames` has the other one. */
  clientIdParameter: z.string().default('client_id'),
  redirectUriParameter: z.string().default('redirect_uri'),
  /** What is sent as redirect URI where the provider wants a name registered for it (eBay's RuName): `{ruName}`. */
  redirectUriTemplate: z.string().optional(),
  responseType: z.string().default('code'),
  /** `form_post`: the provider answers with a POST to the redirect URI. Sent as response_mode. */
  responseMode: z.enum(['form_post']).optional(),
  /** A fragment at the end of the authorization request (`wechat_redirect`). */
  authorizationFragment: z.string().optional(),
  /** What the provider's authorization response looks like where that is not RFC 6749 4.1.2. */
  callback: z
    .strictObject({
      codeParameter: parameterName.default('code'),
      /** HMAC with the client secret over the other parameters, sorted and joined as a query (Shopify). */
      signature: z
        .strictObject({ parameter: parameterName, algorithm: z.enum(['sha256']).default('sha256') })
        .optional(),
    })
    .prefault({}),
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
      alg: z.enum(['ES256', 'RS256', 'PS256']).default('RS256'),
      issuer: z.string().default('{clientId}'),
      subject: z.string().default('{clientId}'),
      audience: z.string().default('{tokenUrl}'),
      keyId: z.string().optional(),
      lifetimeSeconds: z.number().int().positive().default(300),
    })
    .optional(),
  /**
   * A second request that turns the access token just issued into the one that is kept: a longer-lived one (Facebook,
   * Instagram) or a session (Bullhorn). Its answer is read like the token response, with these paths first: what it says
   * of the token, lifetime and scopes counts, a refresh token that it does not mention stays, and its members are laid
   * over that response's for the account and the variables. Parameters are templates over the variables, `{clientId}`,
   * `{clientSecret}` and `{accessToken}`.
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
   * How long before expiry a refresh is tried, where the usual moment (the last fifth of the token's life, ten minutes
   * at most; half of it with `refreshWith: access_token`) is refused or too late.
   */
  refreshBeforeExpirySeconds: z.number().int().positive().optional(),
  tokenResponse: z
    .strictObject({
      accessToken: z.union([dottedPath, z.array(dottedPath)]).default('access_token'),
      refreshToken: z.union([dottedPath, z.array(dottedPath)]).default('refresh_token'),
      expiresIn: z.union([dottedPath, z.array(dottedPath)]).default('expires_in'),
      /** Moment of expiry, as seconds or milliseconds since 1970 or as a date, where no lifetime is told. */
      expiresAt: dottedPath.optional(),
      scope: z.union([dottedPath, z.array(dottedPath)]).default('scope'),
      /** Separators that the answer uses between granted scopes, if not the request's own. */
      scopeSeparator: z.string().optional(),
      /** Providers that answer failures with 200: the member that says so and the value that means success. */
      okMember: z
        .strictObject({ path: dottedPath, value: z.union([z.string(), z.boolean(), z.number()]) })
        .optional(),
      errorCode: dottedPath.default('error'),
      /** What the provider's own error codes mean in the words of RFC 6749 5.2, beyond the registered ones. */
      errorMeanings: z
        .record(z.string(), z.enum(['invalid_grant', 'client', 'transient', 'rejected']))
        .default({}),
      /** Values of token_type that stand for a bearer token here (RFC 6749 7.1: others must not be used). */
      tokenTypes: z.array(z.string().min(1)).default(['bearer']),
    })
    .prefault({}),
  /** Lifetime to assume where the answer has no expires_in; null: until the provider says 401. */
  accessTokenLifetimeSeconds: z.number().int().positive().nullable().default(null),
  /**
   * How long a just-used refresh token keeps working at the provider (single-use tokens with a grace period). A refresh
   * that got no answer is repeated within this time, whether or not a call needs it.
   */
  refreshTokenReuseSeconds: z.number().int().nonnegative().default(0),
  revocation: z
    .strictObject({
      token: z.enum(['refresh_token', 'access_token']).default('refresh_token'),
      method: z.enum(['POST', 'GET', 'DELETE']).default('POST'),
      /** `client`: as at the token endpoint; `basic`: client id and secret as Basic; `bearer`: the access token. */
      clientAuth: z.enum(['client', 'basic', 'bearer', 'none']).default('client'),
      /** null: no parameter names the token (it stands in a header, or the address is about it). */
      tokenParameter: z.string().nullable().default('token'),
      in: z.enum(['body', 'query']).default('body'),
      encoding: z.enum(['form', 'json']).default('form'),
      /** Templates over the variables, `{clientId}`, `{clientSecret}` and `{accessToken}`, like the headers'. */
      extraParams: parameters.default({}),
      headers: z.record(headerName, z.string()).default({}),
    })
    .prefault({}),
  account: z
    .strictObject({
      id: accountField,
      name: accountField.optional(),
      /** Made once after authorization, with the connection's credential, for fields with from: request. */
      request: z
        .strictObject({
          url: urlTemplate,
          method: z.enum(['GET', 'POST']).default('GET'),
          headers: z.record(headerName, z.string()).default({}),
          /** JSON of a POST (a GraphQL query). */
          body: z.record(z.string(), z.unknown()).optional(),
        })
        .optional(),
    })
    .optional(),
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
  setupSteps: z.array(z.string().max(600)).default([]),
  scopeDescriptions: z.record(z.string(), z.string().max(300)).default({}),
  /** A rule in words for the hosted form, e.g. what the API key looks like and where to find it. */
  credentialHint: z.string().max(400).optional(),
  webhooks: z
    .strictObject({ supported: z.boolean(), docsUrl: z.url().optional() })
    .prefault({ supported: false }),
});

export type ProviderFile = z.infer<typeof providerFileSchema>;

/**
 * Where in the provider's URLs a variable stands; the most delicate place wins. `host-label`: a fixed domain follows.
 * `host-ending`: it ends a fixed name ("accounts.zoho.{region}"). `host`: it is the host. `origin`: scheme and host.
 */
export type VariablePosition = 'origin' | 'host' | 'host-ending' | 'host-label' | 'port' | 'elsewhere';

export type ProviderVariable = z.infer<typeof variable> & {
  readonly name: string;
  readonly path: string;
  readonly position: VariablePosition;
  /** Anchored and complete: a value that matches is safe at the variable's position. */
  readonly pattern: string;
};

/**
 * A catalog entry after loading: variables are a list with every default filled in, `basic` is there for basic
 * providers, and an API key that goes into the path has left `apiBaseUrl` for `apiKey.template` (the base path).
 */
export type Provider = Omit<
  ProviderFile,
  'variables' | 'pkce' | 'tokenEndpointAuth' | 'sources' | 'agree' | 'conflicts'
> & {
  readonly variables: readonly ProviderVariable[];
  readonly pkce: boolean;
  readonly tokenEndpointAuth: 'client_secret_post' | 'client_secret_basic' | 'none';
};
