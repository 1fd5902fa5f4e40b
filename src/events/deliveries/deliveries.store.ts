import { type DataKeys, formatDay } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Destination } from '../destinations/destinations.store.ts';
import { type Attempt, type DeliveryState, deliveryId } from '../sending/delivery.ts';
import { timeOfId } from '../stream/event.ts';

/** So many attempts are kept of one delivery: replays add to those of its schedule. */
const ATTEMPTS_KEPT = 30;
/** How many events of one connection come into memory at once, where they are sent one after the other. */
const LANE_LENGTH_MAX = 50;

export type DeliveryRow = {
  id: string;
  created_at: Date;
  project_id: string;
  destination_id: string;
  event_id: string;
  event_type: string;
  connection_id: string | null;
  position: number | string;
  state: DeliveryState;
  attempts_made: number;
  attempts_sealed: Buffer | null;
  last_attempt_at: Date | null;
  last_status: number | null;
  last_error: string | null;
  next_attempt_at: Date | null;
};

/** An event on its way to a destination, or arrived there. */
export type Delivery = Readonly<{
  id: string;
  projectId: string;
  destinationId: string;
  eventId: string;
  eventType: string;
  /** Of the event. */
  createdAt: Date;
  connectionId: string | null;
  state: DeliveryState;
  /** Of the schedule; a retry that was asked for begins again. */
  attemptsMade: number;
  attemptsSealed: Buffer | null;
  lastAttemptAt: Date | null;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAt: Date | null;
}>;

/** The event of a delivery, as far as deliveries need it. */
export type DeliverableEvent = Readonly<{
  id: string;
  created_at: Date;
  type: string;
  connection_id: string | null;
  position: number;
}>;

/** What an attempt changes of a delivery. */
export type DeliveryOutcome = {
  readonly delivery: Delivery;
  readonly state: DeliveryState;
  readonly attemptsMade: number;
  /** Undefined where none was made: the event is gone. */
  readonly attempt: Attempt | undefined;
  readonly nextAttemptAt: Date | null;
};

/** A delivery of the event that is due at once. */
export function newDelivery(destination: Destination, event: DeliverableEvent, now: Date): Delivery {
  return {
    id: deliveryId(destination.id, event.id),
    projectId: destination.projectId,
    destinationId: destination.id,
    eventId: event.id,
    eventType: event.type,
    createdAt: event.created_at,
    connectionId: event.connection_id,
    state: 'pending',
    attemptsMade: 0,
    attemptsSealed: null,
    lastAttemptAt: null,
    lastStatus: null,
    lastError: null,
    nextAttemptAt: now,
  };
}

const rowOf = (destination: Destination, event: DeliverableEvent, now: Date) => ({
  id: deliveryId(destination.id, event.id),
  created_at: event.created_at,
  project_id: destination.projectId,
  destination_id: destination.id,
  event_id: event.id,
  event_type: event.type,
  connection_id: event.connection_id,
  position: event.position,
  state: 'pending',
  next_attempt_at: now,
});

/** Enters the events as due; those that have a delivery already stay as they are. */
export async function insertDeliveries(
  trx: Db,
  destination: Destination,
  events: readonly DeliverableEvent[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => rowOf(destination, event, now));
  await trx('deliveries').insert(rows).onConflict(['id', 'created_at']).ignore();
}

/** Enters the events as due, also those that were delivered or given up. `states`: only those that are in one of them. */
export async function replayDeliveries(
  trx: Db,
  destination: Destination,
  events: readonly DeliverableEvent[],
  { states, now }: { states: readonly DeliveryState[] | null; now: Date },
): Promise<void> {
  if (events.length === 0) return;
  if (states === null) await insertDeliveries(trx, destination, events, now);
  const ids = events.map(({ id }) => deliveryId(destination.id, id));
  const again = trx<DeliveryRow>('deliveries')
    .whereRaw('(id, created_at) IN (SELECT * FROM unnest(?::uuid[], ?::timestamptz[]))', [
      ids,
      events.map((event) => event.created_at),
    ])
    .whereNot('state', 'pending');
  if (states !== null) again.whereIn('state', states);
  await again.update({ state: 'pending', attempts_made: 0, next_attempt_at: now });
}

/** Makes a delivery of the event due now: a new one, or the one that there is, whatever became of it. */
export async function redeliverEvent(
  trx: Db,
  destination: Destination,
  event: DeliverableEvent,
  now: Date,
): Promise<Delivery> {
  await insertDeliveries(trx, destination, [event], now);
  const id = deliveryId(destination.id, event.id);
  const due = await retryDelivery(trx, { id, createdAt: event.created_at }, now);
  if (due === undefined) throw new Error(`The delivery ${id} is gone in the transaction that made it.`);
  return due;
}

/** How many deliveries of the destination wait, counted up to `limit`. */
export async function countWaiting(db: Db, destinationId: string, limit: number): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: string }[] }>(
    `SELECT count(*) AS count FROM (
       SELECT FROM deliveries WHERE destination_id = ? AND next_attempt_at IS NOT NULL LIMIT ?) AS waiting`,
    [destinationId, limit],
  );
  return Number(rows[0]?.count ?? 0);
}

type DueFilter = {
  readonly destination: Destination;
  readonly now: Date;
  /** Deliveries that are in memory already. */
  readonly exceptIds: readonly string[];
  /** Connections of which something is in memory; see `laneOf`. For destinations that keep the order. */
  readonly exceptLanes: readonly string[];
  readonly limit: number;
};

/** Deliveries that are due, the longest waiting first. */
export async function loadDue(db: Db, filter: DueFilter): Promise<Delivery[]> {
  const { destination, now, exceptIds, limit } = filter;
  if (destination.ordered === 'connection') return loadDueInOrder(db, filter);
  const rows = await db<DeliveryRow>('deliveries')
    .where({ destination_id: destination.id })
    .where('next_attempt_at', '<=', now)
    .whereRaw('id <> ALL(?::uuid[])', [[...exceptIds]])
    .orderBy('next_attempt_at')
    .limit(limit)
    .select('*');
  return rows.map(toDelivery);
}

/** Deliveries of one connection follow each other; those without a connection do as well. */
export function laneOf({ connectionId }: Pick<Delivery, 'connectionId'>): string {
  return connectionId ?? '';
}

/** The first deliveries of each connection whose very first one is due, in the order of the feed. */
async function loadDueInOrder(
  db: Db,
  { destination, now, exceptLanes, limit }: DueFilter,
): Promise<Delivery[]> {
  const { rows } = await db.raw<{ rows: DeliveryRow[] }>(
    `SELECT * FROM (
       SELECT *, row_number() OVER lane AS place, first_value(next_attempt_at) OVER lane AS head_at
       FROM deliveries WHERE destination_id = ? AND next_attempt_at IS NOT NULL
         AND coalesce(connection_id::text, '') <> ALL(?::text[])
       WINDOW lane AS (PARTITION BY connection_id ORDER BY position)
     ) AS waiting WHERE head_at <= ? AND place <= ? ORDER BY position LIMIT ?`,
    [destination.id, [...exceptLanes], now, LANE_LENGTH_MAX, limit],
  );
  return rows.map(toDelivery);
}

/** When a delivery of the destination is due next; undefined where none waits. */
export async function findNextDue(db: Db, { id, ordered }: Destination): Promise<Date | undefined> {
  const waiting = 'FROM deliveries WHERE destination_id = ? AND next_attempt_at IS NOT NULL';
  const heads =
    ordered === 'connection'
      ? `(SELECT DISTINCT ON (connection_id) next_attempt_at ${waiting} ORDER BY connection_id, position) AS heads`
      : `(SELECT next_attempt_at ${waiting} ORDER BY next_attempt_at LIMIT 1) AS heads`;
  const { rows } = await db.raw<{ rows: { due: Date | null }[] }>(
    `SELECT min(next_attempt_at) AS due FROM ${heads}`,
    [id],
  );
  return rows[0]?.due ?? undefined;
}

/** Whether the delivery was asked for once more since its attempt began; times are whole milliseconds. */
const IS_ASKED_AGAIN = "d.next_attempt_at >= o.due_at + interval '1 millisecond'";

/** Writes what became of attempts. A delivery that was asked for once more meanwhile stays due for that. */
export async function writeOutcomes(
  trx: Db,
  dataKeys: DataKeys,
  outcomes: readonly DeliveryOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const rows: Record<string, unknown>[] = [];
  for (const outcome of outcomes) {
    const { delivery, attempt } = outcome;
    const sealed = await sealAttempts(trx, dataKeys, outcome);
    rows.push({
      id: delivery.id,
      created_at: delivery.createdAt,
      state: outcome.state,
      attempts_made: outcome.attemptsMade,
      sealed: sealed?.toString('base64'),
      due_at: delivery.nextAttemptAt,
      next_attempt_at: outcome.nextAttemptAt,
      last_attempt_at: attempt?.at,
      last_status: attempt?.status,
      last_error: attempt === undefined ? 'event_expired' : attempt.error,
    });
  }
  await trx.raw(
    `UPDATE deliveries d SET
       state = CASE WHEN ${IS_ASKED_AGAIN} THEN 'pending' ELSE o.state END,
       attempts_made = CASE WHEN ${IS_ASKED_AGAIN} THEN 0 ELSE o.attempts_made END,
       attempts_sealed = coalesce(decode(o.sealed, 'base64'), d.attempts_sealed),
       next_attempt_at = CASE WHEN ${IS_ASKED_AGAIN} THEN d.next_attempt_at ELSE o.next_attempt_at END,
       last_attempt_at = coalesce(o.last_attempt_at, d.last_attempt_at),
       last_status = o.last_status, last_error = o.last_error
     FROM jsonb_to_recordset(?::jsonb) AS o (id uuid, created_at timestamptz, state text, attempts_made smallint,
       sealed text, due_at timestamptz, next_attempt_at timestamptz, last_attempt_at timestamptz,
       last_status smallint, last_error text)
     WHERE d.id = o.id AND d.created_at = o.created_at`,
    [JSON.stringify(rows)],
  );
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

/** Makes the delivery due now; one that is over begins its schedule again. */
export async function retryDelivery(
  trx: Db,
  delivery: Pick<Delivery, 'id' | 'createdAt'>,
  now: Date,
): Promise<Delivery | undefined> {
  const [row] = await trx<DeliveryRow>('deliveries')
    .where({ id: delivery.id, created_at: delivery.createdAt })
    .update({
      state: 'pending',
      next_attempt_at: now,
      attempts_made: trx.raw('CASE WHEN next_attempt_at IS NULL THEN 0 ELSE attempts_made END'),
    })
    .returning('*');
  return row && toDelivery(row);
}

/** Makes due now what waits for its next attempt. */
export async function hastenDeliveries(trx: Db, destinationId: string, now: Date): Promise<void> {
  await trx('deliveries')
    .where({ destination_id: destinationId })
    .where('next_attempt_at', '>', now)
    .update({ next_attempt_at: now });
}

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    projectId: row.project_id,
    destinationId: row.destination_id,
    eventId: row.event_id,
    eventType: row.event_type,
    createdAt: row.created_at,
    connectionId: row.connection_id,
    state: row.state,
    attemptsMade: row.attempts_made,
    attemptsSealed: row.attempts_sealed,
    lastAttemptAt: row.last_attempt_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
    nextAttemptAt: row.next_attempt_at,
  };
}
