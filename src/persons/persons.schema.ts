import { z } from 'zod';
import type { GrantOutcome } from '../credentials/revoking/erasure-outcomes.store.ts';
import { grantOutcomesShape, toOutcomesWire } from '../credentials/revoking/unrevoked.schema.ts';
import { listQuery } from '../lib/cursor.ts';
import { userIdText } from '../projects/texts.schema.ts';
import type { Erasure } from './erasures.store.ts';
import { ERASED_KINDS } from './person.ts';

export const personParams = z.strictObject({
  projectId: z.uuid(),
  id: userIdText.meta({
    description:
      'Your own id of the user (`userId`), percent-encoded, or the gateway’s (`integrationUserId`). Of `.` and `..` only the gateway’s, since addresses are shortened at these.',
  }),
});

export const organizationParams = z.strictObject({
  projectId: z.uuid(),
  id: userIdText.meta({
    description:
      'Your own id of the organization (`organizationId`), percent-encoded, or the gateway’s. Of `.` and `..` only the gateway’s, since addresses are shortened at these.',
  }),
});

export const organizationsQuery = z.strictObject({
  ...listQuery,
  organizationId: userIdText.optional().meta({ description: 'Your own id of one.' }),
});

const organizationShape = {
  id: z.uuid().meta({ description: 'What its connections show as `integrationUserId`.' }),
  organizationId: z.string().meta({ description: 'Your own id of it, the `org` of tokens.' }),
  callsPerDay: z.number().int().nullable().meta({
    description: 'Its own quota; null: `limits.organizationCallsPerDay` of the project, where there is one.',
  }),
  createdAt: z.iso.datetime(),
};

export const updateOrganizationBody = z.strictObject({
  callsPerDay: z.number().int().min(1).max(1_000_000_000).nullable().optional().meta({
    description:
      'Proxied calls that its users may make together in 24 hours, in the place of what the project allows each organization. Null: that again.',
  }),
});

export const organizationList = z
  .object({
    organizations: z.array(z.object(organizationShape).meta({ id: 'Organization' })),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'OrganizationList' });

export const erasureParams = z.strictObject({ projectId: z.uuid(), id: z.uuid() });
export const erasuresQuery = z.strictObject(listQuery);

const upTo = (what: string) =>
  z
    .number()
    .int()
    .meta({ description: `${what}, counted up to 10,000.` });

export const personSchema = z
  .object({
    id: z.uuid().meta({ description: 'What connections show as `integrationUserId`.' }),
    userId: z.string(),
    createdAt: z.iso.datetime(),
    holds: z
      .object({
        connections: upTo('Connections'),
        connectSessions: upTo('Authorizations that were begun lately'),
        events: upTo('Kept events of these connections'),
        calls: upTo('Kept calls'),
      })
      .meta({ description: 'What erasing the user would erase, among more.' }),
  })
  .meta({ id: 'UserWithNumbers' });

export const organizationSchema = z
  .object({
    ...organizationShape,
    holds: z.object({
      connections: upTo('Connections'),
      connectSessions: upTo('Authorizations that were begun lately'),
      events: upTo('Kept events of these connections'),
      calls: upTo('Kept calls over these connections'),
    }),
  })
  .meta({ id: 'OrganizationWithNumbers' });

export const erasureSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    state: z.enum(['running', 'done']).meta({
      description:
        '`done`: nothing of the user is left in the gateway’s store but the pseudonym, and every grant has been tried at its provider once. `unrevoked` may still become shorter.',
    }),
    kind: z.enum(['user', 'organization']).meta({ description: 'Of whom it is.' }),
    pseudonym: z.uuid().meta({
      description: 'What the activity log has in the place of the user. Nothing leads from it to the user.',
    }),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    erased: z.record(z.string(), z.number().int()).meta({
      description:
        'Rows by kind: `connections`, `connectSessions`, `events`, `deliveries`, `webhookReceipts`, `calls`, `pollRecords`, `storedReplies`, `activityEntries`. Of `activityEntries`, those that have the pseudonym now.',
    }),
    ...grantOutcomesShape,
  })
  .meta({ id: 'UserErasure' });

export const erasureList = z
  .object({ userErasures: z.array(erasureSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'UserErasureList' });

export type ErasureWire = z.input<typeof erasureSchema>;

export function toErasureWire(erasure: Erasure, outcomes: readonly GrantOutcome[]): ErasureWire {
  const { id, projectId, state, kind, pseudonym, createdAt, finishedAt, erased } = erasure;
  return {
    ...{ id, projectId, state, kind, pseudonym },
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    erased: Object.fromEntries(ERASED_KINDS.map((kind) => [kind, erased[kind] ?? 0])),
    ...toOutcomesWire(outcomes),
  };
}
