import type { Db } from '../platform/postgres/database.ts';

/** As much of an integration as a list for end users is made of, since a project may have thousands. */
export type OfferedIntegration = Readonly<{
  id: string;
  serviceProvider: string;
  grant: string | null;
  name: string | null;
  logoHash: string | null;
}>;

type Row = {
  id: string;
  project_id: string;
  deleted_at: Date | null;
  disabled_at: Date | null;
  service_provider: string;
  grant: string | null;
  name: string | null;
  logo_hash: string | null;
};

/** Counting more would take longer than a page may; what is used that much stands at the top anyway. */
const COUNT_MAX = 2_000;
/** The others stand behind them, by name. */
const RANKED_MAX = 1_000;

/** Everything that the project offers: what is switched off it does not. */
export async function listOffered(db: Db, projectId: string): Promise<OfferedIntegration[]> {
  const rows: Row[] = await db<Row>('integrations')
    .where('project_id', projectId)
    .whereNull('deleted_at')
    .whereNull('disabled_at')
    .select('id', 'service_provider', 'grant', 'name', 'logo_hash');
  return rows.map((row) => ({
    id: row.id,
    serviceProvider: row.service_provider,
    grant: row.grant,
    name: row.name,
    logoHash: row.logo_hash,
  }));
}

/** By id, of the integrations with the most connections. */
export async function countConnectionsOfOffered(
  db: Db,
  projectId: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.raw<{ rows: { id: string; connections: number }[] }>(
    `SELECT id, connections FROM (
       SELECT i.id,
         (SELECT count(*) FROM (SELECT 1 FROM connections AS c WHERE c.integration_id = i.id LIMIT :most) AS counted)::int
           AS connections
       FROM integrations AS i WHERE i.project_id = :projectId AND i.deleted_at IS NULL) AS ranked
     WHERE connections > 0 ORDER BY connections DESC LIMIT :ranked`,
    { projectId, most: COUNT_MAX, ranked: RANKED_MAX },
  );
  return new Map(rows.map(({ id, connections }) => [id, connections]));
}

/** What operators set for these, by id. */
export async function readVariables(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Record<string, string>>> {
  if (ids.length === 0) return new Map();
  const rows: { id: string; variables: Record<string, string> }[] = await db('integrations')
    .where({ project_id: projectId })
    .whereIn('id', ids)
    .select('id', 'variables');
  return new Map(rows.map(({ id, variables }) => [id, variables]));
}
