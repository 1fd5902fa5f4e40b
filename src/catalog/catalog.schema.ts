import { z } from 'zod';
import { AUTH_KINDS, CATEGORIES } from './provider.schema.ts';

const LIMIT_MAX = 200;
const LIMIT_DEFAULT = 50;

export const providersQuery = z.strictObject({
  category: z.enum(CATEGORIES).optional().meta({ description: 'Providers of one category only.' }),
  auth: z.enum(AUTH_KINDS).optional().meta({ description: 'Providers with one kind of authorization only.' }),
  search: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Words that the name, id or category must contain, in any order and case.' }),
  q: z.string().max(100).optional().meta({ description: 'Short for `search`.' }),
  limit: z
    .string()
    .regex(/^\d{1,4}$/, `Must be a whole number from 1 to ${LIMIT_MAX}`)
    .transform(Number)
    .pipe(z.number().int().min(1).max(LIMIT_MAX))
    .default(LIMIT_DEFAULT)
    .meta({
      description: 'How many items to answer at most.',
      override: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
    }),
  // The catalog is no table, so its cursor names a provider and not a row.
  cursor: z
    .string()
    .max(400)
    .optional()
    .meta({ description: 'Where to go on: `nextCursor` of the page before.' }),
});

export const providerParams = z.object({ provider: z.string().max(100) });

export const catalogVariable = z
  .object({
    name: z.string(),
    from: z.enum(['user', 'integration', 'callback', 'token-response', 'account']).meta({
      description: 'Who knows the value. `user` is asked for in the form, `integration` is set there.',
    }),
    title: z.string().nullable(),
    description: z.string().nullable(),
    example: z.string().nullable(),
    pattern: z.string().meta({ description: 'Anchored regular expression that a value must match.' }),
    options: z.array(z.object({ value: z.string(), title: z.string() })).nullable(),
    default: z.string().nullable(),
    secret: z.boolean(),
  })
  .meta({ id: 'ProviderVariable' });

export const catalogProvider = z
  .object({
    id: z.string().meta({ description: 'Short name: the provider in proxy paths.' }),
    name: z.string(),
    category: z.enum(CATEGORIES),
    logoUrl: z.string().nullable(),
    auth: z.enum(AUTH_KINDS),
    apiBaseUrl: z.string(),
    authorizationUrl: z.string().nullable(),
    tokenUrl: z.string().nullable(),
    pkce: z.boolean(),
    scopes: z.object({
      defaults: z.array(z.string()),
      descriptions: z.record(z.string(), z.string()),
      supportsOptional: z
        .boolean()
        .meta({ description: 'The provider tells required and optional scopes apart.' }),
    }),
    variables: z.array(catalogVariable),
    credentialHint: z.string().nullable(),
    supportsRevocation: z.boolean(),
    webhooks: z.object({ supported: z.boolean(), docsUrl: z.string().nullable() }),
    setupSteps: z.array(z.string()).meta({
      description: 'What to do at the provider, in order. `{redirectUrl}` stands for the redirect URL.',
    }),
    docsUrl: z.string().nullable(),
  })
  .meta({ id: 'Provider' });

export const catalogProviderList = z
  .object({ providers: z.array(catalogProvider), nextCursor: z.string().nullable() })
  .meta({ id: 'ProviderList' });

export type CatalogProvider = z.infer<typeof catalogProvider>;
export type ProvidersQuery = z.output<typeof providersQuery>;
