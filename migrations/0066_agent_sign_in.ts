import type { Knex } from 'knex';

/**
 * Signing in for agents: what a person has allowed a client, the artifacts of the authorization server (interactions, codes,
 * tokens), and people on their way through the application's page. A release before this one leaves the tables alone, and
 * takes such tokens for malformed ones.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE agent_consents (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  end_user_id uuid NOT NULL REFERENCES end_users (id) ON DELETE CASCADE,
  client_id text NOT NULL,
  client_name text,
  access text NOT NULL CHECK (access IN ('read', 'all')),
  rights jsonb NOT NULL,
  signed_in_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX agent_consents_project_idx ON agent_consents (project_id, id);
CREATE INDEX agent_consents_user_idx ON agent_consents (end_user_id, id);
CREATE TRIGGER agent_consents_changed AFTER INSERT OR DELETE ON agent_consents
  FOR EACH ROW EXECUTE FUNCTION notify_gateway_change();
CREATE TABLE agent_artifacts (
  id text PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  consent_id uuid REFERENCES agent_consents (id) ON DELETE CASCADE,
  kind text NOT NULL,
  payload_sealed text NOT NULL,
  consumed_at timestamptz,
  expires_at timestamptz NOT NULL
);
CREATE INDEX agent_artifacts_project_idx ON agent_artifacts (project_id);
CREATE INDEX agent_artifacts_consent_idx ON agent_artifacts (consent_id);
CREATE INDEX agent_artifacts_expiry_idx ON agent_artifacts (expires_at);
CREATE TABLE agent_sign_ins (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  interaction_hash bytea NOT NULL UNIQUE,
  browser_hash bytea NOT NULL,
  state_hash bytea NOT NULL UNIQUE,
  handover_hash bytea UNIQUE,
  person_sealed text NOT NULL,
  is_confirmed boolean NOT NULL DEFAULT false,
  expires_at timestamptz NOT NULL
);
CREATE INDEX agent_sign_ins_project_idx ON agent_sign_ins (project_id);
CREATE INDEX agent_sign_ins_expiry_idx ON agent_sign_ins (expires_at);
ALTER TABLE projects ADD COLUMN agent_sign_in jsonb;`);
}
