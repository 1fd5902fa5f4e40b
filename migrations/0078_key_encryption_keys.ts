import type { Knex } from 'knex';

/**
 * Key-encryption keys that a key management service has wrapped, and which processes hold the one that is to seal next. A
 * release before this one has no use for them, and holds back the next one while it runs.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE key_encryption_keys (
  id text PRIMARY KEY,
  kms text NOT NULL,
  deployment text NOT NULL,
  wrapped text NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'active', 'retired')),
  created_at timestamptz NOT NULL DEFAULT now(),
  activated_at timestamptz
);
CREATE UNIQUE INDEX key_encryption_keys_active_idx ON key_encryption_keys (state) WHERE state = 'active';
CREATE UNIQUE INDEX key_encryption_keys_waiting_idx ON key_encryption_keys (state) WHERE state = 'waiting';
CREATE TABLE key_holders (
  key_id text NOT NULL REFERENCES key_encryption_keys (id) ON DELETE CASCADE,
  process_key integer NOT NULL,
  PRIMARY KEY (key_id, process_key)
);`);
}
