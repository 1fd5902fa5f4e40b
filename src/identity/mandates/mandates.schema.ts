import { z } from 'zod';
import { listQuery } from '../../lib/cursor.ts';
import { mandateEntriesSchema, shownMandateEntrySchema } from '../../mandates/mandate.schema.ts';
import { displayName } from '../../projects/texts.schema.ts';
import { MANDATE_STATES, type NamedMandate } from './mandates.store.ts';

const state = z.enum(MANDATE_STATES).meta({
  description: '`frozen`: every call of a token that refers to it is `403 mandate_frozen`.',
});

export const mandateSchema = z
  .object({
    id: z.uuid().meta({ description: 'What the claim `gateway_mandate` of tokens names.' }),
    projectId: z.uuid(),
    name: z.string(),
    entries: z.array(shownMandateEntrySchema),
    state,
    createdAt: z.iso.datetime(),
    createdBy: z.uuid(),
    updatedAt: z.iso.datetime(),
    updatedBy: z.uuid(),
  })
  .meta({ id: 'Mandate' });

export const mandateList = z
  .object({ mandates: z.array(mandateSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'MandateList' });

export const mandateParams = z.strictObject({ projectId: z.uuid(), id: z.uuid() });
export const mandatesQuery = z.strictObject(listQuery);

export const createMandateBody = z.strictObject({
  name: displayName,
  entries: mandateEntriesSchema,
  state: state.default('active'),
});

export const updateMandateBody = z.strictObject({
  name: displayName.optional(),
  entries: mandateEntriesSchema.optional().meta({ description: 'Take the place of those that were there.' }),
  state: state.optional(),
});

export function toMandateWire(mandate: NamedMandate): z.input<typeof mandateSchema> {
  return {
    id: mandate.id,
    projectId: mandate.projectId,
    name: mandate.name,
    entries: [...mandate.entries],
    state: mandate.state,
    createdAt: mandate.createdAt.toISOString(),
    createdBy: mandate.createdBy,
    updatedAt: mandate.updatedAt.toISOString(),
    updatedBy: mandate.updatedBy,
  };
}
