import type { Db } from '../../platform/postgres/database.ts';

const ERASED_ROWS = 2_000;
const TABLES = ['webhook_receipts', 'webhook_event_keys', 'webhook_unmatched'] as const;

type Table = (typeof TABLES)[number];

/** Erases what has been kept for its time, and what deleted integrations left. `signal` ends it early. */
export async function purgeWebhooksOfAnyProject(
  db: Db,
  { beforeMs, signal }: { readonly beforeMs: number; readonly signal: AbortSignal },
): Promise<void> {
  await eraseInBatches(
    db,
    `DELETE FROM webhook_event_keys WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM webhook_event_keys WHERE expires_at < now() LIMIT ${ERASED_ROWS}))`,
    [],
    signal,
  );
  await eraseInBatches(
    db,
    `DELETE FROM webhook_unmatched WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM webhook_unmatched WHERE created_at < ? LIMIT ${ERASED_ROWS}))`,
    [new Date(beforeMs)],
    signal,
  );
  for (const table of TABLES) {
    for (const integrationId of await listOrphans(db, table)) {
      // A row's place is unique within its partition only.
      await eraseInBatches(
        db,
        `DELETE FROM ${table} WHERE (tableoid, ctid) IN (
           SELECT tableoid, ctid FROM ${table} WHERE integration_id = ? LIMIT ${ERASED_ROWS})`,
        [integrationId],
        signal,
      );
    }
  }
}

async function eraseInBatches(
  db: Db,
  sql: string,
  bindings: readonly (Date | string)[],
  signal: AbortSignal,
): Promise<void> {
  let erased = ERASED_ROWS;
  while (erased === ERASED_ROWS && !signal.aborted) {
    const result = await db.raw<{ rowCount: number }>(sql, [...bindings]);
    erased = result.rowCount;
  }
}

/** Integrations that the table names and that are gone, by jumps through its index. */
async function listOrphans(db: Db, table: Table): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { integration_id: string }[] }>(
    `WITH RECURSIVE named AS (
       (SELECT integration_id FROM ${table} ORDER BY integration_id LIMIT 1)
       UNION ALL
       SELECT (SELECT t.integration_id FROM ${table} AS t WHERE t.integration_id > n.integration_id
               ORDER BY t.integration_id LIMIT 1) FROM named AS n WHERE n.integration_id IS NOT NULL)
     SELECT integration_id FROM named AS n WHERE integration_id IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM integrations AS i WHERE i.id = n.integration_id)`,
  );
  return rows.map((row) => row.integration_id);
}
