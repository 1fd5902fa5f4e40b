import { z } from 'zod';
import type { Db } from '../postgres/database.ts';
import type { LimitLedger } from './ledger.ts';

const STANDINGS = z.array(z.object({ key: z.string(), granted: z.number(), used_ms: z.number() }));

const NOW_MS = 'extract(epoch FROM statement_timestamp())::float8 * 1000';

/**
 * The ledger in Postgres: one statement for all entries, whose rows are locked in the order of their keys. It does not
 * wait for the disk: after a crash of the database a limit may have forgotten the last half second.
 */
export function createLimitsStore({ db }: { db: Db }): LimitLedger & { purge(): Promise<void> } {
  return {
    async exchange(entries) {
      const rows = entries.map(({ key, intervalMs, roomMs, want, settle }) => ({
        ...{ key, want, settle },
        interval_ms: intervalMs,
        room_ms: roomMs,
      }));
      const { rows: found } = await db.raw(
        `WITH unsynced AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
         INSERT INTO limit_ledger AS kept (key, whole_at_ms, granted, interval_ms, room_ms, want, settle)
         SELECT t.key, ${NOW_MS} + greatest(0, t.settle * t.interval_ms) + granted * t.interval_ms, granted,
                t.interval_ms, t.room_ms, t.want, t.settle
           FROM unsynced, jsonb_to_recordset(?::jsonb)
             AS t(key text, interval_ms float8, room_ms float8, want integer, settle integer),
                limit_grant(greatest(0, t.settle * t.interval_ms), t.interval_ms, t.room_ms, t.want) AS granted
          ORDER BY t.key
         ON CONFLICT (key) DO UPDATE SET (whole_at_ms, granted, interval_ms, room_ms, want, settle) = (
           SELECT ${NOW_MS} + used_ms + g * excluded.interval_ms, g, excluded.interval_ms, excluded.room_ms,
                  excluded.want, excluded.settle
             FROM (SELECT greatest(0, greatest(0, kept.whole_at_ms - ${NOW_MS})
                                      + excluded.settle * excluded.interval_ms) AS used_ms) AS before,
                  limit_grant(before.used_ms, excluded.interval_ms, excluded.room_ms, excluded.want) AS g)
         RETURNING key, granted, greatest(0, whole_at_ms - ${NOW_MS}) AS used_ms`,
        [JSON.stringify(rows)],
      );
      const standings = new Map(STANDINGS.parse(found).map((row) => [row.key, row]));
      return entries.map(({ key }) => {
        const standing = standings.get(key);
        return { granted: standing?.granted ?? 0, usedMs: standing?.used_ms ?? 0 };
      });
    },

    /** Forgets keys of which nothing is used up. */
    async purge() {
      await db.raw(`DELETE FROM limit_ledger WHERE key IN (
        SELECT key FROM limit_ledger WHERE whole_at_ms < ${NOW_MS} - 60000 ORDER BY whole_at_ms LIMIT 50000
           FOR UPDATE SKIP LOCKED)`);
    },
  };
}
