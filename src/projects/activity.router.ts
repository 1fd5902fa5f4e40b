import { z } from 'zod';
import { type ActivityRow, listActivity } from '../activity/activity.store.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { decodeCursor, listQuery, page } from '../lib/cursor.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from './access.ts';

const activitySchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid().nullable(),
    actorKind: z.enum(['operator', 'api_key', 'end_user', 'gateway']),
    actorId: z.uuid().nullable(),
    sourceAddress: z
      .string()
      .nullable()
      .meta({ description: 'Where the request came from; null for what the gateway did by itself.' }),
    action: z.string(),
    subjectKind: z.string(),
    subjectId: z.uuid().nullable(),
    details: z.record(z.string(), z.unknown()),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Activity' });

const activityList = z
  .object({ activity: z.array(activitySchema), nextCursor: z.string().nullable() })
  .meta({ id: 'ActivityList' });

const activityQuery = z.strictObject({
  ...listQuery,
  projectId: z.uuid().optional(),
  action: z
    .string()
    .regex(/^[a-z_.]{1,100}$/, 'The name of an action')
    .optional()
    .meta({ description: 'Exactly, such as `connection.created`.' }),
  subjectId: z
    .uuid()
    .optional()
    .meta({ description: 'Of what the entries tell: a connection’s id gives its timeline.' }),
});

export function createActivityEndpoints({ db, access }: { db: Db; access: Access }): Endpoint[] {
  const list = endpoint({
    operationId: 'listActivity',
    method: 'get',
    path: '/activity',
    summary: 'Read the audit log',
    description:
      'Who did what, newest first: of the projects that you are a member of, or owned when they were deleted (a key: its own), and what you did to your own credentials.',
    tag: 'Projects',
    principals: ['operator', 'api_key'],
    query: activityQuery,
    success: { status: 200, schema: activityList, description: 'Entries, newest first' },
    async handler({ principal, query }) {
      const visible = await access.projectsToAudit(principal);
      const { projectId, action, subjectId, limit } = query;
      const isOwn = principal.kind === 'operator' && projectId === undefined;
      const rows = await listActivity(db, {
        projectIds:
          projectId === undefined ? visible : visible.filter((id) => id === projectId.toLowerCase()),
        ownOfOperatorId: isOwn ? principal.operatorId : undefined,
        action,
        subjectId,
        beforeId: decodeCursor(query.cursor),
        limit: limit + 1,
      });
      const { items, nextCursor } = page(rows, limit);
      return { body: { activity: items.map(activityWire), nextCursor } };
    },
  });

  return [list];
}

/** An entry of the audit log as callers of the API see it. */
export function activityWire(row: ActivityRow) {
  return {
    id: row.id,
    projectId: row.project_id,
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    sourceAddress: row.source_address,
    action: row.action,
    subjectKind: row.subject_kind,
    subjectId: row.subject_id,
    details: row.details,
    createdAt: row.created_at.toISOString(),
  };
}
