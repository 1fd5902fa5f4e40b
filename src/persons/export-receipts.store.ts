import type { DataKeys } from '../platform/data-keys.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { WaitingReceipt } from '../webhooks/processing/processing.store.ts';
import { toReceiptDetailWire } from '../webhooks/receipts/receipts.schema.ts';
import { findReceipt, openBody } from '../webhooks/receipts/receipts.store.ts';
import type { ExportedPerson, ExportPage } from './export.store.ts';

/** Bodies may be some megabytes each. */
const RECEIPTS = 4;

export type ReceiptTools = {
  readonly dataKeys: DataKeys;
  /** The accounts of a receipt's items. */
  readAccounts(receipt: WaitingReceipt): Promise<readonly string[]>;
};

/** The person's webhooks among the next ones of the project: of their own addresses, or with an item of their accounts. */
export async function readReceipts(
  { dataKeys, readAccounts }: ReceiptTools,
  db: Db,
  person: ExportedPerson,
  after = '00000000-0000-0000-0000-000000000000',
): Promise<ExportPage<object>> {
  const { projectId, endUserId, connectionIds } = person;
  const { rows: heads } = await db.raw<{ rows: (WaitingReceipt & { is_own: boolean })[] }>(
    `SELECT id, created_at, project_id, integration_id, connection_id, method, query, headers, body_sealed, matched,
       unmatched, duplicates, next_item, (connection_id IS NOT NULL) AS is_own
     FROM webhook_receipts WHERE project_id = :projectId AND id > :after AND (
       connection_id = ANY(CAST(:connectionIds AS uuid[])) OR (connection_id IS NULL AND integration_id IN (
         SELECT integration_id FROM connections WHERE project_id = :projectId AND end_user_id = :endUserId)))
     ORDER BY id LIMIT ${RECEIPTS}`,
    { projectId, endUserId, connectionIds: [...connectionIds], after },
  );
  const rows: object[] = [];
  for (const head of heads) {
    if (!head.is_own && !(await isOfAccount(db, person, head, await readAccounts(head)))) continue;
    const receipt = await findReceipt(db, head.id, [projectId]);
    if (receipt) rows.push(toReceiptDetailWire(receipt, await openBody(db, dataKeys, receipt)));
  }
  return { rows, next: heads.length < RECEIPTS ? null : (heads.at(-1)?.id ?? null) };
}

async function isOfAccount(
  db: Db,
  { projectId, endUserId }: ExportedPerson,
  { integration_id }: WaitingReceipt,
  accounts: readonly string[],
): Promise<boolean> {
  const row = await db('connections')
    .where({ project_id: projectId, end_user_id: endUserId, integration_id })
    .whereIn('account_id', [...new Set(accounts)])
    .first('id');
  return row !== undefined;
}
