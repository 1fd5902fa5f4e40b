import { z } from 'zod';
import { EVERY_SCOPE, KEY_SCOPE_NAMES } from '../../http/key-scopes.ts';
import { allowedAddressesInput, allowedAddressesOutput } from '../../lib/address-ranges.schema.ts';
import { listQuery } from '../../lib/cursor.ts';
import { createOverlapSeconds, futureInstant } from '../../lib/rotation.schema.ts';
import { displayName } from '../../projects/texts.schema.ts';
import type { ApiKey, NewApiKey } from './api-keys.store.ts';

export const apiKeySchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string().meta({ description: 'The first characters of the key, to recognize a key.' }),
    createdBy: z
      .object({ operatorId: z.uuid(), email: z.string() })
      .nullable()
      .meta({ description: 'The operator who made or rotated it, also where they are no member any more.' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable(),
    lastUsedAt: z.iso.datetime().nullable(),
    scopes: z.array(z.string()).meta({ description: 'What the key may do; `*` alone: everything.' }),
    allowedAddresses: allowedAddressesOutput,
  })
  .meta({ id: 'ApiKey' });

export const newApiKeySchema = apiKeySchema
  .extend({ key: z.string().meta({ description: 'The key, shown this once.' }) })
  .meta({ id: 'NewApiKey' });

export const apiKeyList = z
  .object({ apiKeys: z.array(apiKeySchema), nextCursor: z.string().nullable() })
  .meta({ id: 'ApiKeyList' });

export const apiKeysQuery = z.strictObject(listQuery);
export const apiKeyParams = z.strictObject({ projectId: z.uuid(), id: z.uuid() });

const scopeNames = [EVERY_SCOPE, ...KEY_SCOPE_NAMES] as const;

/** Each once, in the order of the table, so that equal sets look equal. */
const scopes = z
  .array(z.enum(scopeNames).meta({ id: 'ApiKeyScope' }))
  .min(1)
  .max(scopeNames.length)
  .refine(
    (names) => !names.includes(EVERY_SCOPE) || new Set(names).size === 1,
    '`*` stands for all scopes: give it alone, or leave it out',
  )
  .transform((names) => scopeNames.filter((name) => names.includes(name)))
  .meta({
    description:
      'What the key may do; docs/api-keys.md tells which operations take which scope. `*` alone: everything, in later releases too.',
  });

export const createApiKeyBody = z.strictObject({
  name: displayName,
  scopes: scopes.default([EVERY_SCOPE]),
  allowedAddresses: allowedAddressesInput.optional(),
  expiresAt: futureInstant.optional(),
});

export const updateApiKeyBody = z.strictObject({
  name: displayName.optional(),
  scopes: scopes.optional(),
  allowedAddresses: allowedAddressesInput.nullable().optional().meta({ description: 'Null: from anywhere.' }),
});

export const rotateApiKeyBody = z.strictObject({
  overlapSeconds: createOverlapSeconds('key'),
  expiresAt: futureInstant.nullable().optional().meta({
    description: 'Of the new key; null: never. Where left out it gets as long a life as the old one got.',
  }),
});

export function toApiKeyWire(key: ApiKey): z.input<typeof apiKeySchema> {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    createdBy: key.createdBy,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    scopes: [...key.scopes],
    allowedAddresses: key.allowedAddresses && [...key.allowedAddresses],
  };
}

export function toNewApiKeyWire({ apiKey, key }: NewApiKey): z.input<typeof newApiKeySchema> {
  return { ...toApiKeyWire(apiKey), key };
}
