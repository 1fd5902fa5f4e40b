import { z } from 'zod';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { decodePosition, encodePosition, positionCursor } from '../../http/list-position.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Servable } from '../destinations/destination.ts';
import type { DestinationContext } from '../destinations/destination-context.ts';
import { destinationParams, destinationsQuery } from '../destinations/destinations.schema.ts';
import { mayAudit } from '../reading/audit-types.ts';
import { ATTEMPT_ERRORS } from '../sending/attempt.ts';
import {
  findPosition,
  listCauses,
  RETRIED_MAX,
  retryDeliveries,
  UNHAPPY_STATES,
} from './delivery-causes.store.ts';

const TAG = 'Events';
const instant = z.iso.datetime();

const causeList = z
  .object({
    causes: z.array(
      z.object({
        destinationId: z.uuid(),
        error: z.enum(ATTEMPT_ERRORS).nullable(),
        status: z.int().nullable(),
        failed: z.int().meta({ description: 'Deliveries that will be tried again.' }),
        dead: z.int().meta({ description: 'Deliveries that will not.' }),
        lastAttemptAt: instant.nullable(),
        deliveryId: z.uuid().meta({ description: 'The newest of them.' }),
      }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'DeliveryCauseList' });

/** In the order of the list, and what a cursor remembers of its last item. */
const position = z.tuple([z.int().min(0), z.uuid()]);
const causesQuery = z.strictObject({ ...destinationsQuery.shape, cursor: positionCursor });

const retryBody = z.strictObject({
  states: z
    .array(z.enum(UNHAPPY_STATES))
    .min(1)
    .max(UNHAPPY_STATES.length)
    .default([...UNHAPPY_STATES]),
  error: z
    .enum(ATTEMPT_ERRORS)
    .nullable()
    .optional()
    .meta({ description: 'Only deliveries whose last attempt failed so; left out: any.' }),
  status: z.int().min(100).max(599).nullable().optional().meta({
    description: 'Only deliveries whose last attempt was answered so; null: not answered. Left out: any.',
  }),
});

const retriedSchema = z
  .object({
    retried: z.int(),
    hasMore: z.boolean().meta({ description: `At most ${RETRIED_MAX} at once: ask again for the others.` }),
  })
  .meta({ id: 'RetriedDeliveries' });

/** Failed deliveries by what went wrong, and how to send many of them again. */
export function createDeliveryCausesEndpoints(
  deps: DestinationContext & {
    now(): number;
    start(trx: Db, destination: Servable): Promise<void>;
  },
): Endpoint[] {
  const { db, access } = deps;

  const causes = endpoint({
    operationId: 'listDeliveryCauses',
    method: 'get',
    path: '/deliveries/causes',
    summary: 'Count failed deliveries by cause',
    description: 'Of the newest 20,000 that failed and as many dead ones, the most frequent cause first.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'events:read',
    query: causesQuery,
    success: { status: 200, schema: causeList, description: 'Causes' },
    errors: ['project_not_found'],
    async handler({ principal, query }) {
      const projectId = await access.projectToRead(principal, query.projectId);
      const { cursor, limit, tag: tags } = query;
      const after = decodePosition(position, cursor);
      const found = await listCauses(db, projectId, { after, limit: limit + 1, tags });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return {
        body: {
          nextCursor: last === undefined ? null : encodePosition(findPosition(last)),
          causes: page.map(({ error, lastAt, ...cause }) => ({
            ...cause,
            error: ATTEMPT_ERRORS.find((one) => one === error) ?? null,
            lastAttemptAt: lastAt?.toISOString() ?? null,
          })),
        },
      };
    },
  });

  const retry = endpoint({
    operationId: 'retryDeliveries',
    method: 'post',
    path: '/event-destinations/{id}/retry',
    summary: 'Send failed deliveries again',
    description:
      'The oldest first, each under its `webhook-id` and with a new schedule. A disabled destination receives them when it is enabled. An API key without the scope `activity:read` leaves out those of the audit log.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'events:manage',
    params: destinationParams,
    body: retryBody,
    requestExample: { states: ['dead'] },
    success: { status: 202, schema: retriedSchema, description: 'How many are due now' },
    errors: ['destination_not_found'],
    async handler({ principal, params, body, commitReply }) {
      const found = await deps.find(principal, params.id, 'write');
      const { states, error, status } = body;
      return commitReply(db, async (trx) => {
        const retried = await retryDeliveries(trx, {
          ...{ destinationId: found.id, states, error, status },
          withAudit: mayAudit(principal),
          now: new Date(deps.now()),
        });
        if (retried > 0 && found.disabledReason === null) await deps.start(trx, found);
        return { body: { retried, hasMore: retried === RETRIED_MAX } };
      });
    },
  });

  return [causes, retry];
}
