import type pg from 'pg';
import { deliveryId } from '../../src/events/deliveries/delivery.ts';
import { timeOfId } from '../../src/events/stream/event.ts';
import { newId } from '../../src/lib/ids.ts';

/** A delivery that was given up, put straight into the store. Gives its id. */
export async function seedDelivery(
  client: pg.Client,
  owner: { readonly projectId: string; readonly destinationId: string },
): Promise<string> {
  const eventId = newId();
  const id = deliveryId(owner.destinationId, eventId);
  await client.query(
    `INSERT INTO deliveries (id, created_at, project_id, destination_id, event_id, event_type, position, state)
     VALUES ($1, $2, $3, $4, $5, 'none', 1, 'dead')`,
    [id, new Date(timeOfId(eventId)), owner.projectId, owner.destinationId, eventId],
  );
  return id;
}
