import { timeOfId } from '../../events/stream/event.ts';
import { type DataKeys, formatDay } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { IdentifiedReceipt, KeptHeaders, Receipt, ReceiptState } from './receipt.ts';

/** Of a rejected webhook only the beginning of the body is kept. */
export const REJECTED_BODY_BYTES_MAX = 16 * 1024;
/** Rejected webhooks kept of an integration. */
const REJECTED_MAX = 100;

export type ReceiptRow = {
  id: string;
  created_at: Date;
  project_id: string;
  integration_id: string;
  connection_id: string | null;
  state: ReceiptState;
  reason: string | null;
  method: string;
  query: string;
  headers: KeptHeaders;
  body_sealed: Buffer;
  body_bytes: number;
  is_body_cut: boolean;
  events: number | null;
  matched: number;
  unmatched: number;
  duplicates: number;
  split_at: Date | null;
};

/** All columns but the body. */
const COLUMNS = [
  ...['id', 'created_at', 'project_id', 'integration_id', 'connection_id', 'state', 'reason', 'method'],
  ...['query', 'headers', 'body_bytes', 'is_body_cut', 'events', 'matched', 'unmatched', 'duplicates'],
  'split_at',
] as const;

/** The sealed body opens at this receipt only. */
const writeSealContext = (id: string) => `webhook_receipts.body ${id}`;

/** Stores the receipts, all or none, in one statement. Rejected ones need no splitting. */
export async function insertReceipts(
  db: Db,
  dataKeys: DataKeys,
  receipts: readonly IdentifiedReceipt[],
): Promise<void> {
  const rows: object[] = [];
  for (const receipt of receipts) {
    const { id, projectId, body, bodyBytes, state } = receipt;
    const createdAt = new Date(timeOfId(id));
    const isRejected = state === 'rejected';
    const kept = isRejected ? body.subarray(0, REJECTED_BODY_BYTES_MAX) : body;
    const key = await dataKeys.keyFor(db, projectId, formatDay(createdAt.getTime()));
    rows.push({
      id,
      created_at: createdAt,
      project_id: projectId,
      integration_id: receipt.integrationId,
      connection_id: receipt.connectionId,
      state,
      reason: receipt.reason,
      method: receipt.method,
      query: receipt.query,
      headers: JSON.stringify(receipt.headers),
      body_sealed: key.seal(kept, writeSealContext(id)),
      body_bytes: bodyBytes,
      is_body_cut: kept.length < bodyBytes,
      split_at: isRejected ? createdAt : null,
    });
  }
  await db('webhook_receipts').insert(rows);
}

/** Deletes the rejected webhooks of an integration but for the newest hundred. */
export async function trimRejected(db: Db, integrationId: string): Promise<void> {
  await db.raw(
    `DELETE FROM webhook_receipts WHERE integration_id = :integrationId AND state = 'rejected' AND id < (
       SELECT id FROM webhook_receipts WHERE integration_id = :integrationId AND state = 'rejected'
       ORDER BY id DESC OFFSET ${REJECTED_MAX - 1} LIMIT 1)`,
    { integrationId },
  );
}

/** The receipts of the projects, newest first. */
export async function listReceipts(
  db: Db,
  filter: {
    readonly projectIds: readonly string[];
    readonly integrationId?: string | undefined;
    readonly connectionId?: string | undefined;
    readonly state?: ReceiptState | undefined;
    readonly beforeId?: string | undefined;
    readonly limit: number;
  },
): Promise<Receipt[]> {
  const rows = await db<ReceiptRow>('webhook_receipts')
    .whereIn('project_id', filter.projectIds)
    .modify((query) => {
      if (filter.integrationId !== undefined) query.where('integration_id', filter.integrationId);
      if (filter.connectionId !== undefined) query.where('connection_id', filter.connectionId);
      if (filter.state !== undefined) query.where('state', filter.state);
      if (filter.beforeId !== undefined) {
        query.where('id', '<', filter.beforeId);
        // Lets the planner leave out the partitions of later days.
        query.where('created_at', '<=', new Date(timeOfId(filter.beforeId)));
      }
    })
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .select<Omit<ReceiptRow, 'body_sealed'>[]>([...COLUMNS]);
  return rows.map(toReceipt);
}

/** The receipt; undefined where none of the projects has it. */
export async function findReceipt(
  db: Db,
  id: string,
  projectIds: readonly string[],
): Promise<Receipt | undefined> {
  const [row] = await db<ReceiptRow>('webhook_receipts')
    .where({ id, created_at: readCreationTime(id) })
    .whereIn('project_id', projectIds)
    .select<Omit<ReceiptRow, 'body_sealed'>[]>([...COLUMNS]);
  return row && toReceipt(row);
}

/** The time in the id, with which a receipt is found in its partition. Ids of other kinds have a time, too. */
export function readCreationTime(id: string): Date {
  return new Date(Math.min(timeOfId(id), 8.64e15));
}

/** The body as it came; undefined where the keys are gone with the project. */
export async function openBody(
  db: Db,
  dataKeys: DataKeys,
  receipt: { readonly id: string; readonly projectId: string },
): Promise<Buffer | undefined> {
  const row = await db<ReceiptRow>('webhook_receipts')
    .where({ id: receipt.id, created_at: readCreationTime(receipt.id), project_id: receipt.projectId })
    .first('body_sealed');
  return row && openSealedBody(db, dataKeys, receipt, row.body_sealed);
}

export async function openSealedBody(
  db: Db,
  dataKeys: DataKeys,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  sealed: Buffer,
): Promise<Buffer | undefined> {
  const key = await dataKeys.findKey(db, projectId, formatDay(timeOfId(id)));
  return key?.open(sealed, writeSealContext(id));
}

/** Lets the receipt be split again from its first item on. False where it cannot be, since part of the body is gone. */
export async function queueAgain(db: Db, { id, projectId }: Receipt): Promise<boolean> {
  const changed = await db('webhook_receipts')
    .where({ id, created_at: readCreationTime(id), project_id: projectId, is_body_cut: false })
    .update({ split_at: null, next_item: 0, attempts: 0, retry_at: null });
  return changed > 0;
}

/** Lets the receipts be split again in which events of this account found no connection. Answers how many they are. */
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

/** An account at the provider of an integration. */
export type ProjectAccount = {
  readonly integrationId: string;
  readonly accountId: string;
  readonly projectId: string;
};

/** Accounts of which events wait for a connection, and which have one by now. */
export async function listMatchableOfAnyProject(db: Db, limit: number): Promise<ProjectAccount[]> {
  const { rows } = await db.raw<{ rows: ProjectAccount[] }>(
    `WITH RECURSIVE accounts AS (
       (SELECT integration_id, account_id, project_id FROM webhook_unmatched
        ORDER BY integration_id, account_id LIMIT 1)
       UNION ALL
       SELECT next.* FROM accounts AS a, LATERAL (
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

const ERASED_ROWS = 2_000;

/** Erases what has been kept for its time, and what deleted integrations left. `signal` ends it early. */
export async function purgeWebhooksOfAnyProject(
  db: Db,
  { beforeMs, signal }: { readonly beforeMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const batches = [
    `DELETE FROM webhook_event_keys WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM webhook_event_keys WHERE expires_at < now() LIMIT ${ERASED_ROWS}))`,
    `DELETE FROM webhook_unmatched WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM webhook_unmatched WHERE created_at < ? LIMIT ${ERASED_ROWS}))`,
  ];
  for (const sql of batches) {
    const bindings = sql.includes('?') ? [new Date(beforeMs)] : [];
    let erased = ERASED_ROWS;
    while (erased === ERASED_ROWS && !signal.aborted) {
      const result = await db.raw<{ rowCount: number }>(sql, bindings);
      erased = result.rowCount;
    }
  }
  for (const table of ['webhook_receipts', 'webhook_event_keys', 'webhook_unmatched'] as const) {
    for (const integrationId of await listOrphans(db, table)) {
      await eraseIntegrationRows(db, table, integrationId, signal);
    }
  }
}

type Table = 'webhook_receipts' | 'webhook_event_keys' | 'webhook_unmatched';

/** Integrations that the table names and that are gone, by jumps through its index. */
async function listOrphans(db: Db, table: Table): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { integration_id: string }[] }>(
    `WITH RECURSIVE named AS (
       (SELECT integration_id FROM ${table} ORDER BY integration_id LIMIT 1)
       UNION ALL
       SELECT (SELECT t.integration_id FROM ${table} AS t WHERE t.integration_id > n.integration_id
               ORDER BY t.integration_id LIMIT 1) FROM named AS n WHERE n.integration_id IS NOT NULL)
     SELECT integration_id FROM named AS n WHERE integration_id IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM integrations AS i WHERE i.id = n.integration_id)`,
  );
  return rows.map((row) => row.integration_id);
}

async function eraseIntegrationRows(
  db: Db,
  table: Table,
  integrationId: string,
  signal: AbortSignal,
): Promise<void> {
  let erased = ERASED_ROWS;
  while (erased === ERASED_ROWS && !signal.aborted) {
    // A row's place is unique within its partition only.
    const result = await db.raw<{ rowCount: number }>(
      `DELETE FROM ${table} WHERE (tableoid, ctid) IN (
         SELECT tableoid, ctid FROM ${table} WHERE integration_id = ? LIMIT ${ERASED_ROWS})`,
      [integrationId],
    );
    erased = result.rowCount;
  }
}

function toReceipt(row: Omit<ReceiptRow, 'body_sealed'>): Receipt {
  return {
    id: row.id,
    createdAt: row.created_at,
    projectId: row.project_id,
    integrationId: row.integration_id,
    connectionId: row.connection_id,
    state: row.state,
    reason: row.reason,
    method: row.method,
    query: row.query,
    headers: row.headers,
    bodyBytes: row.body_bytes,
    isBodyCut: row.is_body_cut,
    events: row.events,
    matched: row.matched,
    unmatched: row.unmatched,
    duplicates: row.duplicates,
    splitAt: row.split_at,
  };
}
