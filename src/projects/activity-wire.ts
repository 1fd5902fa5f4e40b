import { z } from 'zod';
import type { ActivityRow } from '../activity/activity.store.ts';

export const ACTOR_KINDS = ['operator', 'api_key', 'end_user', 'gateway'] as const;

export const activitySchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid().nullable(),
    actorKind: z.enum(ACTOR_KINDS),
    actorId: z.uuid().nullable(),
    actorName: z.string().nullable().meta({
      description:
        'What the actor is called now: an operator’s name or e-mail address, a key’s name, your own id of a user. Null where it is gone, for the gateway itself, and in the live tail.',
    }),
    sourceAddress: z
      .string()
      .nullable()
      .meta({ description: 'Where the request came from; null for what the gateway did by itself.' }),
    action: z.string(),
    subjectKind: z.string(),
    subjectId: z.uuid().nullable(),
    subjectName: z.string().nullable().meta({
      description:
        'What the subject is called now: a connection’s account, an integration’s name or provider, a key’s or a mandate’s name, the host of a destination, the object of a poll, your own id of an organization. Null where it is gone or has none, and in the live tail.',
    }),
    details: z.record(z.string(), z.unknown()),
    requestId: z
      .uuid()
      .nullable()
      .meta({ description: 'Of the request that made the change; null for what the gateway did by itself.' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Activity' });

export const activityList = z
  .object({ activity: z.array(activitySchema), nextCursor: z.string().nullable() })
  .meta({ id: 'ActivityList' });

/** An entry of the audit log as callers of the API see it. */
export function activityWire(row: ActivityRow) {
  return {
    id: row.id,
    projectId: row.project_id,
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    actorName: row.actor_name ?? null,
    sourceAddress: row.source_address,
    action: row.action,
    subjectKind: row.subject_kind,
    subjectId: row.subject_id,
    subjectName: row.subject_name ?? null,
    details: row.details,
    requestId: row.request_id,
    createdAt: row.created_at.toISOString(),
  };
}
