import type { Db } from '../platform/postgres/database.ts';

/** An integration that nothing shows any more, and that is there until what it holds has been erased. */
export type DeletedIntegration = {
  readonly id: string;
  readonly projectId: string;
  /** Who deleted it, as `deletedBy` of the store takes it. */
  readonly deletedBy: unknown;
};

type Row = { id: string; project_id: string; deleted_by: unknown };

/** Hides an integration of the project, or all of them. Their polls pause, so that other releases leave them alone too. */
export async function markIntegrationsDeleted(
  trx: Db,
  { projectId, id }: { readonly projectId: string; readonly id?: string },
  by: object,
): Promise<void> {
  const ids: string[] = await trx('integrations')
    .where({ project_id: projectId, ...(id !== undefined && { id }) })
    .whereNull('deleted_at')
    .update({ deleted_at: trx.fn.now(), deleted_by: JSON.stringify(by) })
    .returning('id')
    .then((rows) => rows.map((row: { id: string }) => row.id));
  await trx('polls')
    .whereIn('integration_id', ids)
    .whereNull('paused_at')
    .update({ paused_at: trx.fn.now() });
}

/** One by id, or those of a project. */
export async function listDeletedIntegrationsOfAnyProject(
  db: Db,
  which: { readonly id: string } | { readonly projectId: string },
): Promise<DeletedIntegration[]> {
  const rows: Row[] = await db('integrations')
    .where('id' in which ? { id: which.id } : { project_id: which.projectId })
    .whereNotNull('deleted_at')
    .orderBy('id')
    .select('id', 'project_id', 'deleted_by');
  return rows.map(({ id, project_id, deleted_by }) => ({
    id,
    projectId: project_id,
    deletedBy: deleted_by,
  }));
}
