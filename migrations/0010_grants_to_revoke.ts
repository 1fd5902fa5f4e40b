import type { Knex } from 'knex';

/**
 * Grants that were erased here and are still to be revoked at their providers. Without foreign keys: they outlive the
 * connection, the integration and the project that they belonged to.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE grants_to_revoke (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  connection_id uuid,
  service_provider text NOT NULL,
  origin text NOT NULL,
  request_sealed text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  attempt_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX grants_to_revoke_due_idx ON grants_to_revoke (attempt_at);`);
}
