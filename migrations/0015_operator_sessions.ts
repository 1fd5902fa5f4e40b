import type { Knex } from 'knex';

/**
 * Operators sign in: sessions of theirs, by the SHA-256 of the cookie. An operator who only uses single sign-on has no
 * password.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE operators ADD COLUMN name text;
ALTER TABLE operators ADD COLUMN language text;
ALTER TABLE operators ALTER COLUMN password_hash DROP NOT NULL;

CREATE TABLE operator_sessions (
  id uuid PRIMARY KEY,
  operator_id uuid NOT NULL REFERENCES operators ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  source_address text,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX operator_sessions_operator_idx ON operator_sessions (operator_id, id);
CREATE INDEX operator_sessions_expiry_idx ON operator_sessions (expires_at);`);
}
