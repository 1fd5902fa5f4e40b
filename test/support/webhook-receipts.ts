import type pg from 'pg';
import { newId } from '../../src/lib/ids.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * A webhook that came for the integration, put straight into the store. Gives its id. It is of a day of which the project
 * has no key, so that its body cannot be read.
 */
export async function seedReceipt(
  client: pg.Client,
  owner: { readonly projectId: string; readonly integrationId: string },
): Promise<string> {
  const timeMs = Date.now() - 2 * DAY_MS;
  const hex = timeMs.toString(16).padStart(12, '0');
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`;
  await client.query(
    `INSERT INTO webhook_receipts (id, created_at, project_id, integration_id, state, method, query, headers,
       body_sealed, body_bytes, events, unmatched, split_at)
     VALUES ($1, $2, $3, $4, 'unmatched', 'POST', '', '{}', '', 0, 1, 1, now())`,
    [id, new Date(timeMs), owner.projectId, owner.integrationId],
  );
  return id;
}
