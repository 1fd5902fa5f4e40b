import type { Db } from '../../platform/postgres/database.ts';

/** What became of a grant of a person who was erased. */
export const ERASURE_OUTCOMES = [
  'revoked',
  'refused',
  'kept_for_another_connection',
  'nothing_to_revoke',
  'credentials_unreadable',
] as const;

export type ErasureOutcome = {
  readonly erasureId: string;
  readonly projectId: string;
  readonly integrationId: string;
  readonly serviceProvider: string;
  readonly outcome: (typeof ERASURE_OUTCOMES)[number];
  /** Empty where none came. */
  readonly errorCode: string;
};

/** Counts it in the report, as long as there is one. */
export async function noteErasureOutcome(trx: Db, noted: ErasureOutcome, grants = 1): Promise<void> {
  if (grants === 0) return;
  await trx.raw(
    `INSERT INTO user_erasure_outcomes AS o
       (erasure_id, project_id, integration_id, service_provider, outcome, error_code, grants)
     SELECT id, :projectId, :integrationId, :serviceProvider, :outcome, :errorCode, :grants
       FROM user_erasures WHERE id = :erasureId
     ON CONFLICT (erasure_id, integration_id, service_provider, outcome, error_code)
     DO UPDATE SET grants = o.grants + excluded.grants`,
    { ...noted, grants },
  );
}
