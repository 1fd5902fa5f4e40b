import type { Db } from '../../platform/postgres/database.ts';
import type { Fingerprint } from './detect-changes.ts';

/** What becomes of one record's fingerprint. Times in milliseconds. */
export type FingerprintWrite = {
  readonly objectId: string;
  readonly hash: Buffer | null;
  readonly updatedAt: number | null;
  /** The change was delivered, and is as new as this. */
  readonly reportedAt: number | null;
};

/** A change of an object of a connection that a webhook reported. */
export type WebhookChange = {
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

/** SQL over fingerprints: all reads and writes in batches, by the primary key. `set`: one poll of one connection. */
export function createFingerprintsStore() {
  async function read(db: Db, set: string, ids: readonly string[]): Promise<Map<string, Fingerprint>> {
    const { rows } = await db.raw(
      `SELECT object_id, hash, (extract(epoch FROM updated_at) * 1000)::bigint AS updated_at,
              (extract(epoch FROM webhook_at) * 1000)::bigint AS webhook_at
         FROM poll_records WHERE record_set = ? AND object_id = ANY(?::text[])`,
      [set, [...ids]],
    );
    return new Map(
      rows.map(
        (row: { object_id: string; hash: Buffer | null; updated_at: unknown; webhook_at: unknown }) => [
          row.object_id,
          { hash: row.hash, updatedAt: numberOf(row.updated_at), webhookAt: numberOf(row.webhook_at) },
        ],
      ),
    );
  }

  async function write(trx: Db, set: string, writes: readonly FingerprintWrite[]): Promise<void> {
    if (writes.length === 0) return;
    const sorted = writes.toSorted((left, right) => (left.objectId < right.objectId ? -1 : 1));
    await trx.raw(
      `INSERT INTO poll_records AS kept (record_set, object_id, hash, updated_at, told_at)
       SELECT ?, w.id, decode(nullif(w.hash, '${NONE}'), 'hex'),
              to_timestamp(nullif(w.updated_ms, '${NONE}')::float8 / 1000),
              to_timestamp(nullif(w.told_ms, '${NONE}')::float8 / 1000)
         FROM unnest(?::text[], ?::text[], ?::text[], ?::text[]) AS w(id, hash, updated_ms, told_ms)
       ON CONFLICT (record_set, object_id) DO UPDATE
       SET hash = excluded.hash, updated_at = excluded.updated_at,
           told_at = coalesce(excluded.told_at, kept.told_at), seen_at = now()`,
      [
        set,
        sorted.map(({ objectId }) => objectId),
        sorted.map(({ hash }) => hash?.toString('hex') ?? NONE),
        sorted.map(({ updatedAt }) => String(updatedAt ?? NONE)),
        sorted.map(({ reportedAt }) => String(reportedAt ?? NONE)),
      ],
    );
  }

  /** Marks records as seen by a scan. */
  async function touch(trx: Db, set: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await trx.raw(
      'UPDATE poll_records SET seen_at = now() WHERE record_set = ? AND object_id = ANY(?::text[])',
      [set, [...ids]],
    );
  }

  /** How many records there are, and how many of them no scan has seen since (milliseconds). */
  async function countMissing(
    db: Db,
    set: string,
    sinceMs: number,
  ): Promise<{ all: number; missing: number }> {
    const { rows } = await db.raw(
      `SELECT count(*)::integer AS all, (count(*) FILTER (WHERE seen_at < to_timestamp(? / 1000.0)))::integer AS missing
         FROM poll_records WHERE record_set = ? AND length(hash) > 0`,
      [sinceMs, set],
    );
    return rows[0];
  }

  /**
   * Looks at the next `limit` records after `after` in the order of their ids. Those that no scan has seen since are
   * marked as deleted and answered; `last` is null at the end.
   */
  async function sweep(
    trx: Db,
    set: string,
    { sinceMs, after, limit }: { sinceMs: number; after: string; limit: number },
  ): Promise<{ gone: string[]; last: string | null }> {
    const { rows } = await trx.raw(
      `WITH part AS MATERIALIZED (
         SELECT object_id, length(hash) > 0 AND seen_at < to_timestamp(? / 1000.0) AS is_gone
           FROM poll_records WHERE record_set = ? AND object_id > ? ORDER BY object_id LIMIT ?
       ), gone AS (
         UPDATE poll_records AS r SET hash = NULL, seen_at = now()
           FROM part WHERE part.is_gone AND r.record_set = ? AND r.object_id = part.object_id
         RETURNING r.object_id
       )
       SELECT (SELECT max(object_id) FROM part) AS last, (SELECT count(*) FROM part)::integer AS count,
              coalesce((SELECT array_agg(object_id ORDER BY object_id) FROM gone), '{}') AS gone`,
      [sinceMs, set, after, limit, set],
    );
    const [{ last, count, gone }] = rows;
    return { gone, last: count < limit ? null : last };
  }

  /** Deletes fingerprints of polls and connections that are no more, at most `limit`. Answers how many. */
  async function purgeOrphansOfAnyProject(db: Db, limit: number): Promise<number> {
    const { rows } = await db.raw(
      `WITH RECURSIVE sets AS (
         (SELECT record_set FROM poll_records ORDER BY record_set LIMIT 1)
         UNION ALL
         SELECT (SELECT r.record_set FROM poll_records AS r WHERE r.record_set > sets.record_set
                  ORDER BY r.record_set LIMIT 1)
           FROM sets WHERE sets.record_set IS NOT NULL
       )
       SELECT record_set FROM sets WHERE record_set IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM poll_connections AS c WHERE c.record_set = sets.record_set) LIMIT 20`,
    );
    const sets = rows.map((row: { record_set: string }) => row.record_set);
    if (sets.length === 0) return 0;
    const { rowCount } = await db.raw(
      `DELETE FROM poll_records WHERE (record_set, object_id) IN (
         SELECT record_set, object_id FROM poll_records WHERE record_set = ANY(?::bigint[]) LIMIT ?)`,
      [sets, limit],
    );
    return rowCount;
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

  /**
   * Tells those of the changes that a poll has delivered already, in this version or a newer one, and remembers the
   * others, so that a poll which reads them later drops them. A change that the provider gives no time is never known.
   * Locks polls of connections, then fingerprints, each in their order; positions of events must be taken later.
   */
  async function settleWebhookChanges<Change extends WebhookChange>(
    trx: Db,
    changes: readonly Change[],
  ): Promise<ReadonlySet<Change>> {
    const sets = await lockSets(trx, changes);
    if (sets.size === 0) return new Set();
    const pairs = changes.flatMap((change) =>
      (sets.get(pairOf(change.connectionId, change.objectType)) ?? []).map((set) => ({ set, change })),
    );
    // A statement of its own: it must see what a poll has written that the lock waited for.
    const reportedAt = await readReportedAt(trx, pairs);
    const isReported = ({ set, change }: Pair<Change>) =>
      change.occurredAt !== null &&
      (reportedAt.get(nameOf(set, change.objectId)) ?? Number.NEGATIVE_INFINITY) >=
        change.occurredAt.getTime();
    const known = new Set(pairs.filter(isReported).map(({ change }) => change));
    await noteWebhookChanges(
      trx,
      pairs.filter(({ change }) => !known.has(change)),
    );
    return known;
  }

  async function readReportedAt(trx: Db, pairs: readonly Pair[]): Promise<Map<string, number>> {
    const { rows } = await trx.raw<{ rows: { record_set: string; object_id: string; told_at: Date }[] }>(
      `SELECT r.record_set, r.object_id, r.told_at FROM poll_records AS r
         JOIN unnest(?::bigint[], ?::text[]) AS w (record_set, object_id)
           ON r.record_set = w.record_set AND r.object_id = w.object_id
        WHERE r.told_at IS NOT NULL`,
      [pairs.map(({ set }) => set), pairs.map(({ change }) => change.objectId)],
    );
    return new Map(rows.map((row) => [nameOf(row.record_set, row.object_id), row.told_at.getTime()]));
  }

  async function noteWebhookChanges(trx: Db, pairs: readonly Pair[]): Promise<void> {
    const notes = mergeNotes(pairs);
    if (notes.length === 0) return;
    await trx.raw(
      `INSERT INTO poll_records AS kept (record_set, object_id, hash, updated_at, webhook_at)
       SELECT w.record_set, w.object_id, CASE WHEN w.is_deleted THEN NULL ELSE ''::bytea END,
              CASE WHEN w.is_deleted THEN w.at END, w.at
         FROM (SELECT record_set, object_id, is_deleted, nullif(at, '${NONE}')::timestamptz AS at
                 FROM unnest(?::bigint[], ?::text[], ?::boolean[], ?::text[])
                      AS given (record_set, object_id, is_deleted, at)) AS w
        ORDER BY w.record_set, w.object_id COLLATE "C"
       ON CONFLICT (record_set, object_id) DO UPDATE
       SET webhook_at = greatest(kept.webhook_at, excluded.webhook_at),
           hash = CASE WHEN excluded.hash IS NULL THEN NULL ELSE coalesce(kept.hash, excluded.hash) END,
           updated_at = coalesce(excluded.updated_at, kept.updated_at)`,
      [
        notes.map(({ set }) => set),
        notes.map(({ objectId }) => objectId),
        notes.map(({ isDeleted }) => isDeleted),
        notes.map(({ webhookAt }) => webhookAt?.toISOString() ?? NONE),
      ],
    );
  }

  return {
    read,
    write,
    touch,
    countMissing,
    sweep,
    purgeOrphansOfAnyProject,
    settleWebhookChanges,
  };
}

export type FingerprintsStore = ReturnType<typeof createFingerprintsStore>;

function numberOf(value: unknown): number | null {
  return value === null ? null : Number(value);
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
