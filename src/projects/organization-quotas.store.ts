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

/** The organization whose quota is to be changed: `lockQuota` holds off every other change of the project's quotas. */
type Organization = { readonly projectId: string; readonly id: string };

/** The quota as it stands until the transaction ends, null where the project's counts; undefined: the organization is gone. */
export async function lockQuota(
  trx: Db,
  { projectId, id }: Organization,
): Promise<{ readonly callsPerDay: number | null } | undefined> {
  await trx('projects').where({ id: projectId }).forNoKeyUpdate().first('id');
  return trx('end_users')
    .where({ project_id: projectId, id })
    .first<{ callsPerDay: number | null } | undefined>({ callsPerDay: 'calls_per_day' });
}

/**
 * Gives an organization, whose quota is locked, another one, or takes it away. Throws `limit_reached`. A trigger tells all
 * processes.
 */
export async function setQuota(
  trx: Db,
  { projectId, id }: Organization,
  callsPerDay: number | null,
): Promise<void> {
  if (callsPerDay !== null) {
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
