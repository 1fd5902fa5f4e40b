import { z } from 'zod';
import { listQuery } from '../lib/cursor.ts';
import { givenInstant } from '../lib/instant.schema.ts';
import { tidyCredential } from '../lib/tidy-credential.ts';
import { CLIENT_ORIGINS } from '../oauth/discovered-server.ts';
import { authMethodMembers } from './auth-method.ts';

const scope = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, 'scope tokens have no blanks, quotes or backslashes (RFC 6749 3.3)')
  .meta({ examples: ['crm.objects.contacts.read'] });
export const scopes = z.array(scope).max(200);
const NOT_IN_CREDENTIALS = /^\P{Cc}*$/u;
const pasted = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax)
    .overwrite(tidyCredential)
    .min(1)
    .regex(NOT_IN_CREDENTIALS, 'is one line, without line ends or control characters inside');
export const clientId = pasted(1000);
export const clientSecret = pasted(4096);
/** The longest are private keys and providers' JSON files. */
export const variables = z.record(z.string().max(60), z.string().max(16_384).overwrite(tidyCredential));
const secretExpiresAt = givenInstant
  .nullable()
  .optional()
  .describe(
    'When the client secret ends at the provider: the diagnosis warns 30 days ahead. A new secret has none',
  );

/** Parameters that the authorization request owns: a setting must not redirect or downgrade the flow. */
const OWNED_PARAMETERS = new Set([
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'response_mode',
  'state',
  'scope',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
]);

/** More than any provider knows, and few enough for one address. */
const AUTHORIZATION_PARAMS_MAX = 50;

const integrationSettings = z.strictObject({
  /** Extra parameters of the authorization request, added to the catalog's and winning over them. */
  authorizationParams: z
    .record(
      z
        .string()
        .max(100)
        .refine((name) => !OWNED_PARAMETERS.has(name), 'this parameter belongs to the gateway'),
      z.string().max(1000),
    )
    .optional(),
  openapi: z
    .array(z.url({ protocol: /^https?$/ }).max(500))
    .min(1)
    .max(10)
    .optional()
    .meta({
      description:
        'Addresses of documents (OpenAPI 3, Swagger 2, Google discovery) that describe the API, beside those of the catalog; agents search their operations',
    }),
  webhookScheme: z
    .string()
    .regex(/^[a-z0-9-]{1,30}$/)
    .optional()
    .meta({
      description:
        'How the provider signs webhooks, where it has several ways: one of the names of its `webhooks.alternatives`. Requests signed in the usual way are then refused. Left out, the usual way alone counts. A `webhookSecret` counts first.',
    }),
  readingTools: z.array(z.string().min(1).max(200)).max(500).optional().meta({
    description:
      'Tools of an MCP server that do nothing but read, as the operator judges: mandates that allow reading alone let them be called. Left out: none.',
  }),
});

/** As they are given; what is stored is read without the bound. */
const newSettings = integrationSettings.refine(
  ({ authorizationParams = {} }) => Object.keys(authorizationParams).length <= AUTHORIZATION_PARAMS_MAX,
  { path: ['authorizationParams'], message: `at most ${AUTHORIZATION_PARAMS_MAX} parameters` },
);

const name = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^\P{Cc}*$/u, 'a name has no control characters')
  .nullable()
  .optional()
  .meta({
    description:
      'What end users read instead of the provider’s name, on the connect page and in the SDK’s lists. Null: the provider’s name.',
    examples: ['HubSpot (Europe)'],
  });

/** Enough for a square of a few hundred pixels. */
export const LOGO_BYTES_MAX = 64 * 1024;
/** Of one side: a small file may hold a picture that takes a browser gigabytes. */
export const LOGO_PIXELS_MAX = 1_024;

const logo = z
  .base64()
  .min(4)
  .max(Math.ceil(LOGO_BYTES_MAX / 3) * 4)
  .nullable()
  .optional()
  .meta({
    description: `What end users see in place of the provider’s logo: a PNG, JPEG or WebP picture of at most ${LOGO_BYTES_MAX / 1024} KiB and ${LOGO_PIXELS_MAX} by ${LOGO_PIXELS_MAX} pixels, in base64. The format is read from the bytes; SVG is refused, since it is a document that may load and do things. Null: the provider’s logo again.`,
  });

/** Shown to applications and end users. */
const disabledReason = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .regex(/^\P{Cc}*$/u, 'a reason has no control characters');

export const createIntegrationBody = z.strictObject({
  projectId: z.uuid().optional(),
  serviceProvider: z.string().min(1).max(100),
  name,
  ...authMethodMembers,
  clientId: clientId.optional(),
  clientSecret: clientSecret.optional(),
  secretExpiresAt,
  scopes: scopes.optional(),
  optionalScopes: scopes.default([]),
  webhookSecret: clientSecret.optional().meta({
    description:
      'What the provider signs webhooks with, or the verify token of its challenge. Refused where the provider uses none: `webhooks.secretUse` of the catalog.',
  }),
  variables: variables.default({}),
  settings: newSettings.default({}),
});

export const updateIntegrationBody = z.strictObject({
  name,
  logo,
  ...authMethodMembers,
  clientId: clientId.optional(),
  clientSecret: clientSecret.optional(),
  secretExpiresAt,
  scopes: scopes.optional(),
  optionalScopes: scopes.optional(),
  webhookSecret: clientSecret.nullable().optional(),
  variables: variables.optional(),
  settings: newSettings.optional(),
  disabled: z.strictObject({ reason: disabledReason }).nullable().optional().meta({
    description:
      'Switches the integration off: calls are answered `403 integration_disabled`, nobody can connect, polls pause. Applications and end users read the reason. Nothing is revoked, tokens are refreshed, webhooks are kept. Null: on again.',
  }),
});

const authorizationServer = z
  .object({
    issuer: z.string(),
    resource: z.string().meta({ description: 'What tokens are asked for (RFC 8707).' }),
    scopes: z
      .array(z.string())
      .meta({ description: 'Asked for where the integration has no scopes of its own.' }),
    discoveredAt: z.iso.datetime(),
    clientBy: z.enum(CLIENT_ORIGINS).nullable().meta({
      description:
        'Where the client comes from: `document` (the client id is the address of a metadata document of this gateway), `registration` (the server registered it for the gateway), or `operator`.',
    }),
    registeredAt: z.iso.datetime().nullable(),
    expiresAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'AuthorizationServer' });

export const integrationSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    serviceProvider: z.string(),
    name: z.string().nullable().meta({
      description: 'What end users read instead of the provider’s name; null: that.',
    }),
    logoUrl: z.string().nullable().meta({
      description:
        'Address of the logo that an operator gave it; null: the provider’s own, which the catalog names.',
    }),
    state: z.enum(['active', 'disabled']),
    disabled: z
      .object({ reason: z.string(), at: z.iso.datetime() })
      .nullable()
      .meta({ description: 'Why and since when it is switched off; null: it is not.' }),
    authMethod: z.string().nullable().meta({
      description: 'The provider’s way to authenticate that it uses; null: the usual one.',
    }),
    grant: z.string().nullable().meta({ description: 'The earlier name of `authMethod`.', deprecated: true }),
    scopes: z.array(z.string()),
    optionalScopes: z.array(z.string()),
    clientId: z.string().nullable(),
    authorizationServer: authorizationServer.nullable().meta({
      description:
        'Of an MCP server: what it named when a user last began to authorize. Null before, and for all others.',
    }),
    variables: z.record(z.string(), z.string()),
    settings: integrationSettings,
    redirectUrl: z.string().nullable().meta({
      description: 'The redirect URL to register at the provider; null where none is used.',
    }),
    webhookUrl: z.string().meta({
      description:
        'Where the gateway receives the webhooks of the provider, if it has one address for all accounts. Providers that register an address for each account get theirs by `POST /v1/integrations/{id}/subscriptions`.',
    }),
    createdAt: z.iso.datetime(),
    createdBy: z.uuid(),
    updatedAt: z.iso.datetime(),
    updatedBy: z.uuid(),
  })
  .meta({ id: 'Integration' });

const integrationNumbers = z
  .object({
    connections: z.number().meta({ description: 'Up to 10,000, which stands for that many or more.' }),
    reauthorizationRequired: z.number().meta({ description: 'The same.' }),
    callsDay: z.number().meta({ description: 'Proxied calls of the last 24 hours, by whole hours.' }),
    errorsDay: z.number().meta({ description: 'Of these, answered with an error by gateway or provider.' }),
    lastCallAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'IntegrationNumbers' });

export const integrationList = z
  .object({
    integrations: z.array(
      integrationSchema
        .extend({ numbers: integrationNumbers.optional().meta({ description: 'With `include=numbers`.' }) })
        .meta({ id: 'ListedIntegration' }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'IntegrationList' });

export const integrationParams = z.strictObject({ id: z.uuid() });
export const integrationsQuery = z.strictObject({
  ...listQuery,
  serviceProvider: z.string().max(100).optional(),
  projectId: z.uuid().optional(),
  include: z.literal('numbers').optional().meta({ description: 'Not for end users.' }),
});
export const deleteIntegrationQuery = z.strictObject({ force: z.enum(['true', 'false']).default('false') });

export type IntegrationSettings = z.infer<typeof integrationSettings>;
export type IntegrationNumbers = z.infer<typeof integrationNumbers>;
export type IntegrationWire = z.infer<typeof integrationSchema>;
