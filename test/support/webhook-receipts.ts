import type pg from 'pg';
import { timeOfId } from '../../src/events/event.ts';
import { newId } from '../../src/lib/ids.ts';

/** A webhook that came for the integration, put straight into the store. Gives its id. */
export async function seedReceipt(
  client: pg.Client,
  owner: { readonly projectId: string; readonly integrationId: string },
): Promise<string> {
  const id = newId();
  await client.query(
    `INSERT INTO webhook_receipts (id, created_at, project_id, integration_id, state, method, query, headers,
       body_sealed, body_bytes, events, unmatched, split_at)
     VALUES ($1, $2, $3, $4, 'unmatched', 'POST', '', '{}', '', 0, 1, 1, now())`,
    [id, new Date(timeOfId(id)), owner.projectId, owner.integrationId],
  );
  return id;
}
