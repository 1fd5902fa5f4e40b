import { z } from 'zod';
import { listQuery } from '../lib/cursor.ts';
import { readMandateClaim, shownMandateEntrySchema } from '../mandates/mandate.schema.ts';
import { userIdText } from '../projects/texts.schema.ts';
import { type Consent, describeClient } from './consent.ts';

export const consentSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    userId: z.string().meta({ description: 'Your id of the user.' }),
    integrationUserId: z.uuid().meta({ description: 'The gateway’s id of the user.' }),
    client: z.object({
      id: z.string().meta({
        description: 'The address of the client’s metadata document; a UUID of one that registered itself.',
      }),
      name: z.string().nullable().meta({ description: 'What the client calls itself.' }),
      host: z.string().nullable().meta({
        description: 'Where its document stands: that is proved. Null: it registered itself.',
      }),
    }),
    access: z
      .enum(['read', 'all'])
      .meta({ description: '`read`: whatever the mandate allows beyond that, nothing is changed.' }),
    authorizationDetails: z
      .array(shownMandateEntrySchema)
      .nullable()
      .meta({ description: 'The mandate of the token that the person signed in with; null: none.' }),
    mandateId: z.string().nullable().meta({ description: 'The named mandate of that token.' }),
    createdAt: z.iso.datetime(),
    usedAt: z.iso.datetime().meta({ description: 'When the client got its latest token.' }),
  })
  .meta({ id: 'AgentConsent' });

export const consentList = z
  .object({ consents: z.array(consentSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'AgentConsentList' });

export const consentParams = z.strictObject({ id: z.uuid() });
export const consentsQuery = z.strictObject({
  ...listQuery,
  projectId: z.uuid().optional(),
  userId: userIdText.optional().meta({ description: 'Your id of the user.' }),
});

export function toConsentWire(consent: Consent): z.input<typeof consentSchema> {
  const { id, projectId, userId, endUserId, clientId, clientName, access, rights } = consent;
  const reading = readMandateClaim(rights.authorization_details);
  const { gateway_mandate: mandateId } = rights;
  return {
    ...{ id, projectId, userId, integrationUserId: endUserId, access },
    client: { id: clientId, ...describeClient(clientId, clientName) },
    authorizationDetails: reading.kind === 'entries' ? [...reading.entries] : null,
    mandateId: typeof mandateId === 'string' ? mandateId : null,
    createdAt: consent.createdAt.toISOString(),
    usedAt: consent.usedAt.toISOString(),
  };
}
