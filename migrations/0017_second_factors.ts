import type { Knex } from 'knex';

/**
 * The second factor of an operator (RFC 6238), pending until a first code confirms it, with recovery codes of one use;
 * and the accounts at the identity provider that operators sign in with.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE operator_otps (
  operator_id uuid PRIMARY KEY REFERENCES operators ON DELETE CASCADE,
  secret_sealed text NOT NULL,
  last_step bigint NOT NULL DEFAULT 0,
  recovery_code_hashes bytea[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  confirmed_at timestamptz
);

CREATE TABLE operator_identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  operator_id uuid NOT NULL REFERENCES operators ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX operator_identities_operator_idx ON operator_identities (operator_id);`);
}
