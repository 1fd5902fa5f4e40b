import type { Db } from '../../platform/postgres/database.ts';
import type { Pseudonyms } from '../../platform/pseudonyms.ts';
import type { ReceiptHead } from './processing.store.ts';
import type { UnmatchedAccount } from './unmatched.store.ts';

/**
 * Those of the accounts that belonged to persons who were erased. What comes for them is not kept until somebody connects
 * them again.
 */
export async function findErasedAccounts(
  trx: Db,
  pseudonyms: Pick<Pseudonyms, 'find'>,
  projectId: string,
  accounts: readonly UnmatchedAccount[],
): Promise<ReadonlySet<UnmatchedAccount>> {
  const pseudonymize = accounts.length === 0 ? undefined : await pseudonyms.find(trx, projectId);
  if (pseudonymize === undefined) return new Set();
  const byName = Map.groupBy(
    accounts,
    ({ integrationId, accountId }) => `${integrationId} ${pseudonymize('account', accountId)}`,
  );
  const names = [...byName.keys()].map((name) => name.split(' '));
  const { rows } = await trx.raw<{ rows: { name: string }[] }>(
    `SELECT e.integration_id || ' ' || e.account_pseudonym AS name FROM erased_accounts AS e
     JOIN unnest(?::uuid[], ?::uuid[]) AS a (integration_id, account_pseudonym) USING (integration_id, account_pseudonym)`,
    [names.map(([integrationId = '']) => integrationId), names.map(([, pseudonym = '']) => pseudonym)],
  );
  return new Set(rows.flatMap(({ name }) => byName.get(name) ?? []));
}

export async function removeReceipts(
  trx: Db,
  heads: readonly Pick<ReceiptHead, 'id' | 'created_at'>[],
): Promise<void> {
  if (heads.length === 0) return;
  await trx.raw(
    `DELETE FROM webhook_receipts AS r USING unnest(?::uuid[], ?::timestamptz[]) AS g (id, created_at)
     WHERE r.id = g.id AND r.created_at = g.created_at AND r.split_at IS NOT NULL`,
    [heads.map(({ id }) => id), heads.map(({ created_at }) => created_at)],
  );
}
