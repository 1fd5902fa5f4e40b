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
    /^(https?:\/\/|\{[A-Za-z][A-Za-z0-9_.]*\})[^\s$[\]<>"\\#]*$/,
    'must be an http(s) URL without a fragment',
  );
/** An authorization page may be a route after `#` (Apollo's is); its query then follows the fragment. */
const pageTemplate = z
  .string()
  .max(2000)
  .regex(/^(https?:\/\/|\{[A-Za-z][A-Za-z0-9_.]*\})[^\s$[\]<>"\\]*$/, 'must be an http(s) URL');
const parameters = z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]*$/), z.string().min(1));
const headerName = z.string().regex(/^[A-Za-z0-9-]+$/);
const dottedPath = z.string().regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/);

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

/** Where a piece of the account's identity stands. `joinWith` joins several paths ("Ada" "Lovelace"). */
const accountField = z.strictObject({
  from: z.enum(['token-response', 'id-token', 'callback', 'request']).default('token-response'),
  path: z.union([dottedPath, z.array(dottedPath).min(1)]),
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
  tokenEndpointAuth: z.enum(['client_secret_post', 'client_secret_basic', 'none']).nullable().default(null),
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
  issuer: z.string().optional(),
  scopeParameter: z.string().default('scope'),
  optionalScopeParameter: z.string().optional(),
  clientIdParameter: z.string().default('client_id'),
  tokenRequest: z
    .strictObject({
      encoding: z.enum(['form', 'json']).default('form'),
      headers: z.record(headerName, z.string()).default({}),
    })
    .prefault({}),
  tokenResponse: z
    .strictObject({
      accessToken: z.union([dottedPath, z.array(dottedPath)]).default('access_token'),
      refreshToken: z.union([dottedPath, z.array(dottedPath)]).default('refresh_token'),
      expiresIn: z.union([dottedPath, z.array(dottedPath)]).default('expires_in'),
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
  /** How long a just-used refresh token keeps working at the provider (single-use tokens with a grace period). */
  refreshTokenReuseSeconds: z.number().int().nonnegative().default(0),
  revocation: z
    .strictObject({
      token: z.enum(['refresh_token', 'access_token']).default('refresh_token'),
      clientAuth: z.enum(['client', 'bearer', 'none']).default('client'),
      tokenParameter: z.string().default('token'),
      in: z.enum(['body', 'query']).default('body'),
      extraParams: parameters.default({}),
    })
    .prefault({}),
  account: z
    .strictObject({
      id: accountField,
      name: accountField.optional(),
      /** A GET made once after authorization, with the connection's credential, for fields with from: request. */
      request: z
        .strictObject({ url: urlTemplate, headers: z.record(headerName, z.string()).default({}) })
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
  /** Headers added to API calls unless the caller sends them. Values are templates over the variables. */
  apiHeaders: z.record(headerName, z.string()).default({}),
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
