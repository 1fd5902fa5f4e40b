import { z } from 'zod';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access } from '../../projects/access.ts';
import type { Destination, Servable } from '../destinations/destination.ts';
import type { DestinationsStore } from '../destinations/destinations.store.ts';
import { assertMayAuditEvent } from '../reading/audit-types.ts';
import { findEvent } from '../reading/latest-events.store.ts';
import { matchesFilter } from '../stream/events.store.ts';
import { deliverySchema, toDeliveryWire } from './deliveries.schema.ts';
import { redeliverEvent } from './deliveries.store.ts';

const redeliverBody = z.strictObject({
  destinationId: z.uuid().optional().meta({
    description: 'The one destination that receives it, also where it does not want such events.',
  }),
});

const redeliveredSchema = z.object({ deliveries: z.array(deliverySchema) }).meta({
  id: 'RedeliveredEvent',
  description: 'One for each destination; none where none wants the event.',
});

/** Sends one event again. */
export function createRedeliverEndpoints(deps: {
  db: Db;
  access: Access;
  destinations: Pick<DestinationsStore, 'list'>;
  now(): number;
  start(trx: Db, destination: Servable): Promise<void>;
}): Endpoint[] {
  const { db, access, destinations } = deps;

  const redeliver = endpoint({
    operationId: 'redeliverEvent',
    method: 'post',
    path: '/events/{id}/redeliver',
    summary: 'Send an event again',
    description:
      'Now, to every destination that wants it, whether it was delivered before or not, under the same `webhook-id`. A disabled destination receives it when it is enabled.',
    tag: 'Events',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'events:manage',
    params: z.strictObject({ id: z.uuid() }),
    body: redeliverBody,
    requestExample: {},
    success: { status: 202, schema: redeliveredSchema, description: 'The deliveries, which are due now' },
    errors: ['event_not_found', 'destination_not_found'],
    async handler({ principal, params, body, commitReply }) {
      const event = await access.find(principal, 'write', 'event_not_found', (projectIds) =>
        findEvent(db, params.id.toLowerCase(), projectIds),
      );
      assertMayAuditEvent(principal, event);
      return commitReply(db, async (trx) => {
        const deliveries = [];
        for (const destination of await choose(trx, event, body.destinationId?.toLowerCase())) {
          const due = await redeliverEvent(trx, destination, event, new Date(deps.now()));
          deliveries.push(toDeliveryWire(due));
          if (destination.disabledReason === null) await deps.start(trx, destination);
        }
        return { body: { deliveries } };
      });
    },
  });

  /** The destination that was named, or those that want the event. */
  async function choose(
    trx: Db,
    event: { readonly id: string; readonly project_id: string },
    destinationId: string | undefined,
  ): Promise<readonly Destination[]> {
    const all = await destinations.list(trx, [event.project_id]);
    if (destinationId !== undefined) {
      const named = all.filter(({ id }) => id === destinationId);
      if (named.length === 0) throw new HttpError('destination_not_found');
      return named;
    }
    const isWanted = await Promise.all(
      all.map(({ types, connectionIds, tags }) =>
        matchesFilter(trx, event.id, { types, connectionIds: connectionIds ?? undefined, tags }),
      ),
    );
    return all.filter((_destination, index) => isWanted[index]);
  }

  return [redeliver];
}
