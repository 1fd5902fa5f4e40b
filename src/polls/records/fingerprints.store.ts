import type { Db } from '../../platform/postgres/database.ts';
import type { Fingerprint } from './detect-changes.ts';
import { settleWebhookChanges } from './webhook-changes.store.ts';

/** What becomes of one record's fingerprint. Times in milliseconds. */
export type FingerprintWrite = {
  readonly objectId: string;
  readonly hash: Buffer | null;
  readonly updatedAt: number | null;
  /** The change was delivered, and is as new as this. */
  readonly reportedAt: number | null;
};

/** Stands for NULL in arrays of texts. */
const NONE = '-';

export type FingerprintsStore = ReturnType<typeof createFingerprintsStore>;

/** SQL over fingerprints: all reads and writes in batches, by the primary key. `set`: one poll of one connection. */
export function createFingerprintsStore() {
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

async function read(db: Db, set: string, ids: readonly string[]): Promise<Map<string, Fingerprint>> {
  const { rows } = await db.raw(
    `SELECT object_id, hash, (extract(epoch FROM updated_at) * 1000)::bigint AS updated_at,
            (extract(epoch FROM webhook_at) * 1000)::bigint AS webhook_at
       FROM poll_records WHERE record_set = ? AND object_id = ANY(?::text[])`,
    [set, [...ids]],
  );
  return new Map(
    rows.map((row: { object_id: string; hash: Buffer | null; updated_at: unknown; webhook_at: unknown }) => [
      row.object_id,
      { hash: row.hash, updatedAt: numberOf(row.updated_at), webhookAt: numberOf(row.webhook_at) },
    ]),
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
async function countMissing(db: Db, set: string, sinceMs: number): Promise<{ all: number; missing: number }> {
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

function numberOf(value: unknown): number | null {
  return value === null ? null : Number(value);
}
