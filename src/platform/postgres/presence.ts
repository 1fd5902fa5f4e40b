import { randomInt } from 'node:crypto';
import type { Db } from './database.ts';

/** The first number of this gateway's advisory locks that say that a process is alive; the second one is the process. */
const PRESENCE_CLASS = 20_334;

/** A random number for this process, unlikely to be another process's: a positive int4. */
export function newProcessKey(): number {
  return randomInt(1, 2 ** 31 - 1);
}

/**
 * The statement by which a process shows that it is alive: a session's advisory lock, which Postgres gives back at once
 * when the process, and with it the connection, ends.
 */
export function announcePresence(processKey: number): string {
  return `SELECT pg_try_advisory_lock(${PRESENCE_CLASS}, ${Math.trunc(processKey)})`;
}

/** SQL that is true while the process whose key stands in `column` is alive (the manual's pg_locks, "advisory"). */
export function isProcessAlive(column: string): string {
  return `EXISTS (
    SELECT 1 FROM pg_locks
     WHERE locktype = 'advisory' AND classid = ${PRESENCE_CLASS} AND objsubid = 2 AND granted
       AND objid = ${column}::oid
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
}

/** The processes that show that they are alive, oldest connection first. */
export async function listPresent(db: Db): Promise<{ id: string; startedAt: Date }[]> {
  const { rows } = await db.raw<{ rows: { id: string; startedAt: Date }[] }>(
    `SELECT l.objid::text AS id, a.backend_start AS "startedAt"
       FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.classid = ${PRESENCE_CLASS} AND l.objsubid = 2 AND l.granted
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      ORDER BY a.backend_start`,
  );
  return rows;
}
