import { z } from 'zod';
import { listQuery } from '../../lib/cursor.ts';
import { ATTEMPT_ERRORS, type Attempt } from '../sending/attempt.ts';
import type { Delivery } from './delivery.ts';
import { DELIVERY_STATES } from './delivery.ts';

const instant = z.iso.datetime();

export const deliverySchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    destinationId: z.uuid(),
    eventId: z.uuid(),
    eventType: z.string(),
    connectionId: z.uuid().nullable(),
    createdAt: instant.meta({ description: 'Of the event.' }),
    state: z.enum(DELIVERY_STATES).meta({
      description:
        '`failed`: the last attempt failed, and another one will come. `dead`: none will, unless it is asked for.',
    }),
    attemptsMade: z
      .int()
      .meta({ description: 'Of the present schedule; a retry of what was over begins again.' }),
    nextAttemptAt: instant.nullable(),
    lastAttemptAt: instant.nullable(),
    lastStatus: z.int().nullable(),
    lastError: z.enum(ATTEMPT_ERRORS).nullable(),
  })
  .meta({ id: 'Delivery' });

const attemptSchema = z
  .object({
    at: instant,
    status: z.int().nullable(),
    durationMs: z.int(),
    error: z.enum(ATTEMPT_ERRORS).nullable(),
    code: z
      .string()
      .nullable()
      .meta({ description: 'What the system or Kafka calls it, such as ECONNREFUSED.' }),
    answer: z.string().nullable().meta({
      description:
        'The start of the answer, up to 1 KiB. Of Kafka: where the record stands, or which broker failed.',
    }),
  })
  .meta({ id: 'DeliveryAttempt' });

export const deliveryDetailSchema = deliverySchema
  .extend({ attempts: z.array(attemptSchema).meta({ description: 'The last 30, the oldest first.' }) })
  .meta({ id: 'DeliveryDetail' });

export const deliveryList = z
  .object({ deliveries: z.array(deliverySchema), nextCursor: z.string().nullable() })
  .meta({ id: 'DeliveryList' });

export const deliveriesQuery = z.strictObject({
  ...listQuery,
  projectId: z.uuid().optional(),
  destinationId: z.uuid().optional(),
  eventId: z.uuid().optional(),
  state: z.enum(DELIVERY_STATES).optional(),
});

export const deliveryParams = z.strictObject({ id: z.uuid() });

export function toDeliveryWire(delivery: Delivery): z.input<typeof deliverySchema> {
  return {
    id: delivery.id,
    projectId: delivery.projectId,
    destinationId: delivery.destinationId,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    connectionId: delivery.connectionId,
    createdAt: delivery.createdAt.toISOString(),
    state: delivery.state,
    attemptsMade: delivery.attemptsMade,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
    lastStatus: delivery.lastStatus,
    lastError: ATTEMPT_ERRORS.find((error) => error === delivery.lastError) ?? null,
  };
}

export function toDetailWire(
  delivery: Delivery,
  attempts: readonly Attempt[],
): z.input<typeof deliveryDetailSchema> {
  return {
    ...toDeliveryWire(delivery),
    attempts: attempts.map(({ at, status, durationMs, error, code, answer }) => ({
      at,
      status: status ?? null,
      durationMs,
      error: error ?? null,
      code: code ?? null,
      answer: answer ?? null,
    })),
  };
}
