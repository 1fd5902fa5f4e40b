import { z } from 'zod';
import { accessFields } from './provider-access.schema.ts';
import { accountFields } from './provider-account.schema.ts';
import { authorizationFields } from './provider-authorization.schema.ts';
import { callFields } from './provider-calls.schema.ts';
import { certificateFields } from './provider-certificate.schema.ts';
import {
  baseUrlTemplate,
  NO_PLACEHOLDER,
  pageTemplate,
  parameters,
  refuseSentField,
  TOKEN_ENDPOINT_AUTH,
  urlTemplate,
} from './provider-fields.schema.ts';
import { hostFields } from './provider-hosts.schema.ts';
import { loginFields } from './provider-login.schema.ts';
import { mcpFields } from './provider-mcp.schema.ts';
import { pollFields } from './provider-polls.schema.ts';
import { probeFields } from './provider-probe.schema.ts';
import { signingFields } from './provider-signing.schema.ts';
import { type STATUSES, standingFields } from './provider-standing.schema.ts';
import { tenantFields } from './provider-tenants.schema.ts';
import { tokenFields } from './provider-tokens.schema.ts';
import { webhooksSchema } from './provider-webhooks.schema.ts';

export const AUTH_KINDS = [
  'oauth2',
  'oauth2-client-credentials',
  'api-key',
  'basic',
  'jwt-bearer',
  'token-login',
  'github-app',
  'aws-sigv4',
  'oauth1',
  'jwt-per-call',
  'wsse',
] as const;
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
  'security',
  'health',
  'education',
  'legal',
  'media',
  'other',
] as const;

const VARIABLES_MAX = 50;

/** Who gives the value of a variable, or where it is read. */
export const VARIABLE_SOURCES = [
  'user',
  'integration',
  'application',
  'external-id',
  'callback',
  'token-response',
  'account',
  'tenant',
] as const;

/**
 * A value that URL templates and headers take by `{name}`. `from` says where it comes from: the end user (asked in a
 * form before authorizing), the operator (integration.variables), the application (by API key, never an end user while the
 * key is the integration's), the gateway (`external-id`: one for each user of a project, which the form shows), the
 * callback's query, the token response, the account call made after it, or the tenant of
 * the connection.
 */
const variable = z.strictObject({
  from: z.enum(VARIABLE_SOURCES).default('user'),
  /** Callback parameter name, or dotted path in the JSON answer or in the tenant's element of the list. Defaults to the variable's own name. */
  path: z.string().min(1).optional(),
  /** Where the provider has it as a part of what stands there: a pattern (RE2) whose first group is the value. */
  part: z.string().max(200).optional(),
  title: z.string().max(80).optional(),
  description: z.string().max(300).optional(),
  example: z.string().max(200).optional(),
  /** For the whole value, in the syntax of RE2. What does not match is refused with the description as the hint. */
  pattern: z.string().max(300).optional(),
  /** Values that fit the pattern and cannot work, with the reason in words: regions whose host stands under another domain. */
  unusable: z
    .array(z.strictObject({ pattern: z.string().min(1).max(200), message: z.string().min(1).max(300) }))
    .max(5)
    .optional(),
  /** Beginnings of addresses, without scheme, behind which people find the value: `admin.shopify.com/store/`. */
  pastedPrefixes: z
    .array(
      z
        .string()
        .max(200)
        .regex(/^[a-z0-9.-]+\/(?:[^{}\s?#]*\/)?$/, 'host and path in lower case, with a slash at the end'),
    )
    .max(5)
    .optional(),
  options: z
    .array(z.strictObject({ value: z.string(), title: z.string() }))
    .max(300)
    .optional(),
  default: z.string().optional(),
  /** A value that must not be shown back or stored in plain (part of a credential). */
  secret: z.boolean().default(false),
  /** True: it may be left empty. Templates that name it are then left out. */
  optional: z.literal(true).optional(),
  /**
   * A file whose text is pasted: a private key or a certificate in PEM, or the provider's JSON file. Templates of a
   * log-in name what is in it: `{serviceAccount.client_email}`, `{certificate.sha256}`.
   */
  input: z.enum(['private-key', 'certificate', 'json']).optional(),
  /** Dotted paths of the members that a JSON file must have; only these can be named. */
  members: z
    .array(z.string().regex(/^[A-Za-z0-9_]{1,60}(?:\.[A-Za-z0-9_]{1,60}){0,4}$/))
    .max(20)
    .optional(),
});

const GRANTS_MAX = 10;

/**
 * A further way to authenticate at the same product. Beside what names it, it holds the fields of the entry that are
 * different for it; `overlayGrant` says what it takes over of the entry. Unknown fields are judged by the loader.
 */
const grant = z.looseObject({
  id: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case letters, digits and single hyphens')
    .max(40),
  /** As people choose it: "Personal access token". */
  title: z.string().min(1).max(60),
  /** When to choose it, in a sentence. */
  purpose: z.string().max(300).optional(),
  auth: z.enum(AUTH_KINDS),
});

/**
 * What a provider file may say. Field names of the first block are those of the public facts format (id …
 * defaultScopes); the rest is what the gateway adds. Everything optional has a default, so code that reads a `Provider`
 * never checks whether a behaviour is defined.
 */
export const providerFileSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case letters, digits and single hyphens')
    .max(40)
    .describe(
      'the short name of the provider in proxy paths, such as acme; only with `mcp` it is made of the name where it is left out',
    ),
  name: z.string().min(1).max(60).describe('the name of the provider as people read it'),
  category: z.enum(CATEGORIES).default('other'),
  auth: z.enum(AUTH_KINDS).describe('how its API is authenticated at'),
  authorizationUrl: pageTemplate.optional(),
  tokenUrl: urlTemplate.optional(),
  refreshUrl: urlTemplate.optional(),
  revocationUrl: urlTemplate.optional(),
  apiBaseUrl: baseUrlTemplate.describe('the address that proxied paths follow'),
  scopeSeparator: z.enum([' ', ',', '+']).default(' '),
  /** false: the provider refuses or breaks on PKCE. null or true: S256 is sent (RFC 6749 3.1 has unknown parameters ignored). */
  pkce: z.boolean().nullable().default(null),
  tokenEndpointAuth: z.enum(TOKEN_ENDPOINT_AUTH).nullable().default(null),
  authorizationParams: parameters.default({}),
  tokenParams: parameters.default({}),
  refreshParams: parameters.default({}),
  variables: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_.]*$/), z.union([z.string(), variable]))
    .refine((given) => Object.keys(given).length <= VARIABLES_MAX, `at most ${VARIABLES_MAX} variables`)
    .default({}),
  apiKey: z
    .strictObject({
      in: z.enum(['header', 'query', 'path']),
      name: z.string().min(1),
      template: z.string().regex(/\{apiKey\}/, NO_PLACEHOLDER),
    })
    .superRefine((key, context) => {
      if (key.in === 'header') refuseSentField(key.name, key.template, context);
    })
    .optional(),
  /** Documents that describe its API (OpenAPI, Google discovery), which agents search. */
  openapi: z
    .array(z.url({ protocol: /^https?$/ }).max(500))
    .min(1)
    .max(10)
    .optional(),
  docsUrl: z.url({ protocol: /^https?$/ }).optional(),
  defaultScopes: z.array(z.string().min(1)).default([]),
  quirks: z.array(z.string()).default([]),
  agree: z.number().optional(),
  conflicts: z.array(z.unknown()).optional(),

  // What the gateway adds
  logoUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Why this file departs from the facts or how a conflict between sources was decided. */
  notes: z.array(z.string().max(500)).default([]),
  /** Where an application is registered at the provider. */
  portalUrl: z.url({ protocol: /^https?$/ }).optional(),
  /**
   * Slug of the logo in Simple Icons, where name and id do not lead to it; `none` where they lead to another company's.
   */
  icon: z.string().max(60).optional(),
  ...standingFields,
  ...authorizationFields,
  ...tokenFields,
  ...loginFields,
  ...accountFields,
  ...tenantFields,
  ...callFields,
  ...accessFields,
  ...hostFields,
  ...mcpFields,
  ...probeFields,
  ...pollFields,
  ...signingFields,
  ...certificateFields,
  setupSteps: z.array(z.string().max(600)).default([]),
  scopeDescriptions: z.record(z.string(), z.string().max(300)).default({}),
  /** A rule in words for the hosted form, e.g. what the API key looks like and where to find it. */
  credentialHint: z.string().max(400).optional(),
  webhooks: webhooksSchema.prefault({ supported: false }),
  /** Further ways to authenticate; the entry's own fields are the first one. */
  grants: z.array(grant).max(GRANTS_MAX).default([]),
});

export type ProviderFile = z.infer<typeof providerFileSchema>;

/**
 * Where in the provider's URLs a variable stands; the most sensitive place wins. `host-label`: a fixed domain follows.
 * `host-ending`: it ends a fixed name ("accounts.zoho.{region}"). `host`: it is the host. `origin`: scheme and host.
 */
export type VariablePosition =
  | 'origin'
  | 'host'
  | 'host-ending'
  | 'host-label'
  | 'port'
  | 'path'
  | 'elsewhere';

export type ProviderVariable = Omit<z.infer<typeof variable>, 'pattern'> & {
  readonly name: string;
  readonly path: string;
  readonly position: VariablePosition;
  /** The file's own pattern, for the whole value. */
  readonly ownPattern: string | undefined;
  /** Anchored, beside the own pattern: no value that matches leads to another host or path than the position promises. */
  readonly shape: string;
};

/** A way to authenticate beside the entry's own. */
export type FurtherAuthMethod = {
  readonly id: string;
  readonly title: string;
  readonly purpose: string | undefined;
  readonly auth: ProviderFile['auth'];
  /** The entry as it is for this way; made when it is first asked for. */
  readonly provider: Provider;
};

/**
 * A catalog entry after loading: variables are a list with every default filled in, `basic` is there for basic
 * providers, and an API key that goes into the path has left `apiBaseUrl` for `apiKey.template` (the base path).
 */
export type Provider = Omit<
  ProviderFile,
  'variables' | 'pkce' | 'tokenEndpointAuth' | 'status' | 'sources' | 'agree' | 'conflicts' | 'grants'
> & {
  /** Further ways to authenticate; none at a provider that was made for one of them. */
  readonly grants: readonly FurtherAuthMethod[];
  /** Which of the entry's grants this is; null: the entry's own fields. */
  readonly grant: string | null;
  readonly status: (typeof STATUSES)[number];
  readonly variables: readonly ProviderVariable[];
  readonly pkce: boolean;
  readonly tokenEndpointAuth: (typeof TOKEN_ENDPOINT_AUTH)[number];
};
