import type { Knex } from 'knex';

/**
 * Erasing a person: the job with its report, the key of the project's pseudonyms, and which connections were theirs for as
 * long as late data is looked for. A release before this one revokes what has a sealed consent as if nothing were known of it.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE project_pseudonym_keys (
  project_id uuid PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  key_sealed text NOT NULL
);
CREATE TABLE user_erasures (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  pseudonym uuid NOT NULL,
  id_pseudonym uuid NOT NULL,
  person_sealed text,
  state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done')),
  phase text NOT NULL,
  walked text,
  sweeps smallint NOT NULL DEFAULT 0,
  erased jsonb NOT NULL DEFAULT '{}',
  requested_by jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz
);
CREATE INDEX user_erasures_project_idx ON user_erasures (project_id, id);
CREATE INDEX user_erasures_person_idx ON user_erasures (project_id, pseudonym, id);
CREATE INDEX user_erasures_id_idx ON user_erasures (project_id, id_pseudonym, id);
CREATE TABLE user_erasure_connections (
  erasure_id uuid NOT NULL REFERENCES user_erasures (id) ON DELETE CASCADE,
  project_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  PRIMARY KEY (erasure_id, connection_id)
);
CREATE TABLE user_erasure_outcomes (
  erasure_id uuid NOT NULL REFERENCES user_erasures (id) ON DELETE CASCADE,
  project_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  service_provider text NOT NULL,
  outcome text NOT NULL,
  error_code text NOT NULL DEFAULT '',
  grants bigint NOT NULL,
  PRIMARY KEY (erasure_id, integration_id, service_provider, outcome, error_code)
);
CREATE TABLE erased_accounts (
  project_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  account_pseudonym uuid NOT NULL,
  PRIMARY KEY (integration_id, account_pseudonym),
  FOREIGN KEY (project_id, integration_id) REFERENCES integrations (project_id, id) ON DELETE CASCADE
);
CREATE INDEX erased_accounts_project_idx ON erased_accounts (project_id);
ALTER TABLE grants_to_revoke
  ADD COLUMN erasure_id uuid,
  ADD COLUMN consent_sealed text,
  ADD COLUMN last_error text;`);
}
