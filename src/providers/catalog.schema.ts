import { z } from 'zod';
import { ACCESS_KINDS } from '../catalog/facts/access-facts.ts';
import { WEBHOOK_SECRET_USES } from '../catalog/facts/webhook-secret.ts';
import { AUTH_KINDS, CATEGORIES, VARIABLE_SOURCES } from '../catalog/schema/provider.schema.ts';
import { callFields } from '../catalog/schema/provider-calls.schema.ts';
import { EVIDENCE, STATUSES } from '../catalog/schema/provider-standing.schema.ts';
import { TENANT_KINDS } from '../catalog/schema/provider-tenants.schema.ts';
import { positionCursor } from '../http/list-position.ts';
import { listQuery } from '../lib/cursor.ts';

/** For operators, whose projects may have chosen the same names. */
const ofProject = z.uuid().optional().meta({
  description:
    'For operators: own providers of this project only. Keys and user tokens have just one project.',
});

export const providersQuery = z.strictObject({
  projectId: ofProject,
  category: z.enum(CATEGORIES).optional().meta({ description: 'Providers of one category only.' }),
  auth: z.enum(AUTH_KINDS).optional().meta({ description: 'Providers with one kind of authorization only.' }),
  status: z.enum(STATUSES).optional().meta({ description: 'Providers in one state only.' }),
  search: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Words that the name, id or category must contain, in any order and case.' }),
  q: z.string().max(100).optional().meta({ description: 'Short for `search`.' }),
  ids: z
    .string()
    .max(8000)
    .optional()
    .meta({ description: 'These providers only, by id with commas between: `hubspot,slack`.' }),
  limit: listQuery.limit,
  // The catalog is no table, so its cursor names a provider and not a row.
  cursor: positionCursor,
});

export const providerParams = z.strictObject({ provider: z.string().max(100) });
export const providerQuery = z.strictObject({ projectId: ofProject });

const catalogVariable = z
  .object({
    name: z.string(),
    from: z.enum(VARIABLE_SOURCES).meta({
      description:
        'Who knows the value. `user` is asked for in the form, `integration` is set there; `application` is given by API key in the connect session or the import, and asked of a user only beside a key of their own.',
    }),
    title: z.string().nullable(),
    description: z.string().nullable(),
    example: z.string().nullable(),
    pattern: z.string().meta({ description: 'Anchored regular expression that a value must match.' }),
    options: z.array(z.object({ value: z.string(), title: z.string() })).nullable(),
    default: z.string().nullable(),
    secret: z.boolean(),
    optional: z.boolean().meta({ description: 'It may be left empty.' }),
    input: z.enum(['private-key', 'certificate', 'json']).nullable().meta({
      description: 'A file whose text is pasted: a key or a certificate in PEM, or the provider’s JSON file.',
    }),
  })
  .meta({ id: 'ProviderVariable' });

/** What a caller should know before it chooses a provider. */
export const standing = {
  status: z.enum(STATUSES).meta({
    description:
      'Whether anyone’s application can use it: `unknown` where nobody has looked, `partner-only` lets partners in alone, tokens of `sign-in-only` open no API, `limited` does not give everything to new applications, `ended` is gone: no integration can be made for it.',
  }),
  statusDate: z.string().nullable().meta({
    description: 'When it ended or will end, or since when the status holds: a year, a month or a day.',
  }),
  statusNote: z.string().nullable(),
  evidence: z.enum(EVIDENCE).nullable().meta({
    description:
      'How far the facts are confirmed: by the provider’s documentation, by several independent sources, in part by several and for the rest by one (`one-source`), or not at all (`transcribed`: copied from one catalog). None says that the live provider was tried. Null: unknown.',
  }),
  checked: z.string().nullable().meta({
    description: 'The day on which the facts were last compared with sources. Null: unknown.',
  }),
};

const catalogScopes = z.object({
  defaults: z.array(z.string()),
  descriptions: z.record(z.string(), z.string()),
  supportsOptional: z
    .boolean()
    .meta({ description: 'The provider distinguishes required and optional scopes.' }),
});

const catalogAccess = z.enum(ACCESS_KINDS).meta({
  description:
    'How calls under a mandate to read are judged. `described`: the provider file says which requests do other than their methods say. `methods`: by the method alone, so a search by POST is refused, and a GET that changes something is not.',
});

const catalogAccountCall = z
  .object({ method: z.enum(['GET', 'POST']), path: z.string() })
  .nullable()
  .meta({
    description:
      'A call of the provider’s API that shows whose account is connected, as a path of the proxy; a first call to try.',
  });

const grantField = z
  .object({
    name: z.string().meta({
      description:
        'A field of the integration or of the connection’s credentials; `variables.<name>` for a variable.',
    }),
    title: z.string().nullable().meta({ description: 'Null where the name says it all.' }),
    secret: z.boolean(),
    required: z.boolean(),
  })
  .meta({ id: 'GrantField' });

const catalogMcp = z
  .object({
    url: z.string(),
    path: z.string().meta({ description: 'What follows the provider in proxy paths to reach it.' }),
    registration: z.enum(['automatic', 'operator']).meta({
      description:
        '`automatic`: the gateway brings its own client. `operator`: the integration needs a `clientId`.',
    }),
  })
  .nullable()
  .meta({ description: 'The MCP server that it is; null for all others.' });

const catalogGrant = z
  .object({
    id: z.string(),
    title: z.string().nullable().meta({ description: 'As people choose it; null: its kind says it all.' }),
    purpose: z.string().nullable().meta({ description: 'When to choose it.' }),
    auth: z.enum(AUTH_KINDS),
    apiBaseUrl: z.string(),
    accountCall: catalogAccountCall,
    access: catalogAccess,
    supportsRevocation: z.boolean(),
    operatorFields: z.array(grantField).meta({ description: 'What the integration needs.' }),
    applicationFields: z.array(grantField).meta({
      description:
        'What the application gives for each connection, in `variables` of the connect session or in the import.',
    }),
    userFields: z.array(grantField).meta({ description: 'What each user is asked for in the form.' }),
    variables: z.array(catalogVariable),
    scopes: catalogScopes,
    redirectUrl: z.string().nullable(),
    mcp: catalogMcp,
    credentialHint: z.string().nullable(),
    setupSteps: z.array(z.string()),
    docsUrl: z.string().nullable(),
    portalUrl: z.string().nullable(),
    notes: z.array(z.string()),
  })
  .meta({ id: 'ProviderGrant' });

export const catalogProvider = z
  .object({
    id: z.string().meta({ description: 'Short name: the provider in proxy paths.' }),
    projectId: z
      .uuid()
      .nullable()
      .meta({ description: 'The project whose own provider it is; null for those of the catalog.' }),
    name: z.string(),
    category: z.enum(CATEGORIES),
    logoUrl: z.string().meta({ description: 'A square picture, public, mostly SVG.' }),
    auth: z.enum(AUTH_KINDS),
    ...standing,
    apiBaseUrl: z.string(),
    mcp: catalogMcp,
    hosts: z
      .array(
        z.object({
          name: z.string().meta({ description: 'As proxy paths name it: `dropbox~content`.' }),
          url: z.string(),
          serves: z.string(),
        }),
      )
      .meta({ description: 'Further API hosts that take the same credential.' }),
    authorizationUrl: z.string().nullable(),
    tokenUrl: z.string().nullable(),
    pkce: z.boolean(),
    scopes: catalogScopes,
    variables: z.array(catalogVariable),
    credentialHint: z.string().nullable(),
    accountCall: catalogAccountCall,
    access: catalogAccess,
    tenants: z
      .object({
        kind: z.enum(TENANT_KINDS).meta({ description: 'What people call one of them.' }),
        asked: z
          .boolean()
          .meta({ description: 'The connect page asks which one, where a grant reaches several.' }),
      })
      .nullable()
      .meta({
        description:
          'One grant may reach several sites, organizations or accounts; null where it never does.',
      }),
    supportsRevocation: z.boolean(),
    webhooks: z.object({
      supported: z.boolean(),
      docsUrl: z.string().nullable(),
      alternatives: z.array(z.string()).meta({
        description: 'Names of further ways in which the provider signs, for `settings.webhookScheme`.',
      }),
      secretUse: z.enum(WEBHOOK_SECRET_USES).meta({
        description:
          'What `webhookSecret` of an integration is for: it signs webhooks, it is the verify token of a challenge, or it is refused, since the provider signs with the client’s values or a public key.',
      }),
    }),
    redirectUrl: z.string().nullable().meta({
      description: 'The redirect URL to register at the provider; null where none is used.',
    }),
    setupSteps: z.array(z.string()).meta({
      description: 'What to do at the provider, in order, with the addresses of this gateway filled in.',
    }),
    retry: callFields.retry.unwrap().nullable().meta({
      description: 'What answers that mean "later" look like beyond 429 and `Retry-After`.',
    }),
    paging: callFields.paging.unwrap().nullable().meta({
      description: 'How the API hands out long lists, as most of its operations do.',
    }),
    rateLimit: callFields.rateLimit.unwrap().nullable().meta({
      description: 'Fields of responses about the rate limit.',
    }),
    docsUrl: z.string().nullable(),
    portalUrl: z.string().nullable().meta({
      description: 'Where an application or a key is registered at the provider.',
    }),
    grants: z.array(catalogGrant).meta({
      description:
        'The ways to authenticate, the usual one first: what it says stands in the provider’s own fields as well. An integration names another one as `grant`.',
    }),
    notes: z.array(z.string()).meta({ description: 'What a developer should know before choosing it.' }),
    definition: z.record(z.string(), z.unknown()).nullable().meta({
      description:
        'What a project’s own provider was described with, for who may manage it; null for all other providers and callers.',
    }),
  })
  .meta({ id: 'Provider' });

export const catalogProviderList = z
  .object({ providers: z.array(catalogProvider), nextCursor: z.string().nullable() })
  .meta({ id: 'ProviderList' });

export type CatalogProvider = z.infer<typeof catalogProvider>;
export type ProvidersQuery = z.output<typeof providersQuery>;
