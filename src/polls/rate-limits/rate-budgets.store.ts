import type { Db } from '../../platform/postgres/database.ts';
import type { RateBudget } from './rate-budget.ts';

/** SQL over what providers said of their rate limits, shared by all processes. Times are the store's. */
export function createRateBudgetsStore({ db }: { db: Db }) {
  async function read(id: string): Promise<RateBudget | undefined> {
    const { rows } = await db.raw(
      `SELECT allowed, remaining, (extract(epoch FROM resets_at - clock_timestamp()) * 1000)::float8 AS resets_in_ms,
              (extract(epoch FROM paused_until - clock_timestamp()) * 1000)::float8 AS paused_for_ms
         FROM provider_allowances WHERE id = ?`,
      [id],
    );
    const row = rows[0];
    return (
      row && {
        allowed: row.allowed,
        remaining: row.remaining,
        resetsInMs: row.resets_in_ms,
        pausedForMs: row.paused_for_ms,
      }
    );
  }

  /** What was said last counts; a pause that is under way is not shortened. */
  async function write(budgets: ReadonlyMap<string, RateBudget>): Promise<void> {
    if (budgets.size === 0) return;
    const rows = [...budgets].map(([id, { resetsInMs, pausedForMs, ...counts }]) => ({
      id,
      ...counts,
      resets_s: resetsInMs === null ? null : resetsInMs / 1000,
      paused_s: pausedForMs === null ? null : pausedForMs / 1000,
    }));
    await db.raw(
      `INSERT INTO provider_allowances AS kept (id, allowed, remaining, resets_at, paused_until)
       SELECT t.id, t.allowed, t.remaining, now() + make_interval(secs => t.resets_s),
              now() + make_interval(secs => t.paused_s)
         FROM jsonb_to_recordset(?::jsonb)
           AS t(id uuid, allowed integer, remaining integer, resets_s float8, paused_s float8)
        ORDER BY t.id
       ON CONFLICT (id) DO UPDATE SET allowed = excluded.allowed, remaining = excluded.remaining,
           resets_at = excluded.resets_at, noted_at = now(),
           paused_until = greatest(kept.paused_until, excluded.paused_until)`,
      [JSON.stringify(rows)],
    );
  }

  async function purgeOfAnyProject(): Promise<void> {
    await db('provider_allowances').whereRaw(`noted_at < now() - interval '2 days'`).delete();
  }

  return { read, write, purgeOfAnyProject };
}

export type RateBudgetsStore = ReturnType<typeof createRateBudgetsStore>;
