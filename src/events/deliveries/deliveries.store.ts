import type { Db } from '../../platform/postgres/database.ts';
import type { Destination } from '../destinations/destination.ts';
import { type DeliverableEvent, type Delivery, type DeliveryState, deliveryId } from './delivery.ts';

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

const rowOf = (destination: Destination, event: DeliverableEvent, now: Date) => ({
  id: deliveryId(destination.id, event.id),
  created_at: event.created_at,
  project_id: destination.projectId,
  destination_id: destination.id,
  event_id: event.id,
  event_type: event.type,
  connection_id: event.connection_id,
  position: event.position,
  state: 'pending' as const,
  next_attempt_at: now,
});

/** Enters the events as due. Returns the ids of the deliveries that are new; those that exist stay as they are. */
export async function insertDeliveries(
  trx: Db,
  destination: Destination,
  events: readonly DeliverableEvent[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set();
  const rows = events.map((event) => rowOf(destination, event, now));
  const inserted = await trx<DeliveryRow>('deliveries')
    .insert(rows)
    .onConflict(['id', 'created_at'])
    .ignore()
    .returning('id');
  return new Set(inserted.map(({ id }) => id));
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
