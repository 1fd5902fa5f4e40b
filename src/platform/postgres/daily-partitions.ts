import { readErrorCode } from '../../lib/error-code.ts';
import { formatDay } from '../data-keys.ts';
import type { Db } from './database.ts';

const DAY_MS = 24 * 3_600_000;
/** Days made ahead, by a chore that runs every hour. */
const DAYS_AHEAD = 2;
/** A statement that waits for a table's lock holds up every later one, so it waits briefly. */
const LOCK_TIMEOUT = '250ms';
const NAME = /^(.+)_(\d{4})(\d{2})(\d{2})$/;

/** SQLSTATE 55P03: lock not available. 23514: the default partition has rows of that day. 42P07: another process made it. */
const PUT_OFF = new Set(['55P03', '23514', '42P07', '42P17']);

/** Tables that stand in daily partitions by a column of the type timestamptz, with a default partition beside them. */
export const DAILY_TABLES = ['events', 'deliveries', 'delivery_attempts', 'webhook_receipts'] as const;
export type DailyTable = (typeof DAILY_TABLES)[number];

/**
 * Makes the partitions of the days from the one of `nowMs` on that `table` lacks, and answers their names. What cannot be
 * made now (a long query holds the lock, the clock once jumped ahead and the day's rows stand in the default partition)
 * is left to the next run: its rows go to the default partition, which holds them as well.
 */
export async function ensureDays(db: Db, table: DailyTable, nowMs: number): Promise<string[]> {
  const existing = new Set(await listPartitions(db, table));
  const made: string[] = [];
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
    const day = formatDay(nowMs + ahead * DAY_MS);
    const name = `${table}_${day.replaceAll('-', '')}`;
    if (existing.has(name)) continue;
    const isMade = await putOffIfBusy(() => makeDay(db, table, name, day));
    if (isMade) made.push(name);
  }
  return made;
}

/** ATTACH takes a weaker lock on the table than CREATE TABLE … PARTITION OF: readers and writers go on. */
async function makeDay(db: Db, table: DailyTable, name: string, day: string): Promise<void> {
  const next = formatDay(Date.parse(day) + DAY_MS);
  await db.transaction(async (trx) => {
    await trx.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await trx.raw('CREATE TABLE ?? (LIKE ?? INCLUDING ALL)', [name, table]);
    await trx.raw(
      `ALTER TABLE ?? ATTACH PARTITION ?? FOR VALUES FROM ('${day} 00:00+00') TO ('${next} 00:00+00')`,
      [table, name],
    );
  });
}

/**
 * Drops the partitions whose days have ended before `beforeMs`, and deletes such rows of the default partition by
 * `column`. Answers the names of what was dropped. A partition that a reader holds is dropped by a later run.
 */
export async function dropDaysBefore(
  db: Db,
  table: DailyTable,
  beforeMs: number,
  column = 'created_at',
): Promise<string[]> {
  const dropped: string[] = [];
  for (const name of await listPartitions(db, table)) {
    const [, , year, month, date] = NAME.exec(name) ?? [];
    const endMs = Date.parse(`${year}-${month}-${date}T00:00:00Z`) + DAY_MS;
    if (!(endMs <= beforeMs)) continue;
    const isDropped = await putOffIfBusy(() =>
      db.transaction(async (trx) => {
        await trx.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
        await trx.raw('DROP TABLE ??', [name]);
      }),
    );
    if (isDropped) dropped.push(name);
  }
  await db(`${table}_default`).where(column, '<', new Date(beforeMs)).delete();
  return dropped;
}

async function putOffIfBusy(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (PUT_OFF.has(readErrorCode(error) ?? '')) return false;
    throw error;
  }
}

async function listPartitions(db: Db, table: DailyTable): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `SELECT child.relname AS name FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
     WHERE inhparent = ?::regclass AND child.relname <> ? ORDER BY 1`,
    [table, `${table}_default`],
  );
  return rows.map(({ name }) => name);
}
