import type { Knex } from 'knex';

/**
 * OAuth clients of organizations, each row one version of one: a connection keeps the version that made it. A release
 * before this one knows none of them, and would refresh such a connection with the integration's client. Quotas of single organizations stand beside them, since their index
 * is built with that of the clients; a release before this one knows the quota of the project alone.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE organization_clients (
  id uuid PRIMARY KEY,
  handle uuid NOT NULL,
  project_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  end_user_id uuid NOT NULL,
  client_id text NOT NULL,
  client_secret_sealed text,
  previous_client_secret_sealed text,
  client_secret_rotated_at timestamptz,
  secret_variables_sealed text,
  variables jsonb NOT NULL DEFAULT '{}',
  scopes text[],
  version integer NOT NULL DEFAULT 1,
  worked_at timestamptz,
  refused_at timestamptz,
  retired_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by uuid NOT NULL,
  UNIQUE (project_id, integration_id, id),
  FOREIGN KEY (project_id, integration_id) REFERENCES integrations (project_id, id) ON DELETE CASCADE,
  FOREIGN KEY (project_id, end_user_id) REFERENCES end_users (project_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX organization_clients_current_idx ON organization_clients (integration_id, end_user_id)
  WHERE retired_at IS NULL;
CREATE INDEX organization_clients_owner_idx ON organization_clients (end_user_id);
CREATE INDEX organization_clients_integration_idx ON organization_clients (integration_id, id);
CREATE INDEX organization_clients_client_idx ON organization_clients (client_id);
CREATE INDEX organization_clients_retired_idx ON organization_clients (retired_at) WHERE retired_at IS NOT NULL;
CREATE TRIGGER organization_clients_changed
  AFTER INSERT OR DELETE OR UPDATE OF version, retired_at ON organization_clients
  FOR EACH ROW EXECUTE FUNCTION notify_gateway_change();
ALTER TABLE connections
  ADD COLUMN organization_client_id uuid,
  ADD CONSTRAINT connections_organization_client_fkey
    FOREIGN KEY (project_id, integration_id, organization_client_id)
    REFERENCES organization_clients (project_id, integration_id, id) NOT VALID;
ALTER TABLE connect_sessions ADD COLUMN organization_client_id uuid;
ALTER TABLE end_users
  ADD COLUMN calls_per_day integer,
  ADD CONSTRAINT end_users_calls_per_day_check
    CHECK (calls_per_day IS NULL OR (calls_per_day > 0 AND organization IS NOT NULL)) NOT VALID;
CREATE FUNCTION notify_gateway_quota() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_gateway_change('projects ' || OLD.project_id || ' ' || OLD.project_id);
  RETURN NULL;
END $$;
CREATE TRIGGER end_users_quota_changed AFTER UPDATE OF calls_per_day ON end_users FOR EACH ROW
  WHEN (OLD.calls_per_day IS DISTINCT FROM NEW.calls_per_day) EXECUTE FUNCTION notify_gateway_quota();
CREATE TRIGGER end_users_quota_gone AFTER DELETE ON end_users FOR EACH ROW
  WHEN (OLD.calls_per_day IS NOT NULL) EXECUTE FUNCTION notify_gateway_quota();`);
}
