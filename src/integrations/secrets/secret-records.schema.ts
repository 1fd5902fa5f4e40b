import { z } from 'zod';

const instant = z.iso.datetime();

const secretRecordSchema = z
  .object({
    id: z.uuid(),
    kind: z.enum(['client', 'webhook']),
    age: z.enum(['newer', 'older']),
    createdAt: instant,
    createdBy: z.uuid(),
    lastWorkedAt: instant.nullable().describe('When the provider last accepted it, to the hour'),
    lastRefusedAt: instant.nullable().describe('When the provider last refused it, to the hour'),
    expiresAt: instant.nullable().describe('As the operator noted it in `secretExpiresAt`'),
    triedUntil: instant
      .nullable()
      .describe('Until when an older secret is still tried; null for a newer one'),
  })
  .meta({ id: 'IntegrationSecret' });

export const secretRecordList = z
  .object({ secrets: z.array(secretRecordSchema) })
  .meta({ id: 'IntegrationSecretList' });

export const secretRecordParams = z.strictObject({ id: z.uuid(), secretId: z.uuid() });
