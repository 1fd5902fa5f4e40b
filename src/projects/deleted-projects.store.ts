import type { Db } from '../platform/postgres/database.ts';

/**
 * Hides a project: who could see it has no way in any more. Its members, API keys, signing keys, invitations and event
 * destinations go at once, each with its notice, so that every replica refuses its tokens; the rest is left to be erased.
 */
export async function markProjectDeleted(trx: Db, projectId: string, by: object): Promise<void> {
  await trx('projects')
    .where({ id: projectId })
    .update({
      deleted_at: trx.fn.now(),
      deleted_by: JSON.stringify(by),
      allowed_origins: [],
      version: trx.raw('version + 1'),
    });
  for (const table of ['api_keys', 'signing_keys', 'invitations', 'event_destinations', 'project_members']) {
    await trx(table).where({ project_id: projectId }).delete();
  }
}

/** Undefined for a project that is there, or gone. */
export async function findDeletedProject(
  db: Db,
  id: string,
): Promise<{ readonly deletedBy: unknown } | undefined> {
  const row = await db('projects').where({ id }).whereNotNull('deleted_at').first('deleted_by');
  return row && { deletedBy: row.deleted_by };
}

/** Some users and organizations of a project. */
export async function listEndUsers(db: Db, projectId: string, limit: number): Promise<string[]> {
  return db('end_users').where({ project_id: projectId }).limit(limit).pluck('id');
}

/** Erases users of a deleted project. Their connections have been erased before. */
export async function eraseEndUsers(db: Db, projectId: string, ids: readonly string[]): Promise<void> {
  await db('end_users')
    .where({ project_id: projectId })
    .whereIn('id', [...ids])
    .delete();
}

const USAGE_ROWS = 20_000;

/** Erases some of a deleted project's numbers, of which there may be two million. False where none are left. */
export async function eraseUsage(db: Db, projectId: string): Promise<boolean> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `DELETE FROM usage_counts WHERE project_id = ? AND ctid = ANY (ARRAY(
       SELECT ctid FROM usage_counts WHERE project_id = ? LIMIT ?))`,
    [projectId, projectId, USAGE_ROWS],
  );
  return rowCount > 0;
}

/** With everything that still belongs to it, except its audit log and what is kept by day: events, receipts, deliveries. */
export async function removeDeletedProject(db: Db, id: string): Promise<void> {
  await db('projects').where({ id }).whereNotNull('deleted_at').delete();
}
