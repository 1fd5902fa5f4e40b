import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import { listUses, sumMandates } from './mandate-uses.store.ts';
import { projectParams } from './stats.schema.ts';

/** More than a person reads; users of before are found in the calls. */
const USES_MAX = 200;
const TAG = 'Mandates';
const KEPT =
  'Of the project’s newest 10,000 calls under mandates that are kept: failures, slow calls and a sample of the others.';

const countsShape = {
  calls: z.number(),
  refused: z.number().meta({ description: 'Of these the calls that the mandate did not allow.' }),
  lastAt: z.iso.datetime(),
};

const mandateSumSchema = z
  .object({
    mandateId: z.string(),
    users: z.number().meta({ description: 'How many end users it was used for.' }),
    ...countsShape,
  })
  .meta({ id: 'MandateSum' });

const sumList = z.object({ mandates: z.array(mandateSumSchema) }).meta({ id: 'MandateSums' });

const mandateUseSchema = z
  .object({
    userId: z.string().nullable(),
    actor: z
      .object({ id: z.string(), name: z.string().nullable() })
      .nullable()
      .meta({ description: 'Who acted for the user, of a chain the current one; null: the user alone.' }),
    provider: z.string(),
    ...countsShape,
  })
  .meta({ id: 'MandateUse' });

const useList = z
  .object({ uses: z.array(mandateUseSchema), isCut: z.boolean().meta({ description: 'There are more.' }) })
  .meta({ id: 'MandateUses' });

const useParams = projectParams.extend({
  mandateId: z.string().max(60).meta({
    description: 'A mandate’s id, or the digest of entries that stood in tokens.',
  }),
});

/** Who used which mandate, as far as kept calls tell. */
export function createMandateUsesEndpoints({ db, access }: { db: Db; access: Access }): Endpoint[] {
  const sum = endpoint({
    operationId: 'sumMandateUses',
    method: 'get',
    path: '/projects/{projectId}/mandate-uses',
    summary: 'Count the uses of mandates by name',
    description: `${KEPT} Mandates that none of these had are left out.`,
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'activity:read',
    params: projectParams,
    success: { status: 200, schema: sumList, description: 'Mandates, the one used last first' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId } }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const rows = await sumMandates(db, projectId);
      const mandates = rows.map(({ mandate_id, users, ...rest }) => ({
        ...{ mandateId: mandate_id, users },
        ...countsOf(rest),
      }));
      return { body: { mandates } };
    },
  });

  const list = endpoint({
    operationId: 'listMandateUses',
    method: 'get',
    path: '/projects/{projectId}/mandate-uses/{mandateId}',
    summary: 'List who used a mandate',
    description: `By user, actor and provider. ${KEPT}`,
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'activity:read',
    params: useParams,
    success: { status: 200, schema: useList, description: 'Uses, the latest first' },
    errors: ['project_not_found'],
    async handler({ principal, params: { projectId, mandateId } }) {
      await access.requireProjectAccess(principal, projectId, 'read');
      const filter = { projectId, mandateId, limit: USES_MAX + 1 };
      const rows = await listUses(db, filter);
      const uses = rows.slice(0, USES_MAX).map(({ subject, actor, provider, ...rest }) => ({
        userId: subject,
        actor: actor && { id: actor.id, name: actor.name ?? null },
        provider,
        ...countsOf(rest),
      }));
      return { body: { uses, isCut: rows.length > USES_MAX } };
    },
  });

  return [sum, list];
}

function countsOf({ calls, refused, last_at }: { calls: number; refused: number; last_at: Date }) {
  return { calls, refused, lastAt: last_at.toISOString() };
}
