import { z } from 'zod';
import { listQuery } from '../../lib/cursor.ts';
import { displayName } from '../../projects/texts.schema.ts';
import type { ApiKey, NewApiKey } from './api-keys.store.ts';

const DAY_SECONDS = 24 * 60 * 60;

const apiKeySchema = z
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

const future = z.iso
  .datetime({ offset: true })
  .refine((text) => Date.parse(text) > Date.now(), 'Must be in the future');

export const createApiKeyBody = z.strictObject({
  name: displayName,
  expiresAt: future.optional(),
});

export const rotateApiKeyBody = z.strictObject({
  overlapSeconds: z
    .number()
    .int()
    .min(0)
    .max(30 * DAY_SECONDS)
    .default(DAY_SECONDS)
    .meta({ description: 'How long the old key goes on working beside the new one.' }),
  expiresAt: future.optional(),
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
  };
}

export function toNewApiKeyWire({ apiKey, key }: NewApiKey): z.input<typeof newApiKeySchema> {
  return { ...toApiKeyWire(apiKey), key };
}
