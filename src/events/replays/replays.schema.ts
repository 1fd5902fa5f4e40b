import { z } from 'zod';
import { givenInstant } from '../../lib/instant.schema.ts';
import { DELIVERY_STATES } from '../deliveries/delivery.ts';

export const replayBody = z.strictObject({
  after: z.uuid().optional().meta({ description: 'Events behind the one with this id.' }),
  from: givenInstant.optional().meta({ description: 'Events of this time or later.' }),
  to: givenInstant.optional().meta({ description: 'Events of this time or earlier.' }),
  states: z.array(z.enum(DELIVERY_STATES)).min(1).max(DELIVERY_STATES.length).optional().meta({
    description:
      'Only events whose delivery is in one of these states. Left out: all, also those that it never received.',
  }),
});

export const replaySchema = z
  .object({
    id: z.uuid(),
    destinationId: z.uuid(),
    events: z.int().meta({ description: 'Events of the feed that are looked at.' }),
  })
  .meta({ id: 'EventReplay' });

export const replayList = z
  .object({
    replays: z.array(
      z.object({
        id: z.uuid(),
        remaining: z.int().meta({ description: 'Events that have not been looked at yet.' }),
        createdAt: z.iso.datetime(),
      }),
    ),
  })
  .meta({ id: 'EventReplayList' });
