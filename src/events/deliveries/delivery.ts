import { createHash } from 'node:crypto';
import type { Destination } from '../destinations/destination.ts';
import type { Attempt } from '../sending/attempt.ts';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'dead'] as const;

/** `failed`: the last attempt failed and another one will come. `dead`: none will, unless it is asked for. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

const HASH_HEX = 16;

/**
 * The id of the delivery of an event to a destination: a UUID of version 8 (RFC 9562) which begins with the time of the
 * event's id. So a second delivery of the pair cannot exist, newest first is the order of ids, and the id tells the
 * partition.
 */
export function deliveryId(destinationId: string, eventId: string): string {
  const hash = createHash('sha256').update(destinationId.toLowerCase()).update(eventId.toLowerCase());
  const hex = hash.digest('hex');
  const variant = (0x8 | (Number.parseInt(hex[3] ?? '0', 16) & 0x3)).toString(16);
  const tail = hex.slice(HASH_HEX, HASH_HEX + 12);
  return `${eventId.slice(0, 13).toLowerCase()}-8${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${tail}`;
}

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

/** Deliveries of one connection follow each other; those without a connection do as well. */
export function orderKey({ connectionId }: Pick<Delivery, 'connectionId'>): string {
  return connectionId ?? '';
}
