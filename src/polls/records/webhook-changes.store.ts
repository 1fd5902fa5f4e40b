import type { Db } from '../../platform/postgres/database.ts';

/** A change of an object of a connection that a webhook reported. */
type WebhookChange = {
  readonly connectionId: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly change: 'created' | 'updated' | 'deleted' | 'other';
  /** Null: the provider does not say. */
  readonly occurredAt: Date | null;
};

type ListeningSet = { connection_id: string; object_type: string; record_set: string };
type Pair<Change = WebhookChange> = { readonly set: string; readonly change: Change };

/** Stands for NULL in arrays of texts. */
const NONE = '-';
/** Many providers give whole seconds, within one of which a record may be changed and then deleted. */
const TIME_UNIT_MS = 1_000;

/**
 * Answers those of the changes that a poll has delivered already, in this version or a newer one, and remembers the
 * others, so that a poll which reads them later drops them. A change that the provider gives no time is never known.
 * Locks polls of connections, then fingerprints, each in their order; positions of events must be taken later.
 */
export async function settleWebhookChanges<Change extends WebhookChange>(
  trx: Db,
  changes: readonly Change[],
): Promise<ReadonlySet<Change>> {
  const sets = await lockSets(trx, changes);
  if (sets.size === 0) return new Set();
  const pairs = changes.flatMap((change) =>
    (sets.get(pairOf(change.connectionId, change.objectType)) ?? []).map((set) => ({ set, change })),
  );
  // A statement of its own: it must see what a poll has written that the lock waited for.
  const reported = await readReported(trx, pairs);
  const known = new Set(
    pairs
      .filter(({ set, change }) => isReported(change, reported.get(nameOf(set, change.objectId))))
      .map(({ change }) => change),
  );
  await noteWebhookChanges(
    trx,
    pairs.filter(({ change }) => !known.has(change)),
  );
  return known;
}

/**
 * Which polls read these objects of these connections, by connection and object. Waits for pages that they are writing
 * down, and holds them back until `trx` ends.
 */
async function lockSets(trx: Db, changes: readonly WebhookChange[]): Promise<Map<string, string[]>> {
  const pairs = new Map(changes.map((change) => [pairOf(change.connectionId, change.objectType), change]));
  if (pairs.size === 0) return new Map();
  const { rows } = await trx.raw<{ rows: ListeningSet[] }>(
    `SELECT c.connection_id, c.object_type, c.record_set FROM poll_connections AS c
       JOIN unnest(?::uuid[], ?::text[]) AS w (connection_id, object_type)
         ON c.connection_id = w.connection_id AND c.object_type = w.object_type
      WHERE c.hears_webhooks ORDER BY c.record_set FOR SHARE OF c`,
    [
      [...pairs.values()].map(({ connectionId }) => connectionId),
      [...pairs.values()].map(({ objectType }) => objectType),
    ],
  );
  const sets = new Map<string, string[]>();
  for (const row of rows) {
    const pair = pairOf(row.connection_id, row.object_type);
    sets.set(pair, [...(sets.get(pair) ?? []), row.record_set]);
  }
  return sets;
}

/** The last version that a poll has delivered. */
type Reported = { readonly told_at: Date; readonly is_deleted: boolean };

function isReported({ change, occurredAt }: WebhookChange, reported: Reported | undefined): boolean {
  if (occurredAt === null || reported === undefined) return false;
  const aheadMs = reported.told_at.getTime() - occurredAt.getTime();
  const isDeletionOfPresent = change === 'deleted' && !reported.is_deleted;
  return aheadMs >= (isDeletionOfPresent ? TIME_UNIT_MS : 0);
}

async function readReported(trx: Db, pairs: readonly Pair[]): Promise<Map<string, Reported>> {
  const { rows } = await trx.raw<{ rows: (Reported & { record_set: string; object_id: string })[] }>(
    `SELECT r.record_set, r.object_id, r.told_at, r.hash IS NULL AS is_deleted FROM poll_records AS r
       JOIN unnest(?::bigint[], ?::text[]) AS w (record_set, object_id)
         ON r.record_set = w.record_set AND r.object_id = w.object_id
      WHERE r.told_at IS NOT NULL`,
    [pairs.map(({ set }) => set), pairs.map(({ change }) => change.objectId)],
  );
  return new Map(rows.map((row) => [nameOf(row.record_set, row.object_id), row]));
}

async function noteWebhookChanges(trx: Db, pairs: readonly Pair[]): Promise<void> {
  const notes = mergeNotes(pairs);
  if (notes.length === 0) return;
  await trx.raw(
    `INSERT INTO poll_records AS kept (record_set, object_id, hash, updated_at, webhook_at)
     SELECT w.record_set, w.object_id, CASE WHEN w.is_deleted THEN NULL ELSE ''::bytea END,
            CASE WHEN w.is_deleted THEN w.at END, w.at
       FROM (SELECT record_set, object_id, is_deleted, to_timestamp(nullif(at_ms, '${NONE}')::float8 / 1000) AS at
               FROM unnest(?::bigint[], ?::text[], ?::boolean[], ?::text[])
                    AS given (record_set, object_id, is_deleted, at_ms)) AS w
      ORDER BY w.record_set, w.object_id COLLATE "C"
     ON CONFLICT (record_set, object_id) DO UPDATE
     SET webhook_at = greatest(kept.webhook_at, excluded.webhook_at),
         hash = CASE WHEN excluded.hash IS NULL THEN NULL ELSE coalesce(kept.hash, excluded.hash) END,
         updated_at = coalesce(excluded.updated_at, kept.updated_at)`,
    [
      notes.map(({ set }) => set),
      notes.map(({ objectId }) => objectId),
      notes.map(({ isDeleted }) => isDeleted),
      notes.map(({ webhookAt }) => String(webhookAt?.getTime() ?? NONE)),
    ],
  );
}

const pairOf = (connectionId: string, objectType: string) => `${connectionId} ${objectType}`;
const nameOf = (set: string, objectId: string) => `${set} ${objectId}`;

/** One note for each object: whether its last change deleted it, and the latest time. */
function mergeNotes(pairs: readonly Pair[]) {
  const notes = new Map<
    string,
    { set: string; objectId: string; isDeleted: boolean; webhookAt: Date | null }
  >();
  for (const { set, change } of pairs) {
    const { objectId, occurredAt } = change;
    const name = nameOf(set, objectId);
    const before = notes.get(name)?.webhookAt ?? null;
    const isLater = before === null || occurredAt === null || occurredAt >= before;
    if (!isLater) continue;
    const webhookAt = occurredAt ?? before;
    notes.set(name, { set, objectId, isDeleted: change.change === 'deleted', webhookAt });
  }
  return [...notes.values()];
}
