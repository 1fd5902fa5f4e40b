import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Principal } from '../../http/principal.ts';
import { readPage } from '../../lib/cursor.ts';
import type { DataKeys } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access, AccessMode } from '../../projects/access.ts';
import type { Servable } from '../destinations/destination.ts';
import type { DestinationsStore } from '../destinations/destinations.store.ts';
import { assertMayAudit, mayAudit } from '../reading/audit-types.ts';
import {
  deliveriesQuery,
  deliveryDetailSchema,
  deliveryList,
  deliveryParams,
  toDeliveryWire,
  toDetailWire,
} from './deliveries.schema.ts';
import { retryDelivery } from './deliveries.store.ts';
import { findDelivery, listDeliveries } from './delivery-lists.store.ts';
import { openAttempts } from './delivery-outcomes.store.ts';

const TAG = 'Events';

/** What became of events on their way to destinations. */
export function createDeliveriesEndpoints(deps: {
  db: Db;
  dataKeys: DataKeys;
  access: Access;
  destinations: Pick<DestinationsStore, 'findById'>;
  now(): number;
  start(trx: Db, destination: Servable): Promise<void>;
}): Endpoint[] {
  const { db, dataKeys, access } = deps;
  async function find(principal: Principal, id: string, mode: AccessMode) {
    const found = await access.find(principal, mode, 'delivery_not_found', (projectIds) =>
      findDelivery(db, id, projectIds),
    );
    assertMayAudit(principal, [found.eventType]);
    return found;
  }

  const list = endpoint({
    operationId: 'listDeliveries',
    method: 'get',
    path: '/deliveries',
    summary: 'List deliveries',
    description:
      'Of the newest events first, to destinations that exist. Those of the audit log only with the scope `activity:read`.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'anyone',
    keyScope: 'events:read',
    query: deliveriesQuery,
    success: { status: 200, schema: deliveryList, description: 'Deliveries' },
    async handler({ principal, query }) {
      const visible = await access.projectsOf(principal);
      const { projectId, cursor, limit, ...filter } = query;
      const projectIds =
        projectId === undefined ? visible : visible.filter((id) => id === projectId.toLowerCase());
      const { items, nextCursor } = await readPage({ cursor, limit }, (window) =>
        listDeliveries(db, { ...filter, withAudit: mayAudit(principal), projectIds, ...window }),
      );
      return { body: { deliveries: items.map(toDeliveryWire), nextCursor } };
    },
  });

  const get = endpoint({
    operationId: 'getDelivery',
    method: 'get',
    path: '/deliveries/{id}',
    summary: 'Read a delivery with its attempts',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'events:read',
    params: deliveryParams,
    success: { status: 200, schema: deliveryDetailSchema, description: 'The delivery' },
    errors: ['delivery_not_found'],
    async handler({ principal, params }) {
      const found = await find(principal, params.id, 'read');
      return { body: toDetailWire(found, await openAttempts(db, dataKeys, found)) };
    },
  });

  const retry = endpoint({
    operationId: 'retryDelivery',
    method: 'post',
    path: '/deliveries/{id}/retry',
    summary: 'Send a delivery again',
    description:
      'Now, whatever its state, under the same `webhook-id`. A disabled destination receives it when it is enabled; a failing one when its turn comes.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'events:manage',
    params: deliveryParams,
    success: { status: 202, schema: deliveryDetailSchema, description: 'The delivery, which is due now' },
    errors: ['delivery_not_found'],
    async handler({ principal, params, commitReply }) {
      const found = await find(principal, params.id, 'write');
      return commitReply(db, async (trx) => {
        const due = await retryDelivery(trx, found, new Date(deps.now()));
        const destination = await deps.destinations.findById(trx, found.destinationId);
        if (due === undefined || destination === undefined) throw new HttpError('delivery_not_found');
        if (destination.disabledReason === null) await deps.start(trx, destination);
        return { body: toDetailWire(due, await openAttempts(trx, dataKeys, due)) };
      });
    },
  });

  return [list, get, retry];
}
