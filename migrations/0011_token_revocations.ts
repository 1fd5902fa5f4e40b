import type { Knex } from 'knex';

/**
 * Revoked user tokens: one of them (`jti`), those of a user, or (both null) everyone's. `revocations_version` changes
 * with each, so that the replicas, which hear of every change of a project, read the rows again only then.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE projects ADD COLUMN revocations_version integer NOT NULL DEFAULT 0;
CREATE TABLE token_revocations (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  jti text,
  subject text,
  issued_before timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  CHECK (num_nonnulls(jti, subject) <= 1),
  CHECK ((jti IS NULL) = (issued_before IS NOT NULL))
);
CREATE INDEX token_revocations_project_idx ON token_revocations (project_id, id);
CREATE INDEX token_revocations_expiry_idx ON token_revocations (expires_at);`);
}
