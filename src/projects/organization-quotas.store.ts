import { limitReached } from '../http/limit-reached.ts';
import type { Db } from '../platform/postgres/database.ts';

/** They stand in memory with the rules of their project. */
const QUOTAS_MAX = 1_000;

/** The quotas of a project's single organizations by the application's own ids, as a column of a query over projects. */
export const selectQuotas = (db: Db, projectId: string) =>
  db.raw(
    `(SELECT jsonb_object_agg(q.organization, q.calls_per_day) FROM end_users AS q
       WHERE q.project_id = ?? AND q.calls_per_day IS NOT NULL) AS organization_quotas`,
    [projectId],
  );

/** As `selectQuotas` answers them; null: none. */
export type QuotasColumn = Readonly<Record<string, number>> | null;

/** Names are the application's: among them may be those of members that every object has. */
export const readQuotas = (column: QuotasColumn): ReadonlyMap<string, number> =>
  new Map(column === null ? [] : Object.entries(column));

/** Gives an organization a quota of its own, or takes it away. Throws `limit_reached`. A trigger tells all processes. */
export async function setQuota(
  trx: Db,
  { projectId, id }: { readonly projectId: string; readonly id: string },
  callsPerDay: number | null,
): Promise<void> {
  if (callsPerDay !== null) {
    await trx('projects').where({ id: projectId }).forNoKeyUpdate().first('id');
    const others = await trx('end_users')
      .where({ project_id: projectId })
      .whereNotNull('calls_per_day')
      .whereNot({ id })
      .count<{ count: string }[]>({ count: '*' });
    if (Number(others[0]?.count) >= QUOTAS_MAX)
      throw limitReached(`A project may have ${QUOTAS_MAX} organizations with quotas of their own.`);
  }
  await trx('end_users').where({ project_id: projectId, id }).update({ calls_per_day: callsPerDay });
}
