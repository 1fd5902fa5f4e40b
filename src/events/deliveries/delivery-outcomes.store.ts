import { type DataKeys, formatDay } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Attempt } from '../sending/attempt.ts';
import { timeOfId } from '../stream/event.ts';
import type { Delivery, DeliveryOutcome } from './delivery.ts';

/** So many attempts are kept of one delivery: replays add to those of its schedule. */
const ATTEMPTS_KEPT = 30;

/** Whether the delivery was asked for once more since its attempt began; times are whole milliseconds. */
const IS_ASKED_AGAIN = "d.next_attempt_at >= o.due_at + interval '1 millisecond'";

/** No other attempt has been written since the delivery was read; what was read has whole milliseconds. */
const IS_NEXT_ATTEMPT =
  "date_trunc('milliseconds', d.last_attempt_at) IS NOT DISTINCT FROM o.attempted_before";

/**
 * Writes what became of attempts. A delivery that was asked for once more meanwhile stays due for that. False where another
 * process, which took this one for dead, has written an attempt at one of them: that one stays.
 */
export async function writeOutcomes(
  trx: Db,
  dataKeys: DataKeys,
  outcomes: readonly DeliveryOutcome[],
): Promise<boolean> {
  if (outcomes.length === 0) return true;
  const rows: Record<string, unknown>[] = [];
  for (const outcome of outcomes) {
    const { delivery, attempt } = outcome;
    const sealed = await sealAttempts(trx, dataKeys, outcome);
    rows.push({
      id: delivery.id,
      project_id: delivery.projectId,
      created_at: delivery.createdAt,
      state: outcome.state,
      attempts_made: outcome.attemptsMade,
      sealed: sealed?.toString('base64'),
      attempted_before: delivery.lastAttemptAt,
      due_at: delivery.nextAttemptAt,
      next_attempt_at: outcome.nextAttemptAt,
      last_attempt_at: attempt?.at,
      last_status: attempt?.status,
      last_error: attempt === undefined ? 'event_expired' : attempt.error,
    });
  }
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `UPDATE deliveries d SET
       state = CASE WHEN ${IS_ASKED_AGAIN} THEN 'pending' ELSE o.state END,
       attempts_made = CASE WHEN ${IS_ASKED_AGAIN} THEN 0 ELSE o.attempts_made END,
       attempts_sealed = coalesce(decode(o.sealed, 'base64'), d.attempts_sealed),
       next_attempt_at = CASE WHEN ${IS_ASKED_AGAIN} THEN d.next_attempt_at ELSE o.next_attempt_at END,
       last_attempt_at = coalesce(o.last_attempt_at, d.last_attempt_at),
       last_status = o.last_status, last_error = o.last_error
     FROM jsonb_to_recordset(?::jsonb) AS o (id uuid, project_id uuid, created_at timestamptz, state text, attempts_made smallint,
       sealed text, attempted_before timestamptz, due_at timestamptz, next_attempt_at timestamptz, last_attempt_at timestamptz,
       last_status smallint, last_error text)
     WHERE d.project_id = o.project_id AND d.id = o.id AND d.created_at = o.created_at AND ${IS_NEXT_ATTEMPT}`,
    [JSON.stringify(rows)],
  );
  return rowCount === outcomes.length || !(await hasOtherAttempts(trx, rows));
}

/** Deliveries that are there no more, such as those of an erased user, are not another process's work. */
async function hasOtherAttempts(trx: Db, rows: readonly Record<string, unknown>[]): Promise<boolean> {
  const { rows: others } = await trx.raw<{ rows: object[] }>(
    `SELECT 1 FROM deliveries d
       JOIN jsonb_to_recordset(?::jsonb) AS o (id uuid, project_id uuid, created_at timestamptz,
         attempted_before timestamptz, last_attempt_at timestamptz)
         ON d.project_id = o.project_id AND d.id = o.id AND d.created_at = o.created_at
      WHERE date_trunc('milliseconds', d.last_attempt_at) IS DISTINCT FROM coalesce(o.last_attempt_at, o.attempted_before)
      LIMIT 1`,
    [JSON.stringify(rows)],
  );
  return others.length > 0;
}

const placeOf = (id: string) => `deliveries.attempts ${id}`;

async function sealAttempts(
  trx: Db,
  dataKeys: DataKeys,
  { delivery, attempt }: DeliveryOutcome,
): Promise<Buffer | null> {
  if (attempt === undefined) return null;
  const before = await openAttempts(trx, dataKeys, delivery);
  const attempts = [...before, attempt].slice(-ATTEMPTS_KEPT);
  const key = await dataKeys.findKey(trx, delivery.projectId, formatDay(timeOfId(delivery.eventId)));
  return key?.seal(JSON.stringify(attempts), placeOf(delivery.id)) ?? null;
}

/** The attempts that were made, the oldest first; none where the project's keys are gone. */
export async function openAttempts(
  db: Db,
  dataKeys: DataKeys,
  { id, projectId, eventId, attemptsSealed }: Delivery,
): Promise<Attempt[]> {
  if (attemptsSealed === null) return [];
  const key = await dataKeys.findKey(db, projectId, formatDay(timeOfId(eventId)));
  return key === undefined ? [] : JSON.parse(key.open(attemptsSealed, placeOf(id)).toString('utf8'));
}
