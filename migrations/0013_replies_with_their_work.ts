import type { Knex } from 'knex';

/**
 * A reply to a request with an Idempotency-Key is now inserted by the transaction that does the work, so that a row
 * without a reply is one of the release before. `owner` is the principal that the row counts against.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE idempotency_keys
  ADD COLUMN owner text NOT NULL DEFAULT '',
  ADD COLUMN reply_bytes integer NOT NULL DEFAULT 0;
CREATE INDEX idempotency_keys_owner_idx ON idempotency_keys (owner, created_at);`);
}
