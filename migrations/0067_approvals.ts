import type { Knex } from 'knex';

/**
 * Calls that wait for a person's approval, and the links by which a person opens the page of one. A release before this one
 * refuses such calls and leaves the tables alone.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE approvals (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  end_user_id uuid NOT NULL REFERENCES end_users (id) ON DELETE CASCADE,
  integration_id uuid NOT NULL,
  connection_id uuid NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  provider text NOT NULL,
  method text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('once', 'each')),
  state text NOT NULL DEFAULT 'pending'
    CHECK (state IN ('pending', 'approved', 'rejected', 'expired', 'used')),
  call_mark text NOT NULL,
  entry_hash bytea NOT NULL,
  call_sealed text,
  body_sealed text,
  bytes integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  decided_at timestamptz,
  decided_by_kind text CHECK (decided_by_kind IN ('operator', 'api_key', 'end_user')),
  decided_by_id uuid,
  ended_at timestamptz,
  opened_token_hash bytea,
  opened_until timestamptz,
  CHECK ((state IN ('pending', 'approved')) = (ended_at IS NULL)),
  CHECK ((ended_at IS NULL) = (call_sealed IS NOT NULL)),
  CHECK (call_sealed IS NOT NULL OR body_sealed IS NULL)
);
CREATE INDEX approvals_project_idx ON approvals (project_id, id);
CREATE INDEX approvals_user_idx ON approvals (end_user_id, id);
CREATE INDEX approvals_connection_idx ON approvals (connection_id);
CREATE INDEX approvals_live_idx ON approvals (project_id, end_user_id) WHERE ended_at IS NULL;
CREATE INDEX approvals_expiry_idx ON approvals (expires_at) WHERE ended_at IS NULL;
CREATE INDEX approvals_ended_idx ON approvals (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX approvals_opened_idx ON approvals (opened_token_hash) WHERE opened_token_hash IS NOT NULL;
CREATE TABLE approval_sessions (
  approval_id uuid PRIMARY KEY REFERENCES approvals (id) ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  browser_hash bytea,
  locale text,
  expires_at timestamptz NOT NULL
);
ALTER TABLE projects ADD COLUMN approval_page text;`);
}
