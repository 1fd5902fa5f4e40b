import { z } from 'zod';
import { plainDigits } from '../../lib/plain-digits.ts';
import { tagQuery } from '../../lib/tags.schema.ts';
import { BEFORE_ALL_EVENTS, EVENT_CHANGES, EVENT_SOURCES, TYPE_PATTERN } from '../stream/event.ts';

const EVENTS_MAX = 1_000;
const EVENTS_DEFAULT = 100;
const WAIT_SECONDS_MAX = 30;
const NAMES_MAX = 50;

const count = (min: number, max: number) => plainDigits(z.number().int().min(min).max(max));

/** Names with commas between, as one query parameter has them. */
const list = (item: z.ZodType<string>) =>
  z.preprocess(
    (text) => (typeof text === 'string' ? text.split(',').map((part) => part.trim()) : text),
    z.array(item).min(1).max(NAMES_MAX),
  );

export const typePattern = z
  .string()
  .max(200)
  .regex(TYPE_PATTERN, 'A type such as `hubspot.contact.created`, or the beginning of some: `hubspot.*`');

export const eventSchema = z
  .object({
    id: z.uuid(),
    type: z.string().meta({ description: '`<provider>.<object>.<change>`, or a type of the gateway’s own.' }),
    createdAt: z.iso.datetime(),
    projectId: z.uuid(),
    integrationId: z.uuid().nullable(),
    connectionId: z.uuid().nullable(),
    integrationUserId: z.uuid().nullable(),
    userId: z.string().nullable(),
    owner: z
      .object({ type: z.enum(['user', 'organization']), id: z.string() })
      .nullable()
      .meta({ description: 'Whose connection it is about, by your own id.' }),
    source: z.enum(EVENT_SOURCES),
    object: z
      .object({ type: z.string(), id: z.string(), change: z.enum(EVENT_CHANGES) })
      .optional()
      .meta({ description: 'What changed at the provider, where the payload tells it.' }),
    data: z.unknown().meta({ description: 'The provider’s own payload, unchanged.' }),
  })
  .meta({ id: 'Event' });

export const eventList = z
  .object({
    events: z.array(eventSchema),
    nextAfter: z.uuid().meta({
      description:
        'Where to read on: `after` of the next request. It moves on past events that were filtered out.',
    }),
  })
  .meta({ id: 'EventList' });

/** Which events of which project. */
export const eventFilterQuery = {
  projectId: z.uuid().optional().meta({ description: 'Needed where an operator has several projects.' }),
  types: list(typePattern).optional().meta({
    description:
      'Types with commas between; `hubspot.*` names all that begin so. Those of the audit log, `activity.*`, come only where they are named; a key needs the scope `activity:read` for them.',
  }),
  connectionId: z.uuid().optional(),
  integrationId: z.uuid().optional(),
  objectType: z.string().min(1).max(100).optional(),
  ...tagQuery,
};

export const eventsQuery = z.strictObject({
  ...eventFilterQuery,
  after: z
    .uuid()
    .default(BEFORE_ALL_EVENTS)
    .meta({
      description: `The id of the last event that was read: \`nextAfter\` of the page before. Left out, or ${BEFORE_ALL_EVENTS}: from the oldest event that is kept.`,
    }),
  limit: count(1, EVENTS_MAX).default(EVENTS_DEFAULT),
  wait: count(0, WAIT_SECONDS_MAX)
    .default(0)
    .meta({ description: 'How many seconds to wait for an event where there is none yet.' }),
});

export type EventsQuery = z.output<typeof eventsQuery>;
