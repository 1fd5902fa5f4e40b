import type { Db } from '../platform/postgres/database.ts';

/** Counting more would take longer than a list may. */
const COUNT_MAX = 10_000;

/** How many connections each integration has, and how many of them wait for their users; each up to COUNT_MAX. */
export async function countByIntegration(
  db: Db,
  integrationIds: readonly string[],
): Promise<Map<string, { connections: number; reauthorizationRequired: number }>> {
  const { rows } = await db.raw<{ rows: { id: string; connections: number; waiting: number }[] }>(
    `SELECT i.id,
       (SELECT count(*) FROM (SELECT 1 FROM connections AS c WHERE c.integration_id = i.id LIMIT :max) AS counted)::int
         AS connections,
       (SELECT count(*) FROM (SELECT 1 FROM connections AS c
          WHERE c.integration_id = i.id AND c.status = 'reauthorization_required' LIMIT :max) AS counted)::int AS waiting
     FROM unnest(CAST(:integrationIds AS uuid[])) AS i (id)`,
    { integrationIds: [...integrationIds], max: COUNT_MAX },
  );
  return new Map(
    rows.map((row) => [row.id, { connections: row.connections, reauthorizationRequired: row.waiting }]),
  );
}

export async function countOfProject(db: Db, projectId: string): Promise<number> {
  const row = await db('connections AS c')
    .where('c.project_id', projectId)
    .whereNotExists(db('integrations AS i').whereRaw('i.id = c.integration_id').whereNotNull('i.deleted_at'))
    .count({ total: '*' })
    .first();
  return Number(row?.total ?? 0);
}

export async function countOfIntegration(db: Db, integrationId: string, projectId: string): Promise<number> {
  const row = await db('connections')
    .where({ integration_id: integrationId, project_id: projectId })
    .count({ total: '*' })
    .first();
  return Number(row?.total ?? 0);
}
