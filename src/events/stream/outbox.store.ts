import type { DataKeys } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { NewEvent } from './event.ts';
import { placeEvents } from './place-events.store.ts';
import { sealEvents, UNPLACED_COLUMNS, type UnplacedRow } from './sealed-events.ts';

/** How many events one transaction publishes. */
export const OUTBOX_BATCH = 200;

/** Keeps events that become part of their project's stream once the transaction has committed. */
export async function enqueueEvents(
  trx: Db,
  dataKeys: DataKeys,
  projectId: string,
  events: readonly NewEvent[],
): Promise<void> {
  await trx('event_outbox').insert(await sealEvents(trx, dataKeys, projectId, events));
}

/** Projects with events in the outbox, at most so many. */
export async function listProjectsWithOutbox(db: Db, limit: number): Promise<string[]> {
  const rows: { project_id: string }[] = await db('event_outbox').distinct('project_id').limit(limit);
  return rows.map(({ project_id }) => project_id);
}

/**
 * Moves the oldest events of the project's outbox into its stream, and answers how many: fewer than OUTBOX_BATCH where
 * none is left that no other process is moving.
 */
export async function publishOutbox(db: Db, projectId: string): Promise<number> {
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: UnplacedRow[] }>(
      `DELETE FROM event_outbox WHERE project_id = ? AND id IN (
         SELECT id FROM event_outbox WHERE project_id = ? ORDER BY id LIMIT ${OUTBOX_BATCH} FOR UPDATE SKIP LOCKED
       ) RETURNING ${UNPLACED_COLUMNS.join(', ')}`,
      [projectId, projectId],
    );
    const ordered = rows.toSorted((left, right) => (left.id < right.id ? -1 : 1));
    await placeEvents(trx, ordered);
    return rows.length;
  });
}
