import { CHANGE_CHANNEL } from '../platform/changes.ts';
import type { Db } from '../platform/postgres/database.ts';

/** Sends notices to every process, this one included. */
export async function notifyProcesses(db: Db, payloads: readonly string[]): Promise<void> {
  await db.raw('SELECT pg_notify(?, payload) FROM unnest(?::text[]) AS payload', [
    CHANGE_CHANNEL,
    [...payloads],
  ]);
}
