import type { Connection } from '../../connections/connection.ts';
import type { Db } from '../../platform/postgres/database.ts';

/** What became of a grant that a report counts. */
export const ERASURE_OUTCOMES = [
  'revoked',
  'refused',
  'kept_for_another_connection',
  'nothing_to_revoke',
  'credentials_unreadable',
] as const;

/** Of a person who is erased, or of a project whose credentials are all revoked. */
type Report = { readonly id: string; readonly projectId: string; readonly of: 'user' | 'project' };

/** What erasing a page came to: connections whose row went, and of how many the credentials could not be read. */
export type Erased = { readonly gone: readonly Connection[]; readonly unreadable: number };

export type ErasureOutcome = {
  readonly erasureId: string;
  readonly projectId: string;
  readonly integrationId: string;
  readonly serviceProvider: string;
  readonly outcome: (typeof ERASURE_OUTCOMES)[number];
  /** Empty where none came. */
  readonly errorCode: string;
};

const TABLES = {
  user: { reports: 'user_erasures', outcomes: 'user_erasure_outcomes', key: 'erasure_id' },
  project: { reports: 'project_revocations', outcomes: 'project_revocation_outcomes', key: 'revocation_id' },
} as const;

/** Counts it in the report, as long as there is one, whichever kind it is. */
export async function noteErasureOutcome(trx: Db, noted: ErasureOutcome, grants = 1): Promise<void> {
  if (grants === 0) return;
  for (const { reports, outcomes, key } of Object.values(TABLES)) {
    await trx.raw(
      `INSERT INTO ${outcomes} AS o
         (${key}, project_id, integration_id, service_provider, outcome, error_code, grants)
       SELECT id, :projectId, :integrationId, :serviceProvider, :outcome, :errorCode, :grants
         FROM ${reports} WHERE id = :erasureId
       ON CONFLICT (${key}, integration_id, service_provider, outcome, error_code)
       DO UPDATE SET grants = o.grants + excluded.grants`,
      { ...noted, grants },
    );
  }
}

/**
 * Counts what of a page of one integration no provider is asked about. `asked` are the connections whose grants are to be
 * revoked.
 */
export async function noteUnasked(
  trx: Db,
  { id: erasureId, projectId }: Pick<Report, 'id' | 'projectId'>,
  { gone, unreadable }: Erased,
  asked: readonly (string | null)[],
): Promise<void> {
  const [first] = gone;
  if (first === undefined) return;
  const { integrationId, serviceProvider } = first;
  const known = new Set(asked);
  const without = gone.filter(({ id }) => !known.has(id)).length - unreadable;
  const noted = { erasureId, projectId, integrationId, serviceProvider, errorCode: '' };
  await noteErasureOutcome(trx, { ...noted, outcome: 'credentials_unreadable' }, unreadable);
  await noteErasureOutcome(trx, { ...noted, outcome: 'nothing_to_revoke' }, without);
}

/** What became of the grants, and which are still being tried. */
export type GrantOutcome = {
  readonly integrationId: string;
  readonly serviceProvider: string;
  readonly outcome: string;
  readonly errorCode: string | null;
  readonly grants: number;
  readonly triedUntil: Date | null;
};

export async function listOutcomes(db: Db, { id, projectId, of }: Report): Promise<GrantOutcome[]> {
  const { outcomes, key } = TABLES[of];
  const { rows } = await db.raw<{ rows: GrantOutcome[] }>(
    `SELECT integration_id AS "integrationId", service_provider AS "serviceProvider", outcome,
       nullif(error_code, '') AS "errorCode", CAST(grants AS integer) AS grants, CAST(NULL AS timestamptz) AS "triedUntil"
     FROM ${outcomes} WHERE ${key} = :id
     UNION ALL
     SELECT integration_id, service_provider, CASE WHEN last_error IS NULL THEN 'waiting' ELSE 'failing' END,
       last_error, CAST(count(*) AS integer), max(created_at) + interval '1 day'
     FROM grants_to_revoke WHERE project_id = :projectId AND erasure_id = :id
     GROUP BY integration_id, service_provider, last_error
     ORDER BY 1, 3, 4`,
    { id, projectId },
  );
  return rows;
}

/** Whether a grant has not been tried at its provider yet. */
export async function hasUntriedGrants(
  db: Db,
  { id, projectId }: Pick<Report, 'id' | 'projectId'>,
): Promise<boolean> {
  const row = await db('grants_to_revoke')
    .where({ project_id: projectId, erasure_id: id })
    .whereNull('last_error')
    .first('id');
  return row !== undefined;
}

/** How many grants were not, or not yet, taken back by their providers. */
export function countUnrevoked(outcomes: readonly GrantOutcome[]): number {
  return outcomes.reduce((sum, { outcome, grants }) => sum + (outcome === 'revoked' ? 0 : grants), 0);
}
