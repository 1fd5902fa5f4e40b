import { type Chore, HOURLY } from '../chores.ts';
import { type DailyTable, dropDaysBefore, ensureDays } from './daily-partitions.ts';
import type { Db } from './database.ts';

const DAY_MS = 24 * 3_600_000;

/** Makes the table's partitions ahead of time every hour, and drops those older than `keepDays`. */
export function daysChore(db: Db, table: DailyTable, keep: { now(): number; keepDays: number }): Chore {
  return {
    name: `days of ${table}`,
    ...HOURLY,
    run: async () => {
      const nowMs = keep.now();
      await ensureDays(db, table, nowMs);
      await dropDaysBefore(db, table, nowMs - keep.keepDays * DAY_MS);
    },
  };
}
