import type { Db } from '../../platform/postgres/database.ts';
import type { Destination, DestinationProgress, Lane } from './destination.ts';
import type { DestinationRow } from './destination-rows.store.ts';

/** Moves the cursor. False where the destination was changed, disabled, or served by another process meanwhile. */
export async function advance(
  trx: Db,
  { id, projectId, version, position }: Destination,
  to: number,
): Promise<boolean> {
  const changed = await trx('event_destinations')
    .where({ project_id: projectId, id, version, position })
    .whereNull('disabled_reason')
    .update({ position: to });
  return changed > 0;
}

/** False where the destination was changed meanwhile; then nothing is written. */
export async function saveProgress(
  trx: Db,
  { id, projectId, version }: Destination,
  progress: DestinationProgress,
): Promise<boolean> {
  const changed = await trx('event_destinations').where({ project_id: projectId, id, version }).update({
    lane: progress.lane,
    failures: progress.failures,
    failing_since: progress.failingSince,
    hold_until: progress.holdUntil,
    last_success_at: progress.lastSuccessAt,
    last_failure_at: progress.lastFailureAt,
    last_failure: progress.lastFailure,
  });
  return changed > 0;
}

/** Destinations of a project that may be served now. */
export async function listServable(
  db: Db,
  projectId: string,
  now: Date,
): Promise<{ id: string; lane: Lane }[]> {
  return db<DestinationRow>('event_destinations')
    .where({ project_id: projectId })
    .whereNull('disabled_reason')
    .whereRaw('(hold_until IS NULL OR hold_until <= ?)', [now])
    .select('id', 'lane');
}

/** Destinations that have something to do now, whichever process should have begun it; in no order. */
export async function listNeglectedOfAnyProject(
  db: Db,
  { now, limit }: { now: Date; limit: number },
): Promise<{ id: string; lane: Lane; projectId: string }[]> {
  const { rows } = await db.raw<{ rows: { id: string; lane: Lane; projectId: string }[] }>(
    `SELECT d.id, d.lane, d.project_id AS "projectId" FROM event_destinations d
     LEFT JOIN event_heads h ON h.project_id = d.project_id
     WHERE d.disabled_reason IS NULL AND (d.hold_until IS NULL OR d.hold_until <= ?)
       AND NOT EXISTS (SELECT FROM projects f WHERE f.id = d.project_id AND f.frozen_at IS NOT NULL)
       AND (h.position > d.position OR EXISTS (
         SELECT FROM deliveries w WHERE w.destination_id = d.id AND w.next_attempt_at <= ?))
     ORDER BY random() LIMIT ?`,
    [now, now, limit],
  );
  return rows;
}
