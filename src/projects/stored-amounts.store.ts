import type { Db } from '../platform/postgres/database.ts';

/** What is counted, by what its rows outlive: receipts and events go by day, fingerprints with their poll. */
export type StoredKind = 'receipts' | 'events' | 'deliveries' | 'fingerprints' | 'activity';

export type Amount = { readonly rows: number; readonly bytes: number };

export type DayAmount = Amount & {
  readonly projectId: string;
  readonly kind: StoredKind;
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
};

/** Adds to what is kept. A project that is gone meanwhile is left out. */
export async function addAmounts(db: Db, amounts: readonly DayAmount[]): Promise<void> {
  if (amounts.length === 0) return;
  await db.raw(
    `INSERT INTO stored_amounts AS kept (project_id, kind, day, row_count, byte_count)
     SELECT a.project_id, a.kind, a.day, sum(a.row_count), sum(a.byte_count)
       FROM jsonb_to_recordset(?::jsonb) AS a (project_id uuid, kind text, day date, row_count bigint, byte_count bigint)
       JOIN projects AS p ON p.id = a.project_id
      GROUP BY a.project_id, a.kind, a.day
      ORDER BY a.project_id, a.kind, a.day
     ON CONFLICT (project_id, kind, day) DO UPDATE
     SET row_count = kept.row_count + excluded.row_count, byte_count = kept.byte_count + excluded.byte_count`,
    [
      JSON.stringify(
        amounts.map(({ projectId, kind, day, rows, bytes }) => ({
          project_id: projectId,
          kind,
          day,
          row_count: rows,
          byte_count: bytes,
        })),
      ),
    ],
  );
}

/** What the projects keep in all. */
export async function readAmounts(db: Db, projectIds: readonly string[]): Promise<Map<string, Amount>> {
  const { rows } = await db.raw<{ rows: { project_id: string; rows: string; bytes: string }[] }>(
    `SELECT project_id, sum(row_count) AS rows, sum(byte_count) AS bytes
       FROM stored_amounts WHERE project_id = ANY (?::uuid[]) GROUP BY project_id`,
    [[...projectIds]],
  );
  return new Map(
    rows.map(({ project_id, rows: count, bytes }) => [
      project_id,
      { rows: Number(count), bytes: Number(bytes) },
    ]),
  );
}

/** Forgets the days of a kind before `beforeDay`, whose rows have been dropped. */
export async function forgetDaysOfAnyProject(db: Db, kind: StoredKind, beforeDay: string): Promise<void> {
  await db('stored_amounts').where({ kind }).where('day', '<', beforeDay).delete();
}

/**
 * Counts the fingerprints of the projects with the most again: those of deleted polls are gone. Others keep what was
 * counted while they were written, which is never too little.
 */
export async function recountFingerprintsOfAnyProject(
  db: Db,
  { rowsMin, bytesPerRow, limit }: { rowsMin: number; bytesPerRow: number; limit: number },
): Promise<void> {
  await db.raw(
    `WITH most AS (
       SELECT project_id, max(day) AS day FROM stored_amounts WHERE kind = 'fingerprints'
        GROUP BY project_id HAVING sum(row_count) >= ? ORDER BY sum(row_count) DESC LIMIT ?
     ), counted AS (
       SELECT m.project_id, m.day, (
         SELECT count(*) FROM poll_connections AS s JOIN poll_records AS r USING (record_set)
          WHERE s.project_id = m.project_id) AS row_count
       FROM most AS m
     ), forgotten AS (
       DELETE FROM stored_amounts AS a USING counted AS c
        WHERE a.project_id = c.project_id AND a.kind = 'fingerprints' AND a.day < c.day
     )
     UPDATE stored_amounts AS a SET row_count = c.row_count, byte_count = c.row_count * ?
       FROM counted AS c
      WHERE a.project_id = c.project_id AND a.kind = 'fingerprints' AND a.day = c.day`,
    [rowsMin, limit, bytesPerRow],
  );
}
