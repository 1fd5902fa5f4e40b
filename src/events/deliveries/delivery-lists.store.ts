import type { Db } from '../../platform/postgres/database.ts';
import { AUDIT_PREFIX, timeOfId } from '../stream/event.ts';
import { type DeliveryRow, toDelivery } from './deliveries.store.ts';
import { type Delivery, type DeliveryState, deliveryId } from './delivery.ts';

export type DeliveryFilter = {
  readonly projectIds: readonly string[];
  readonly destinationId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly state?: DeliveryState | undefined;
  /** Also those of the audit log. */
  readonly withAudit: boolean;
  readonly beforeId: string | undefined;
  readonly limit: number;
};

/** Deliveries to destinations that exist, those of the newest events first. */
export async function listDeliveries(
  db: Db,
  { projectIds, destinationId, eventId, state, withAudit, beforeId, limit }: DeliveryFilter,
): Promise<Delivery[]> {
  const destinations = db<{ id: string; project_id: string }>('event_destinations');
  if (destinationId !== undefined) destinations.where({ id: destinationId });
  const owned = await destinations.whereIn('project_id', [...projectIds]).select('id');
  if (owned.length === 0) return [];
  const ids = owned.map(({ id }) => id);
  const query = db<DeliveryRow>('deliveries')
    .whereIn('destination_id', ids)
    .orderBy('id', 'desc')
    .limit(limit);
  if (destinationId === undefined) query.whereIn('project_id', projectIds);
  if (state !== undefined) query.where({ state });
  if (!withAudit) query.whereNot('event_type', 'like', `${AUDIT_PREFIX}%`);
  if (state === 'pending') query.whereNotNull('next_attempt_at');
  if (beforeId !== undefined) {
    query.where('id', '<', beforeId).where('created_at', '<=', new Date(timeOfId(beforeId)));
  }
  if (eventId !== undefined) {
    const wanted = ids.map((id) => deliveryId(id, eventId));
    query.whereIn('id', wanted).where({ created_at: new Date(timeOfId(eventId)) });
  }
  return (await query.select('*')).map(toDelivery);
}

/** A delivery to a destination of one of the projects. */
export async function findDelivery(
  db: Db,
  id: string,
  projectIds: readonly string[],
): Promise<Delivery | undefined> {
  const row = await db<DeliveryRow>('deliveries')
    .where({ id, created_at: new Date(timeOfId(id)) })
    .whereIn('project_id', projectIds)
    .whereExists(
      db('event_destinations')
        .whereRaw('event_destinations.id = deliveries.destination_id')
        .select(db.raw('1')),
    )
    .first();
  return row && toDelivery(row);
}
