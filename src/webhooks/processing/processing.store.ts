import type { Db } from '../../platform/postgres/database.ts';
import type { VerifiedReason } from '../message/verified-reasons.ts';
import type { ReceiptRow } from '../receipts/receipts.store.ts';

/** Receipts that one transaction takes at most, and the bytes of their bodies together (one may be larger). */
const RECEIPTS_MAX = 200;
const BYTES_MAX = 4 * 1024 * 1024;

/** A receipt that waits to be processed, locked by the transaction that read it. */
export type WaitingReceipt = Pick<
  ReceiptRow,
  'id' | 'created_at' | 'project_id' | 'integration_id' | 'connection_id' | 'method' | 'query' | 'headers'
> &
  Pick<ReceiptRow, 'body_sealed' | 'matched' | 'unmatched' | 'duplicates'> & {
    next_item: number;
  };

/** Projects with receipts that wait, found by jumps through the index. */
export async function listWaitingProjects(db: Db, limit: number): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { project_id: string }[] }>(
    `WITH RECURSIVE waiting AS (
       (SELECT project_id FROM webhook_receipts WHERE split_at IS NULL ORDER BY project_id LIMIT 1)
       UNION ALL
       SELECT (SELECT r.project_id FROM webhook_receipts AS r
               WHERE r.split_at IS NULL AND r.project_id > w.project_id ORDER BY r.project_id LIMIT 1)
       FROM waiting AS w WHERE w.project_id IS NOT NULL)
     SELECT project_id FROM waiting WHERE project_id IS NOT NULL LIMIT ?`,
    [limit],
  );
  return rows.map((row) => row.project_id);
}

const COUNTED_MAX = 10_000;

/** How many receipts wait, counted up to ten thousand, and since when the oldest does. */
export async function readBacklog(db: Db): Promise<{ waiting: number; oldestAt: Date | null }> {
  const { rows } = await db.raw<{ rows: { waiting: number; oldest_at: Date | null }[] }>(
    `SELECT count(*)::int AS waiting, min(created_at) AS oldest_at
     FROM (SELECT created_at FROM webhook_receipts WHERE split_at IS NULL LIMIT ${COUNTED_MAX}) AS waiting`,
  );
  return { waiting: rows[0]?.waiting ?? 0, oldestAt: rows[0]?.oldest_at ?? null };
}

/**
 * Makes this transaction the only one that processes the project's receipts, so that events keep the order of their
 * receipts. False where another one is at it.
 */
export async function lockProject(trx: Db, projectId: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { is_locked: boolean }[] }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('webhooks ' || ?, 0)) AS is_locked`,
    [projectId],
  );
  return rows[0]?.is_locked === true;
}

/** Names a receipt that is locked, and how large its body is. */
export type ReceiptHead = { readonly id: string; readonly created_at: Date; readonly bytes: number };

/** The oldest receipts of the project that wait, locked, at most `limit`, and as many as their bodies allow. */
export async function lockWaiting(trx: Db, projectId: string, limit = RECEIPTS_MAX): Promise<ReceiptHead[]> {
  const { rows: heads } = await trx.raw<{ rows: ReceiptHead[] }>(
    `SELECT id, created_at, length(body_sealed) AS bytes FROM webhook_receipts
     WHERE project_id = ? AND split_at IS NULL AND (retry_at IS NULL OR retry_at <= now())
     ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED`,
    [projectId, limit],
  );
  return takeBytes(heads, BYTES_MAX);
}

/** The first of the heads whose bodies together are within the size; at least one. */
export function takeBytes(heads: readonly ReceiptHead[], bytesMax: number): ReceiptHead[] {
  let bytes = 0;
  return heads.filter((head, index) => {
    bytes += head.bytes;
    return index === 0 || bytes <= bytesMax;
  });
}

/** Receipts with their bodies, the oldest first. */
export async function readWaiting(trx: Db, heads: readonly ReceiptHead[]): Promise<WaitingReceipt[]> {
  const { rows } = await trx.raw<{ rows: WaitingReceipt[] }>(
    `SELECT id, r.created_at, project_id, integration_id, connection_id, method, query, headers, body_sealed,
       matched, unmatched, duplicates, next_item
     FROM webhook_receipts AS r JOIN unnest(?::uuid[], ?::timestamptz[]) AS c (chosen_id, chosen_at)
       ON r.id = c.chosen_id AND r.created_at = c.chosen_at
     ORDER BY id`,
    [heads.map(({ id }) => id), heads.map(({ created_at }) => created_at)],
  );
  return rows;
}

/** A connection that events of an account, or of an address, belong to. */
export type MatchedConnection = {
  readonly id: string;
  readonly integration_id: string;
  readonly account_id: string | null;
  readonly end_user_id: string;
  readonly subject: string | null;
  readonly organization: string | null;
};

/** The connections of these accounts, and these connections themselves, the oldest first. */
export async function findMatches(
  trx: Db,
  projectId: string,
  accounts: readonly { readonly integrationId: string; readonly accountId: string }[],
  connectionIds: readonly string[],
): Promise<MatchedConnection[]> {
  if (accounts.length + connectionIds.length === 0) return [];
  const { rows } = await trx.raw<{ rows: MatchedConnection[] }>(
    `SELECT c.id, c.integration_id, c.account_id, c.end_user_id, u.subject, u.organization
     FROM (SELECT m.id FROM unnest(?::uuid[], ?::text[]) AS a (integration_id, account_id)
             JOIN connections AS m ON m.integration_id = a.integration_id AND m.account_id = a.account_id
           UNION SELECT unnest(?::uuid[])) AS matched
     JOIN connections AS c ON c.id = matched.id AND c.project_id = ?
     JOIN end_users AS u ON u.id = c.end_user_id
     ORDER BY c.id`,
    [
      accounts.map(({ integrationId }) => integrationId),
      accounts.map(({ accountId }) => accountId),
      [...connectionIds],
      projectId,
    ],
  );
  return rows;
}

export type EventKey = {
  readonly integrationId: string;
  readonly keyHash: Buffer;
  readonly receiptId: string;
  readonly expiresAt: Date;
};

/**
 * Notes the keys, each given once, and answers those that another receipt has noted before, and those of this very
 * receipt, which noted them before it was processed again; both as `formatKeyName` writes them.
 */
export async function noteKeys(
  trx: Db,
  keys: readonly EventKey[],
): Promise<{ seen: Set<string>; own: ReadonlySet<string> }> {
  const fresh = keys.length === 0 ? new Set<string>() : await insertKeys(trx, keys);
  const known = keys.filter((key) => !fresh.has(formatKeyName(key.integrationId, key.keyHash)));
  const receipts = known.length === 0 ? new Map<string, string>() : await findReceiptsOfKeys(trx, known);
  const seen = new Set<string>();
  const own = new Set<string>();
  for (const { integrationId, keyHash, receiptId } of known) {
    const name = formatKeyName(integrationId, keyHash);
    if (receipts.get(name) === receiptId) own.add(name);
    else seen.add(name);
  }
  return { seen, own };
}

/** The names of the keys that were not there, or whose time was over. */
async function insertKeys(trx: Db, keys: readonly EventKey[]): Promise<ReadonlySet<string>> {
  // In one order, so that two transactions never wait for each other.
  const { rows } = await trx.raw<{ rows: { integration_id: string; key_hash: Buffer }[] }>(
    `INSERT INTO webhook_event_keys AS k (integration_id, key_hash, receipt_id, expires_at)
     SELECT * FROM unnest(?::uuid[], ?::bytea[], ?::uuid[], ?::timestamptz[]) ORDER BY 1, 2
     ON CONFLICT (integration_id, key_hash) DO UPDATE
       SET receipt_id = excluded.receipt_id, expires_at = excluded.expires_at WHERE k.expires_at < now()
     RETURNING integration_id, key_hash`,
    [
      keys.map((key) => key.integrationId),
      keys.map((key) => key.keyHash),
      keys.map((key) => key.receiptId),
      keys.map((key) => key.expiresAt),
    ],
  );
  return new Set(rows.map((row) => formatKeyName(row.integration_id, row.key_hash)));
}

/** The receipt that has noted each of the keys, by the key's name. */
async function findReceiptsOfKeys(trx: Db, keys: readonly EventKey[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await trx.raw<{
    rows: { integration_id: string; key_hash: Buffer; receipt_id: string }[];
  }>(
    `SELECT k.integration_id, k.key_hash, k.receipt_id FROM webhook_event_keys AS k
     JOIN unnest(?::uuid[], ?::bytea[]) AS u (integration_id, key_hash)
       ON k.integration_id = u.integration_id AND k.key_hash = u.key_hash`,
    [keys.map((key) => key.integrationId), keys.map((key) => key.keyHash)],
  );
  return new Map(rows.map((row) => [formatKeyName(row.integration_id, row.key_hash), row.receipt_id]));
}

/** The name of a key of an integration, in this process. */
export function formatKeyName(integrationId: string, keyHash: Buffer): string {
  return `${integrationId} ${keyHash.toString('hex')}`;
}

/** What processing made of a receipt. */
export type ProcessingResult = {
  readonly id: string;
  readonly createdAt: Date;
  readonly state: string;
  readonly reason: VerifiedReason | null;
  readonly events: number;
  readonly matched: number;
  readonly unmatched: number;
  readonly duplicates: number;
  readonly nextItem: number;
  /** False: items from `nextItem` on are left for another transaction. */
  readonly isDone: boolean;
};

export async function saveResults(trx: Db, results: readonly ProcessingResult[]): Promise<void> {
  if (results.length === 0) return;
  await trx.raw(
    `UPDATE webhook_receipts AS r SET state = s.state, reason = s.reason, events = s.events, matched = s.matched,
       unmatched = s.unmatched, duplicates = s.duplicates, next_item = s."nextItem", retry_at = NULL,
       split_at = CASE WHEN s."isDone" THEN now() END
     FROM jsonb_to_recordset(?::jsonb) AS s (id uuid, "createdAt" timestamptz, state text, reason text, events int,
       matched int, unmatched int, duplicates int, "nextItem" int, "isDone" boolean)
     WHERE r.id = s.id AND r.created_at = s."createdAt"`,
    [JSON.stringify(results)],
  );
}

const ATTEMPTS_MAX = 12;
const GIVEN_UP: VerifiedReason = 'not_split';

/**
 * Postpones a receipt that could not be processed, for longer each time. After some two days it counts as rejected; it can be
 * replayed by hand. Answers whether it was given up.
 */
export async function postponeReceipt(db: Db, { id, created_at }: ReceiptHead): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { is_given_up: boolean }[] }>(
    `UPDATE webhook_receipts SET attempts = attempts + 1,
       retry_at = now() + least(interval '6 hours', interval '10 seconds' * power(3, attempts)),
       state = CASE WHEN attempts + 1 >= ${ATTEMPTS_MAX} THEN 'rejected' ELSE state END,
       reason = CASE WHEN attempts + 1 >= ${ATTEMPTS_MAX} THEN '${GIVEN_UP}' ELSE reason END,
       split_at = CASE WHEN attempts + 1 >= ${ATTEMPTS_MAX} THEN now() END
     WHERE id = ? AND created_at = ? AND split_at IS NULL
     RETURNING split_at IS NOT NULL AS is_given_up`,
    [id, created_at],
  );
  return rows[0]?.is_given_up === true;
}
