import type { Db } from '../../platform/postgres/database.ts';

/** An account at the provider of an integration. */
export type ProjectAccount = {
  readonly integrationId: string;
  readonly accountId: string;
  readonly projectId: string;
};

export type UnmatchedAccount = ProjectAccount & { readonly receiptId: string; readonly createdAt: Date };

/** Remembers which accounts' events found no connection, for when one appears. */
export async function noteUnmatched(trx: Db, accounts: readonly UnmatchedAccount[]): Promise<void> {
  if (accounts.length === 0) return;
  await trx('webhook_unmatched')
    .insert(
      accounts.map((account) => ({
        integration_id: account.integrationId,
        account_id: account.accountId,
        receipt_id: account.receiptId,
        project_id: account.projectId,
        created_at: account.createdAt,
      })),
    )
    .onConflict()
    .ignore();
}

/** Has the receipts processed again in which events of this account found no connection. Answers how many they are. */
export async function queueUnmatched(
  db: Db,
  { integrationId, accountId }: { readonly integrationId: string; readonly accountId: string },
  limit: number,
): Promise<number> {
  const { rows } = await db.raw<{ rows: { receipt_id: string; created_at: Date }[] }>(
    `DELETE FROM webhook_unmatched AS u USING (
       SELECT integration_id, account_id, receipt_id FROM webhook_unmatched
       WHERE integration_id = ? AND account_id = ? ORDER BY receipt_id LIMIT ? FOR UPDATE SKIP LOCKED) AS chosen
     WHERE (u.integration_id, u.account_id, u.receipt_id) = (chosen.integration_id, chosen.account_id, chosen.receipt_id)
     RETURNING u.receipt_id, u.created_at`,
    [integrationId, accountId, limit],
  );
  if (rows.length === 0) return 0;
  await db.raw(
    `UPDATE webhook_receipts AS r SET split_at = NULL, next_item = 0, attempts = 0, retry_at = NULL
     FROM unnest(?::uuid[], ?::timestamptz[]) AS u (id, created_at)
     WHERE r.id = u.id AND r.created_at = u.created_at`,
    [rows.map((row) => row.receipt_id), rows.map((row) => row.created_at)],
  );
  return rows.length;
}

/** Accounts of which events wait for a connection, and which have one by now. */
export async function listMatchableOfAnyProject(db: Db, limit: number): Promise<ProjectAccount[]> {
  const { rows } = await db.raw<{ rows: ProjectAccount[] }>(
    `WITH RECURSIVE accounts AS (
       (SELECT integration_id, account_id, project_id FROM webhook_unmatched
        ORDER BY integration_id, account_id LIMIT 1)
       UNION ALL
       SELECT next.integration_id, next.account_id, next.project_id FROM accounts AS a, LATERAL (
         SELECT integration_id, account_id, project_id FROM webhook_unmatched AS u
         WHERE (u.integration_id, u.account_id) > (a.integration_id, a.account_id)
         ORDER BY integration_id, account_id LIMIT 1) AS next)
     SELECT integration_id AS "integrationId", account_id AS "accountId", project_id AS "projectId"
     FROM accounts AS a WHERE EXISTS (
       SELECT 1 FROM connections AS c WHERE c.integration_id = a.integration_id AND c.account_id = a.account_id)
     LIMIT ?`,
    [limit],
  );
  return rows;
}

/** Those of the accounts that have a connection. */
export async function listMatched(db: Db, accounts: readonly ProjectAccount[]): Promise<ProjectAccount[]> {
  const { rows } = await db.raw<{ rows: ProjectAccount[] }>(
    `SELECT DISTINCT a.integration_id AS "integrationId", a.account_id AS "accountId", a.project_id AS "projectId"
       FROM unnest(?::uuid[], ?::text[], ?::uuid[]) AS a (integration_id, account_id, project_id)
       JOIN connections AS c ON c.integration_id = a.integration_id AND c.account_id = a.account_id`,
    [
      accounts.map(({ integrationId }) => integrationId),
      accounts.map(({ accountId }) => accountId),
      accounts.map(({ projectId }) => projectId),
    ],
  );
  return rows;
}
