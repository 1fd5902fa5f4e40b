import type { Db } from '../platform/postgres/database.ts';

/** Whether the timeline has a use of the connection by the user since then. */
export async function isUseNoted(
  db: Db,
  { connectionId, endUserId }: { readonly connectionId: string; readonly endUserId: string },
  since: Date,
): Promise<boolean> {
  const row = await db('activity')
    .where({ subject_id: connectionId, action: 'connection.used', actor_id: endUserId })
    .where('created_at', '>=', since)
    .first('id');
  return row !== undefined;
}

/** Whose the connection is, where it still is there. */
export async function findOwner(
  db: Db,
  { connectionId, projectId }: { readonly connectionId: string; readonly projectId: string },
): Promise<{ readonly end_user_id: string } | undefined> {
  return db('connections').where({ id: connectionId, project_id: projectId }).first('end_user_id');
}
