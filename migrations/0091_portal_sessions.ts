import type { Knex } from 'knex';

/** Links by which a person opens the page of their connections. A release before this one knows no such page. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE portal_sessions (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  end_user_id uuid NOT NULL REFERENCES end_users (id) ON DELETE CASCADE,
  organization_id uuid REFERENCES end_users (id) ON DELETE CASCADE,
  is_manager boolean NOT NULL,
  token_hash bytea NOT NULL UNIQUE,
  browser_hash bytea,
  locale text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX portal_sessions_user_idx ON portal_sessions (end_user_id);
CREATE INDEX portal_sessions_organization_idx ON portal_sessions (organization_id) WHERE organization_id IS NOT NULL;
CREATE INDEX portal_sessions_project_idx ON portal_sessions (project_id);
CREATE INDEX portal_sessions_expiry_idx ON portal_sessions (expires_at);`);
}
