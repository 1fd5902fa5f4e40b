import type { Knex } from 'knex';

/**
 * When the provider was last asked about a credential whose calls it refuses, and how often in a row it has refused it.
 * A release before this one leaves the columns alone.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE connections
  ADD COLUMN call_proof_at timestamptz,
  ADD COLUMN call_refusals integer NOT NULL DEFAULT 0;`);
}
