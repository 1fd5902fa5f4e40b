import type { Knex } from 'knex';

/** One-time links, by the SHA-256 of their token: into a project, and to a new password. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE invitations (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'viewer')),
  token_hash bytea NOT NULL UNIQUE,
  created_by uuid REFERENCES operators ON DELETE SET NULL,
  mailed_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX invitations_project_email_key ON invitations (project_id, lower(email));
CREATE INDEX invitations_expiry_idx ON invitations (expires_at);

CREATE TABLE password_resets (
  token_hash bytea PRIMARY KEY,
  operator_id uuid NOT NULL REFERENCES operators ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX password_resets_operator_idx ON password_resets (operator_id);
CREATE INDEX password_resets_expiry_idx ON password_resets (expires_at);`);
}
