import type { Db } from '../platform/postgres/database.ts';
import type { Fingerprint } from './judge-records.ts';

/** What becomes of one record's fingerprint. Times in milliseconds. */
export type FingerprintWrite = {
  readonly objectId: string;
  readonly hash: Buffer | null;
  readonly updatedAt: number | null;
  /** The change was delivered, and is as new as this. */
  readonly toldAt: number | null;
};

/** A change of an object of a connection that a webhook told of. */
export type WebhookChange = {
  readonly connectionId: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly change: 'created' | 'updated' | 'deleted' | 'other';
  /** Null: the provider does not say. */
  readonly occurredAt: Date | null;
};

/** The hash of a record that a webhook told of and that nobody has read. */
const UNREAD = Buffer.alloc(0);
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
        sorted.map(({ toldAt }) => String(toldAt ?? NONE)),
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
   * True where a poll has delivered this change or a newer one of the same object, so that a webhook's event of it would
   * be its second. Waits for a page that a poll is writing down.
   */
  async function isKnownChange(trx: Db, change: WebhookChange): Promise<boolean> {
    if (change.occurredAt === null) return false;
    const { rows } = await trx.raw(
      `WITH sets AS MATERIALIZED (
         SELECT record_set FROM poll_connections
          WHERE connection_id = ? AND object_type = ? AND hears_webhooks ORDER BY record_set FOR SHARE)
       SELECT 1 FROM poll_records AS r JOIN sets USING (record_set)
        WHERE r.object_id = ? AND r.told_at >= ? LIMIT 1`,
      [change.connectionId, change.objectType, change.objectId, change.occurredAt],
    );
    return rows.length > 0;
  }

  /**
   * Remembers that a webhook told of a change, so that a poll which reads it later drops it. Does nothing where no poll
   * reads such objects of the connection.
   */
  async function noteWebhookChange(trx: Db, change: WebhookChange): Promise<void> {
    const isDeleted = change.change === 'deleted';
    await trx.raw(
      `WITH sets AS MATERIALIZED (
         SELECT record_set FROM poll_connections
          WHERE connection_id = ? AND object_type = ? AND hears_webhooks ORDER BY record_set FOR SHARE)
       INSERT INTO poll_records AS kept (record_set, object_id, hash, updated_at, webhook_at)
       SELECT record_set, ?, ?::bytea, ?::timestamptz, ?::timestamptz FROM sets
       ON CONFLICT (record_set, object_id) DO UPDATE
       SET webhook_at = greatest(kept.webhook_at, excluded.webhook_at),
           hash = CASE WHEN ? THEN NULL ELSE coalesce(kept.hash, excluded.hash) END,
           updated_at = CASE WHEN ? THEN coalesce(excluded.updated_at, kept.updated_at) ELSE kept.updated_at END`,
      [
        change.connectionId,
        change.objectType,
        change.objectId,
        isDeleted ? null : UNREAD,
        isDeleted ? change.occurredAt : null,
        change.occurredAt,
        isDeleted,
        isDeleted,
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
    isKnownChange,
    noteWebhookChange,
  };
}

export type FingerprintsStore = ReturnType<typeof createFingerprintsStore>;

function numberOf(value: unknown): number | null {
  return value === null ? null : Number(value);
}
