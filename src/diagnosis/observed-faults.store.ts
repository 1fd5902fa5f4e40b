import type { Db } from '../platform/postgres/database.ts';

export type FaultKind = 'origin' | 'return_url' | 'host' | 'token' | 'forwarded';

/** Something that was refused in passing. `projectId` null: it was not known whose it was. */
export type NoticedFault = {
  readonly projectId: string | null;
  readonly kind: FaultKind;
  readonly value: string;
  readonly count: number;
  readonly lastAt: Date;
};

export type FaultToKeep = Omit<NoticedFault, 'lastAt'>;

/** Others of the same kind push the oldest out: no caller can fill the table. */
const KEPT_PER_PROJECT_AND_KIND = 20;
const KEPT_DAYS = 7;

/** SQL over what was refused in passing, by whichever process. */
export function createNoticedFaultsStore({ db }: { db: Db }) {
  /** Adds to what is kept, and counts from one after a day without; projects that do not exist are left out. */
  async function keep(faults: readonly FaultToKeep[]): Promise<void> {
    if (faults.length === 0) return;
    const rows = faults.map(({ projectId, ...rest }) => ({ project_id: projectId, ...rest }));
    await db.transaction(async (trx) => {
      await trx.raw(
        `INSERT INTO noticed_faults (project_id, kind, value, count)
         SELECT n.project_id, n.kind, n.value, n.count
         FROM jsonb_to_recordset(?::jsonb) AS n(project_id uuid, kind text, value text, count bigint)
         WHERE n.project_id IS NULL OR EXISTS (SELECT 1 FROM projects AS p WHERE p.id = n.project_id)
         ORDER BY n.project_id, n.kind, n.value
         ON CONFLICT (project_id, kind, value)
         DO UPDATE SET last_at = now(), count = excluded.count + CASE
           WHEN noticed_faults.last_at > now() - interval '1 day' THEN noticed_faults.count ELSE 0 END`,
        [JSON.stringify(rows)],
      );
      await trx.raw(
        `DELETE FROM noticed_faults AS f USING (
           SELECT project_id, kind, value,
                  row_number() OVER (PARTITION BY project_id, kind ORDER BY last_at DESC, value) AS place
           FROM noticed_faults WHERE project_id IS NULL OR project_id = ANY(?)
         ) AS ranked
         WHERE ranked.place > ${KEPT_PER_PROJECT_AND_KIND} AND f.kind = ranked.kind AND f.value = ranked.value
           AND f.project_id IS NOT DISTINCT FROM ranked.project_id`,
        [faults.flatMap(({ projectId }) => projectId ?? [])],
      );
    });
  }

  /** Those of the project, and those whose project is not known, of the last seven days, the newest first. */
  async function listFor(projectId: string): Promise<NoticedFault[]> {
    const rows = await db('noticed_faults')
      .where((visible) => visible.where({ project_id: projectId }).orWhereNull('project_id'))
      .whereRaw(`last_at > now() - interval '${KEPT_DAYS} days'`)
      .orderBy('last_at', 'desc')
      .select('project_id', 'kind', 'value', 'count', 'last_at');
    return rows.map((row) => ({
      projectId: row.project_id,
      kind: row.kind,
      value: row.value,
      count: Number(row.count),
      lastAt: row.last_at,
    }));
  }

  async function purgeOfAnyProject(): Promise<void> {
    await db('noticed_faults').whereRaw(`last_at <= now() - interval '${KEPT_DAYS} days'`).delete();
  }

  async function isOnlyProjectOfGateway(): Promise<boolean> {
    const rows = await db('projects').limit(2).select('id');
    return rows.length <= 1;
  }

  return { keep, listFor, purgeOfAnyProject, isOnlyProjectOfGateway };
}

export type NoticedFaultsStore = ReturnType<typeof createNoticedFaultsStore>;
