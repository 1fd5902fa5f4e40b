import { z } from 'zod';
import { listQuery } from '../../lib/cursor.ts';
import { userIdText } from '../../projects/texts.schema.ts';
import { clientId, clientSecret, scopes, variables } from '../integrations.schema.ts';

const ownScopes = scopes.nullable().meta({
  description:
    'What is asked for in place of the scopes of the integration, and then without its optional ones. Null: those of the integration.',
});

export const createOrganizationClientBody = z.strictObject({
  organizationId: userIdText.meta({
    description: 'Your own id of the organization, the claim `org` of its users’ tokens.',
    examples: ['acme'],
  }),
  clientId,
  clientSecret: clientSecret.optional(),
  variables: variables.default({}).meta({ description: 'They count more than those of the integration.' }),
  scopes: ownScopes.default(null),
});

export const updateOrganizationClientBody = z.strictObject({
  clientId: clientId.optional(),
  clientSecret: clientSecret.optional(),
  variables: variables.optional(),
  scopes: ownScopes.optional(),
});

export const organizationClientSchema = z
  .object({
    id: z.uuid(),
    integrationId: z.uuid(),
    organizationId: z.string(),
    clientId: z.string(),
    hasSecret: z.boolean(),
    variables: z.record(z.string(), z.string()),
    scopes: z.array(z.string()).nullable(),
    lastWorkedAt: z.iso.datetime().nullable().meta({ description: 'When the provider last accepted it.' }),
    lastRefusedAt: z.iso.datetime().nullable().meta({ description: 'When the provider last refused it.' }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'OrganizationClient' });

export const organizationClientList = z
  .object({ clients: z.array(organizationClientSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'OrganizationClientList' });

export const organizationClientParams = z.strictObject({
  id: z.uuid(),
  clientId: z.uuid().meta({ description: 'The `id` of the client, not the one that the provider gave it.' }),
});
export const organizationClientsQuery = z.strictObject({
  ...listQuery,
  organizationId: userIdText.optional().meta({ description: 'Your id of the organization.' }),
});

export type OrganizationClientWire = z.infer<typeof organizationClientSchema>;
