import type { KafkaPlace } from '../sending/kafka-place.ts';
import type { DestinationFormat } from '../sending/message.ts';

/** How a destination receives events: by POST requests, or as records of a topic of Kafka. */
export const DESTINATION_KINDS = ['http', 'kafka'] as const;

export const DESTINATION_ORDERS = ['none', 'connection'] as const;

export type DestinationOrder = (typeof DESTINATION_ORDERS)[number];

/** Why a destination receives nothing: an operator's wish, its answer 410, or five days of failures. */
export const DISABLED_REASONS = ['operator', 'gone', 'failing'] as const;

export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The two jobs that serve destinations: those that take what they get, and those that do not. */
export const LANES = ['deliver', 'deliver-failing'] as const;

export type Lane = (typeof LANES)[number];

/** A place that receives the events of a project. */
export type Destination = Readonly<{
  id: string;
  projectId: string;
  version: number;
  /** Of a topic: made of its first broker and its name, for showing. */
  url: string;
  /** Null: it is reached by HTTP. */
  kafka: KafkaPlace | null;
  types: readonly string[];
  /** Null: events of any connection, and those of none. */
  connectionIds: readonly string[] | null;
  /** Only events of connections that have all of these, and those of none where there are none. */
  tags: Readonly<Record<string, string>>;
  description: string | null;
  ordered: DestinationOrder;
  format: DestinationFormat;
  disabledReason: DisabledReason | null;
  disabledAt: Date | null;
  /** Of the last event of the feed that has a delivery, or that the destination does not want. */
  position: number;
  lane: Lane;
  failures: number;
  failingSince: Date | null;
  /** Nothing is sent before. */
  holdUntil: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  lastFailure: string | null;
  createdAt: Date;
  updatedAt: Date;
}>;

export type DestinationFields = Pick<
  Destination,
  'url' | 'kafka' | 'types' | 'connectionIds' | 'tags' | 'description' | 'ordered' | 'format'
>;

/** What deliveries change of a destination. */
export type DestinationProgress = Pick<
  Destination,
  'lane' | 'failures' | 'failingSince' | 'holdUntil' | 'lastSuccessAt' | 'lastFailureAt' | 'lastFailure'
>;

/** A destination, as far as its job needs it. */
export type Servable = { readonly id: string; readonly lane: Lane; readonly projectId: string };
