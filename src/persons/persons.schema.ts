import { z } from 'zod';
import { listQuery } from '../lib/cursor.ts';
import { userIdText } from '../projects/texts.schema.ts';
import type { Erasure, GrantOutcome } from './erasures.store.ts';
import { ERASED_KINDS } from './person.ts';

export const personParams = z.strictObject({
  projectId: z.uuid(),
  id: userIdText.meta({
    description:
      'Your own id of the user (`userId`), percent-encoded, or the gateway’s (`integrationUserId`). Of `.` and `..` only the gateway’s, since addresses are shortened at these.',
  }),
});

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

/** Why a grant was not revoked. */
const UNREVOKED_REASONS = [
  'nothing_to_revoke',
  'credentials_unreadable',
  'kept_for_another_connection',
  'refused',
  'failing',
  'waiting',
] as const;

const unrevokedSchema = z.object({
  integrationId: z.uuid(),
  serviceProvider: z.string(),
  reason: z.enum(UNREVOKED_REASONS).meta({
    description:
      '`nothing_to_revoke`: the provider takes no credentials of this kind back, such as API keys that users typed in: they are good until somebody withdraws them there. `credentials_unreadable`: no key of the gateway opens them. `kept_for_another_connection`: the provider would have ended a connection of another user. `failing`: the provider did not take it, and is asked again until `triedUntil`. `refused`: it did not for a day. `waiting`: it has not been asked yet.',
  }),
  errorCode: z.string().nullable().meta({ description: 'What came of the last request to the provider.' }),
  grants: z.number().int(),
  triedUntil: z.iso.datetime().nullable(),
});

export const erasureSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    state: z.enum(['running', 'done']).meta({
      description:
        '`done`: nothing of the user is left in the gateway’s store but the pseudonym, and every grant has been tried at its provider once. `unrevoked` may still become shorter.',
    }),
    pseudonym: z.uuid().meta({
      description: 'What the activity log has in the place of the user. Nothing leads from it to the user.',
    }),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    erased: z.record(z.string(), z.number().int()).meta({
      description:
        'Rows by kind: `connections`, `connectSessions`, `events`, `deliveries`, `webhookReceipts`, `calls`, `pollRecords`, `storedReplies`, `activityEntries`. Of `activityEntries`, those that have the pseudonym now.',
    }),
    revoked: z.number().int().meta({ description: 'Grants that their providers took back.' }),
    unrevoked: z.array(unrevokedSchema),
  })
  .meta({ id: 'UserErasure' });

export const erasureList = z
  .object({ userErasures: z.array(erasureSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'UserErasureList' });

export function toErasureWire(
  erasure: Erasure,
  outcomes: readonly GrantOutcome[],
): z.input<typeof erasureSchema> {
  const { id, projectId, state, pseudonym, createdAt, finishedAt, erased } = erasure;
  const revoked = outcomes.filter(({ outcome }) => outcome === 'revoked');
  return {
    ...{ id, projectId, state, pseudonym },
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    erased: Object.fromEntries(ERASED_KINDS.map((kind) => [kind, erased[kind] ?? 0])),
    revoked: revoked.reduce((sum, { grants }) => sum + grants, 0),
    unrevoked: outcomes.flatMap(({ outcome, triedUntil, ...rest }) => {
      const reason = UNREVOKED_REASONS.find((name) => name === outcome);
      return reason === undefined ? [] : [{ ...rest, reason, triedUntil: triedUntil?.toISOString() ?? null }];
    }),
  };
}
