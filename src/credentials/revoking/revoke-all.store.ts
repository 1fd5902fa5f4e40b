import { newId } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';

/** Revoking everything that a project holds: a job with its report. */
export type ProjectRevocation = {
  readonly id: string;
  readonly projectId: string;
  readonly state: 'running' | 'done';
  /** Connections that were erased so far. */
  readonly connections: number;
  readonly requestedBy: unknown;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
};

type Row = {
  id: string;
  project_id: string;
  state: 'running' | 'done';
  connections: string;
  requested_by: unknown;
  created_at: Date;
  finished_at: Date | null;
};

/** The one that is under way, or a new one. */
export async function beginRevocation(
  trx: Db,
  projectId: string,
  requestedBy: object,
): Promise<{ readonly revocation: ProjectRevocation; readonly isNew: boolean }> {
  const underWay = await trx<Row>('project_revocations')
    .where({ project_id: projectId, state: 'running' })
    .first();
  if (underWay !== undefined) return { revocation: fromRow(underWay), isNew: false };
  const [row] = await trx<Row>('project_revocations')
    .insert({ id: newId(), project_id: projectId, requested_by: JSON.stringify(requestedBy) })
    .returning('*');
  if (row === undefined) throw new Error('an inserted report was not returned');
  return { revocation: fromRow(row), isNew: true };
}

export async function findRevocation(
  db: Db,
  projectId: string,
  id: string,
): Promise<ProjectRevocation | undefined> {
  const row = await db<Row>('project_revocations').where({ id, project_id: projectId }).first();
  return row && fromRow(row);
}

export async function findRevocationOfAnyProject(db: Db, id: string): Promise<ProjectRevocation | undefined> {
  const row = await db<Row>('project_revocations').where({ id }).first();
  return row && fromRow(row);
}

export async function listRevocations(
  db: Db,
  filter: { readonly projectId: string; readonly beforeId: string | undefined; readonly limit: number },
): Promise<ProjectRevocation[]> {
  const query = db<Row>('project_revocations').where({ project_id: filter.projectId });
  if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
  return (await query.orderBy('id', 'desc').limit(filter.limit)).map(fromRow);
}

/** Integrations of the project, those that are being erased too. */
export async function listIntegrationIds(db: Db, projectId: string): Promise<string[]> {
  return db('integrations').where({ project_id: projectId }).orderBy('id').pluck('id');
}

export async function countConnections(trx: Db, id: string, count: number): Promise<void> {
  if (count > 0) await trx('project_revocations').where({ id }).increment('connections', count);
}

/** Leads the outcome of grants to the report. Answers the connections of those that it found. */
export async function claimGrants(
  trx: Db,
  { id, projectId }: Pick<ProjectRevocation, 'id' | 'projectId'>,
  {
    integrationId,
    connectionIds,
  }: { readonly integrationId: string; readonly connectionIds?: readonly string[] },
): Promise<readonly (string | null)[]> {
  const query = trx('grants_to_revoke')
    .where({ project_id: projectId, integration_id: integrationId })
    .whereNull('erasure_id');
  if (connectionIds === undefined) query.whereNull('connection_id');
  else query.whereIn('connection_id', connectionIds);
  const rows: { connection_id: string | null }[] = await query
    .update({ erasure_id: id })
    .returning('connection_id');
  return rows.map((row) => row.connection_id);
}

export async function finishRevocation(trx: Db, id: string): Promise<void> {
  await trx('project_revocations').where({ id }).update({ state: 'done', finished_at: trx.fn.now() });
}

/** Erases reports that are older than the activity is kept. */
export async function purgeRevocationsOfAnyProject(db: Db, before: Date): Promise<void> {
  await db('project_revocations').where('finished_at', '<', before).delete();
}

function fromRow(row: Row): ProjectRevocation {
  return {
    id: row.id,
    projectId: row.project_id,
    state: row.state,
    connections: Number(row.connections),
    requestedBy: row.requested_by,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}
