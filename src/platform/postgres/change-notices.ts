import { CHANGE_CHANNEL } from '../change-notices.ts';
import type { Db } from './database.ts';

/** Sends notices to every process, this one included. */
export async function notifyProcesses(db: Db, payloads: readonly string[]): Promise<void> {
  await db.raw('SELECT pg_notify(?, payload) FROM unnest(?::text[]) AS payload', [
    CHANGE_CHANNEL,
    [...payloads],
  ]);
}
