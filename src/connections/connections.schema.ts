import { z } from 'zod';
import { anyJson } from '../lib/any-json.ts';
import { hasAtMost } from '../lib/code-points.ts';
import { listQuery } from '../lib/cursor.ts';
import { givenInstant } from '../lib/instant.schema.ts';
import { refuseRoundedNumbers } from '../lib/rounded-numbers.ts';
import { tagQuery, tagsPatchSchema, tagsSchema } from '../lib/tags.schema.ts';
import { tidyCredential } from '../lib/tidy-credential.ts';

const CONNECTION_STATUSES = ['active', 'reauthorization_required'] as const;
/** As a token's `sub`. */
const isShortEnough = (text: string) => hasAtMost(text, 255);
const TOO_LONG = 'At most 255 characters';
const METADATA_BYTES_MAX = 16 * 1024;

const jsonObject = z.record(z.string(), anyJson);
const metadata = jsonObject.refine(
  (value) => Buffer.byteLength(JSON.stringify(value)) <= METADATA_BYTES_MAX,
  'at most 16 KiB as JSON',
);
const refuseRounded = refuseRoundedNumbers('give whole numbers beyond 2^53 as text');

/** One variant under a key named after it. */
const authMetadataSchema = z
  .union([
    z.strictObject({ NoAuthMetadata: z.strictObject({}) }),
    z.strictObject({
      ProviderAccount: z.strictObject({
        accountId: z.string().nullable(),
        accountName: z.string().nullable(),
        apiBaseUrl: z.string().nullable(),
      }),
    }),
  ])
  .meta({ id: 'AuthMetadata' });

/** Whose a connection is, by the application's own id. */
const ownerSchema = z
  .object({
    type: z.enum(['user', 'organization']),
    id: z.string().describe('Your own id: the `sub` or the `org` of tokens'),
  })
  .meta({ id: 'ConnectionOwner' });

export const connectionSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    integrationId: z.uuid(),
    integrationUserId: z.uuid().describe('The gateway’s id of the owner'),
    serviceProvider: z.string(),
    userId: z
      .string()
      .describe(
        'Your own id of its user; of an organization’s connection, of the user who connected it, empty where that is not known',
      ),
    owner: ownerSchema,
    status: z.enum(CONNECTION_STATUSES),
    statusReason: z.string().nullable(),
    grantedScopes: z.array(z.string()),
    accountId: z.string().nullable(),
    accountName: z.string().nullable(),
    tenantId: z
      .string()
      .nullable()
      .describe('The site, organization or account that calls go to, where one grant may reach several'),
    tenantName: z.string().nullable(),
    authMetadata: authMetadataSchema,
    customMetadata: jsonObject,
    tags: z.record(z.string(), z.string()),
    lastUsedAt: z.iso.datetime().nullable(),
    refreshedAt: z.iso.datetime().nullable().describe('When the gateway last refreshed the access token'),
    expiresAt: z.iso
      .datetime()
      .nullable()
      .describe('When the access token expires; the gateway refreshes it before'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Connection' });

export const connectionList = z
  .object({ connections: z.array(connectionSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'ConnectionList' });

export const connectionParams = z.strictObject({ id: z.uuid() });
export const projectParams = z.strictObject({ projectId: z.uuid() });
export const ownConnectionsQuery = z.strictObject({
  ...listQuery,
  integrationId: z.uuid().optional(),
  serviceProvider: z.string().max(100).optional(),
  status: z.enum(CONNECTION_STATUSES).optional(),
  owner: z.enum(['user', 'organization']).optional().describe('Whose they are'),
  ...tagQuery,
});
export const projectConnectionsQuery = z.strictObject({
  ...ownConnectionsQuery.shape,
  search: z.string().min(1).max(255).optional().meta({
    description:
      'What the user’s or organization’s id, the account’s name or its id begins with, in upper or lower case; or the first eight or more characters of the connection’s id. Of each, the first 2,000 in alphabetical order are looked at.',
  }),
  integrationUserId: z.uuid().optional(),
  userId: z.string().refine(isShortEnough, TOO_LONG).optional(),
  organizationId: z
    .string()
    .refine(isShortEnough, TOO_LONG)
    .optional()
    .describe('Your own id of an organization'),
});

/** JSON Merge Patch (RFC 7396) for the metadata: null removes a member, so nulls are welcome here and only here. */
export const updateConnectionBody = z
  .strictObject({
    customMetadata: jsonObject.superRefine(refuseRounded).optional(),
    tags: tagsPatchSchema.optional().describe('Tags to set; null takes one away'),
    tenantId: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('The tenant that calls go to from now on: one that `GET /v1/connections/{id}/tenants` lists'),
  })
  .refine(
    ({ customMetadata, tags, tenantId }) => [customMetadata, tags, tenantId].some((one) => one !== undefined),
    'needs customMetadata, tags or tenantId',
  );

export type MetadataPatch = NonNullable<z.infer<typeof updateConnectionBody>['customMetadata']>;

export const tenantList = z
  .object({
    tenants: z.array(
      z
        .object({
          id: z.string(),
          name: z.string().nullable(),
          detail: z.string().nullable().describe('What distinguishes it from another one of the same name'),
          isCurrent: z.boolean().describe('The connection is on it'),
        })
        .meta({ id: 'Tenant' }),
    ),
    isComplete: z.boolean().describe('False where the grant reaches more than are read (5,000)'),
  })
  .meta({ id: 'TenantList' });
export const mergedMetadata = metadata;

/** Credentials travel in header fields (RFC 9110 5.5) or in Basic (RFC 7617 2): neither takes control characters. */
const NO_CONTROL_CHARACTERS = /^\P{Cc}*$/u;
const secretText = z.string().max(16_384).regex(NO_CONTROL_CHARACTERS, 'no control characters');
const plain = secretText.min(1);
/** Header fields carry ASCII only; a token has no blanks either (RFC 6750 2.1). */
const tokenText = z
  .string()
  .max(16_384)
  .overwrite(tidyCredential)
  .min(1)
  .regex(/^[\x21-\x7e]+$/, 'visible ASCII characters without blanks');
const keyText = z
  .string()
  .max(16_384)
  .overwrite(tidyCredential)
  .min(1)
  .regex(/^[\x20-\x7e]+$/, 'printable ASCII characters');

const ownId = z
  .string()
  .min(1)
  .refine(isShortEnough, TOO_LONG)
  .regex(NO_CONTROL_CHARACTERS, 'no control characters');

/** Existing credentials of a user, or of an organization, from another system. */
export const importConnectionBody = z.strictObject({
  integrationId: z.uuid(),
  userId: ownId
    .optional()
    .describe(
      'Your own id of the user; of an organization’s connection, of the user who connected it, where known',
    ),
  owner: z
    .union([
      z.enum(['user', 'organization']),
      z.strictObject({ type: z.enum(['user', 'organization']), id: ownId }),
    ])
    .optional()
    .describe('Whose the connection is; left out: the user’s. `organization` alone needs `organizationId`'),
  organizationId: ownId.optional().describe('Your own id of the organization'),
  credentials: z.strictObject({
    accessToken: tokenText.optional(),
    refreshToken: tokenText.optional(),
    expiresAt: givenInstant.optional(),
    scopes: z.array(z.string().min(1).max(500)).max(200).optional(),
    apiKey: keyText.optional(),
    username: plain.optional(),
    password: secretText.optional(),
    /** The longest are private keys and providers' JSON files. */
    variables: z.record(z.string().max(60), z.string().max(16_384)).default({}),
  }),
  accountId: z.string().min(1).max(500).optional(),
  accountName: z.string().min(1).max(500).optional(),
  customMetadata: metadata.superRefine(refuseRounded).default({}),
  tags: tagsSchema.default({}),
});

export type ConnectionWire = z.infer<typeof connectionSchema>;
export type ImportConnection = z.infer<typeof importConnectionBody>;
