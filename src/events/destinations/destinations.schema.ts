import { z } from 'zod';
import { listQuery } from '../../lib/cursor.ts';
import { isStorableText } from '../../lib/storable-text.ts';
import { tagQuery, tagsSchema } from '../../lib/tags.schema.ts';
import { typePattern } from '../reading/events.schema.ts';
import { ATTEMPT_ERRORS } from '../sending/attempt.ts';
import type { KafkaPlace } from '../sending/kafka-place.ts';
import { DESTINATION_FORMATS } from '../sending/message.ts';
import type { Destination } from './destination.ts';
import { DESTINATION_KINDS, DESTINATION_ORDERS, DISABLED_REASONS } from './destination.ts';
import { kafkaBody, kafkaSchema } from './destination-kafka.schema.ts';
import type { Queue } from './queue-depth.store.ts';

const TYPES_MAX = 50;
const CONNECTIONS_MAX = 200;
const URL_LENGTH_MAX = 2000;

const url = z
  .string()
  .min(1)
  .max(URL_LENGTH_MAX)
  .meta({ description: 'Where events are sent with POST: https, without user name, password and fragment.' });
const types = z.array(typePattern).min(1).max(TYPES_MAX).meta({
  description:
    'Types that are sent; `hubspot.*` names all that begin so, `*` all but those of the audit log, `activity.*`, which a key needs the scope `activity:read` for.',
});
const connectionIds = z
  .array(z.uuid().toLowerCase())
  .min(1)
  .max(CONNECTIONS_MAX)
  .nullable()
  .meta({ description: 'Only events of these connections; null: of all, and those of no connection.' });
const tags = tagsSchema.meta({
  description:
    'Only events of connections that have all of these tags when the event is read; empty: of all, and those of no connection.',
});
const description = z.string().max(500).refine(isStorableText, 'No control characters').nullable();
const ordered = z.enum(DESTINATION_ORDERS).meta({
  description:
    '`connection`: events of one connection follow each other, and wait while an earlier one is tried again. `none`: nothing waits, and order is not promised.',
});

const format = z.enum(DESTINATION_FORMATS).meta({
  description: '`cloudevents`: CloudEvents 1.0 in structured mode, the event being its `data`.',
});

const kind = z.enum(DESTINATION_KINDS).meta({
  description: '`http`: POST requests to `url`. `kafka`: records of a topic of Kafka, or of Redpanda.',
});

/** A destination as requests and files name it, before `checkPlace` judges which members its kind needs. */
export const destinationFields = {
  kind: kind.default('http'),
  url: url.optional(),
  kafka: kafkaBody.nullable().default(null),
  types,
  connectionIds: connectionIds.default(null),
  tags: tags.default({}),
  description: description.default(null),
  ordered: ordered.default('none'),
  format: format.default('standard'),
};

type Placed = { readonly kind: 'http' | 'kafka'; readonly url?: string | undefined; readonly kafka: unknown };

/** Says of each kind where it sends to, and nothing of the other one. */
export function checkPlace({ kind: given, url: address, kafka }: Placed, context: z.RefinementCtx): void {
  const fault = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  if (given === 'http' && address === undefined) fault('url', 'Needed for a destination of the kind http');
  if (given === 'http' && kafka !== null) fault('kafka', 'Only for destinations of the kind kafka');
  if (given === 'kafka' && kafka === null) fault('kafka', 'Needed for a destination of the kind kafka');
  if (given === 'kafka' && address !== undefined) fault('url', 'Only for destinations of the kind http');
}

export const createDestinationBody = z
  .strictObject({ projectId: z.uuid().optional(), ...destinationFields })
  .superRefine(checkPlace);

export const updateDestinationBody = z.strictObject({
  url: url.optional(),
  kafka: kafkaBody.optional().meta({ description: 'In the place of what was there; the password may stay.' }),
  types: types.optional(),
  connectionIds: connectionIds.optional(),
  tags: tags.optional(),
  description: description.optional(),
  ordered: ordered.optional(),
  format: format.optional(),
});

const instant = z.iso.datetime();

export const destinationSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    kind,
    url: z.string().meta({
      description: 'Of a topic: `kafka://`, its first broker and its name, for showing.',
    }),
    kafka: kafkaSchema.nullable().meta({ description: 'Null: it is of the kind `http`.' }),
    types: z.array(z.string()),
    connectionIds: z.array(z.uuid()).nullable(),
    tags: z.record(z.string(), z.string()),
    description: z.string().nullable(),
    ordered: z.enum(DESTINATION_ORDERS),
    format: z.enum(DESTINATION_FORMATS),
    state: z.enum(['healthy', 'failing', 'disabled']).meta({
      description: '`failing`: its last attempts failed, and it is only probed until one succeeds.',
    }),
    disabledReason: z.enum(DISABLED_REASONS).nullable().meta({
      description:
        '`operator`: asked for; `gone`: it answered 410; `failing`: it took nothing for five days. `enable` goes on where it was.',
    }),
    disabledAt: instant.nullable(),
    failingSince: instant.nullable(),
    pausedUntil: instant.nullable().meta({
      description: 'Nothing is sent before: it asked for a pause, or is failing and will be probed then.',
    }),
    lastSuccessAt: instant.nullable(),
    lastFailureAt: instant.nullable(),
    lastFailure: z.enum(ATTEMPT_ERRORS).nullable(),
    queue: z.object({
      waiting: z.int().meta({ description: 'Deliveries that wait for an attempt.' }),
      behind: z.int().meta({ description: 'Events of the feed that have not been looked at yet.' }),
      oldestAt: instant.nullable().meta({ description: 'When the oldest of them came.' }),
      replaying: z.boolean(),
    }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'EventDestination' });

const secret = z.string().meta({
  description: 'Signs deliveries, as Standard Webhooks says; `whsec_` and base64. Shown this once.',
});

export const newDestinationSchema = destinationSchema.extend({ secret }).meta({ id: 'NewEventDestination' });

export const rotatedSecretSchema = z
  .object({
    secret,
    previousUntil: instant.meta({ description: 'Until then deliveries carry a signature of each secret.' }),
  })
  .meta({ id: 'RotatedSecret' });

export const destinationList = z
  .object({ eventDestinations: z.array(destinationSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'EventDestinationList' });

export const destinationsQuery = z.strictObject({
  ...listQuery,
  projectId: z.uuid().optional(),
  tag: tagQuery.tag.meta({
    description: 'By tags of the destinations: `?tag.plan=pro`, or `?tag[plan]=pro`.',
  }),
});
export const destinationParams = z.strictObject({ id: z.uuid() });

export const testResultSchema = z
  .object({
    eventId: z.uuid(),
    delivered: z.boolean(),
    status: z.int().nullable(),
    durationMs: z.int(),
    error: z.enum(ATTEMPT_ERRORS).nullable(),
    code: z.string().nullable(),
    answer: z.string().nullable().meta({
      description: 'The start of the answer. Of Kafka: where the record stands, or which broker failed.',
    }),
  })
  .meta({ id: 'EventDestinationTest' });

const EMPTY_QUEUE: Queue = { waiting: 0, behind: 0, oldestAt: null, isReplaying: false };

export function findState({
  disabledReason,
  lane,
  failures,
}: Pick<Destination, 'disabledReason' | 'lane' | 'failures'>): 'healthy' | 'failing' | 'disabled' {
  if (disabledReason !== null) return 'disabled';
  return lane === 'deliver-failing' && failures > 0 ? 'failing' : 'healthy';
}

export function toDestinationWire(
  destination: Destination,
  queue: Queue = EMPTY_QUEUE,
): z.input<typeof destinationSchema> {
  const lastFailure = ATTEMPT_ERRORS.find((error) => error === destination.lastFailure) ?? null;
  return {
    id: destination.id,
    projectId: destination.projectId,
    kind: destination.kafka === null ? 'http' : 'kafka',
    url: destination.url,
    kafka: destination.kafka && describeKafka(destination.kafka),
    types: [...destination.types],
    connectionIds: destination.connectionIds === null ? null : [...destination.connectionIds],
    tags: { ...destination.tags },
    description: destination.description,
    ordered: destination.ordered,
    format: destination.format,
    state: findState(destination),
    disabledReason: destination.disabledReason,
    disabledAt: destination.disabledAt?.toISOString() ?? null,
    failingSince: destination.failingSince?.toISOString() ?? null,
    pausedUntil: destination.disabledReason === null ? (destination.holdUntil?.toISOString() ?? null) : null,
    lastSuccessAt: destination.lastSuccessAt?.toISOString() ?? null,
    lastFailureAt: destination.lastFailureAt?.toISOString() ?? null,
    lastFailure,
    queue: {
      waiting: queue.waiting,
      behind: queue.behind,
      oldestAt: queue.oldestAt?.toISOString() ?? null,
      replaying: queue.isReplaying,
    },
    createdAt: destination.createdAt.toISOString(),
    updatedAt: destination.updatedAt.toISOString(),
  };
}

function describeKafka({ brokers, topic, tls, sasl }: KafkaPlace): z.input<typeof kafkaSchema> {
  return { brokers: [...brokers], topic, tls: tls && { ca: tls.ca }, sasl: sasl && { ...sasl } };
}
