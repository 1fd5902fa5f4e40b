import type { Knex } from 'knex';
import { timeOfId } from '../../events/stream/event.ts';
import { type DataKeys, formatDay } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { IdentifiedReceipt, KeptHeaders, Receipt, ReceiptState } from './receipt.ts';

/** Of a rejected webhook only the beginning of the body is kept. */
export const REJECTED_BODY_BYTES_MAX = 16 * 1024;
/** Of a longer body a list says its length alone. */
const LISTED_BODY_BYTES_MAX = 2 * 1024;
/** What sealing adds to a text at most. */
const SEAL_BYTES = 64;
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

/** Stores the receipts, all or none, in one statement. Rejected ones are not processed. */
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

export type ListedReceipt = {
  readonly id: string;
  readonly receipt: Receipt;
  /** Left out where it is long: a page of them has to stay small. */
  readonly sealedBody: Buffer | undefined;
};

type ReceiptFilter = {
  readonly projectIds: readonly string[];
  readonly integrationId?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly state?: ReceiptState | undefined;
  readonly beforeId?: string | undefined;
  readonly limit: number;
};

type ReceiptQuery = Knex.QueryBuilder<ReceiptRow, unknown>;

/**
 * The receipts of the projects, newest first, with bodies that are short. Among the unmatched ones are accepted ones of
 * which some events wait for a connection.
 */
export async function listReceipts(db: Db, filter: ReceiptFilter): Promise<ListedReceipt[]> {
  const { state, limit } = filter;
  const found = await selectReceipts(db, filter, (query) => {
    if (state !== undefined) query.where('state', state);
  });
  if (state !== 'unmatched') return found;
  const lastId = found.length < limit ? undefined : found.at(-1)?.id;
  const partly = await selectReceipts(db, filter, (query) => {
    query.where('state', 'accepted').whereIn(['id', 'created_at'], selectWaiting(db, filter, lastId));
  });
  const byId = new Map([...found, ...partly].map((one) => [one.id, one]));
  return [...byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit);
}

/** The receipts with events that wait for a connection; of a page that is full only those that belong on it. */
function selectWaiting(
  db: Db,
  { projectIds, integrationId, beforeId }: ReceiptFilter,
  lastId: string | undefined,
): Knex.QueryBuilder {
  return db('webhook_unmatched')
    .where((query) => {
      if (integrationId !== undefined) query.where('integration_id', integrationId);
      // The table is read by integrations: it has no index of projects.
      else query.whereIn('integration_id', db('integrations').whereIn('project_id', projectIds).select('id'));
      if (beforeId !== undefined) query.where('receipt_id', '<', beforeId);
      if (lastId !== undefined) query.where('receipt_id', '>', lastId);
    })
    .select('receipt_id', 'created_at');
}

async function selectReceipts(
  db: Db,
  filter: ReceiptFilter,
  narrow: (query: ReceiptQuery) => void,
): Promise<ListedReceipt[]> {
  const shortBody = db.raw<ReceiptRow>(
    'CASE WHEN octet_length(body_sealed) <= ? THEN body_sealed END AS short_body',
    [LISTED_BODY_BYTES_MAX + SEAL_BYTES],
  );
  const rows = await db<ReceiptRow>('webhook_receipts')
    .whereIn('project_id', filter.projectIds)
    .modify((query) => {
      if (filter.integrationId !== undefined) query.where('integration_id', filter.integrationId);
      if (filter.connectionId !== undefined) query.where('connection_id', filter.connectionId);
      if (filter.beforeId !== undefined) {
        query.where('id', '<', filter.beforeId);
        // Lets the planner leave out the partitions of later days.
        query.where('created_at', '<=', new Date(timeOfId(filter.beforeId)));
      }
      narrow(query);
    })
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .select<(Omit<ReceiptRow, 'body_sealed'> & { short_body: Buffer | null })[]>([...COLUMNS, shortBody]);
  return rows.map((row) => ({
    id: row.id,
    receipt: toReceipt(row),
    sealedBody: row.short_body ?? undefined,
  }));
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
function readCreationTime(id: string): Date {
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

/** Has the receipt processed again from its first item on. False where it cannot be, since part of the body is gone. */
export async function queueAgain(db: Db, { id, projectId }: Receipt): Promise<boolean> {
  const changed = await db('webhook_receipts')
    .where({ id, created_at: readCreationTime(id), project_id: projectId, is_body_cut: false })
    .update({ split_at: null, next_item: 0, attempts: 0, retry_at: null });
  return changed > 0;
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
