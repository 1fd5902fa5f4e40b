import { createHash } from 'node:crypto';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'dead'] as const;
/** `failed`: the last attempt failed and another one will come. `dead`: none will, unless it is asked for. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const DESTINATION_FORMATS = ['standard', 'cloudevents'] as const;
export type DestinationFormat = (typeof DESTINATION_FORMATS)[number];

export const DESTINATION_ORDERS = ['none', 'connection'] as const;
export type DestinationOrder = (typeof DESTINATION_ORDERS)[number];

/** Why a destination receives nothing: an operator's wish, its answer 410, or five days of failures. */
export const DISABLED_REASONS = ['operator', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The two jobs that serve destinations: those that take what they get, and those that do not. */
export const LANES = ['deliver', 'deliver-failing'] as const;
export type Lane = (typeof LANES)[number];

export type Attempt = {
  /** ISO 8601. */
  readonly at: string;
  /** Undefined where there was no answer. */
  readonly status?: number | undefined;
  readonly durationMs: number;
  /** Undefined where the attempt delivered. */
  readonly error?: AttemptError | undefined;
  /** What Node or the resolver calls it, such as ECONNREFUSED. */
  readonly code?: string | undefined;
  /** The start of the answer's body. */
  readonly answer?: string | undefined;
};

export const ATTEMPT_ERRORS = [
  'refused_by_receiver',
  'redirect',
  'gone',
  'aborted_by_receiver',
  'timeout',
  'address_refused',
  'name_not_found',
  'tls_failed',
  'connection_failed',
  'event_expired',
] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

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
