import type { Knex } from 'knex';

/**
 * The first schema. Ids are UUIDv7 made by the gateway, timestamps are timestamptz, sealed columns hold vault
 * envelopes (text), hashes are SHA-256. Every row below a project carries project_id, and child rows point at
 * (project_id, id) so that no foreign key can cross projects.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(STORE_MARKS);
  await trx.raw(PRINCIPALS);
  await trx.raw(INTEGRATIONS);
  await trx.raw(CONNECTIONS);
  await trx.raw(CONNECT_SESSIONS);
  await trx.raw(RECORDS);
  await trx.raw(CHANGE_NOTICES);
}

const STORE_MARKS = `
CREATE TABLE vault_canaries (
  key_id text PRIMARY KEY,
  sealed text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE setup (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  token_hash bytea NOT NULL,
  completed_at timestamptz
);`;

const PRINCIPALS = `
CREATE TABLE operators (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  password_hash text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX operators_email_key ON operators (lower(email));

CREATE TABLE projects (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  allowed_origins text[] NOT NULL DEFAULT '{}',
  return_urls text[] NOT NULL DEFAULT '{}',
  limits jsonb NOT NULL DEFAULT '{}',
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE project_members (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  operator_id uuid NOT NULL REFERENCES operators ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'viewer')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, operator_id)
);
CREATE INDEX project_members_operator_idx ON project_members (operator_id);

CREATE TABLE personal_access_tokens (
  id uuid PRIMARY KEY,
  operator_id uuid NOT NULL REFERENCES operators ON DELETE CASCADE,
  name text NOT NULL,
  visible_prefix text NOT NULL,
  token_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text NOT NULL,
  visible_prefix text NOT NULL,
  key_hash bytea NOT NULL UNIQUE,
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
CREATE INDEX api_keys_project_idx ON api_keys (project_id, id);

CREATE TABLE signing_keys (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('managed', 'public_key', 'jwks')),
  kid text NOT NULL,
  alg text,
  public_key_pem text,
  private_key_sealed text,
  jwks_url text,
  issuer text,
  audience text,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz,
  CHECK (kind <> 'managed' OR private_key_sealed IS NOT NULL),
  CHECK (kind <> 'jwks' OR jwks_url IS NOT NULL),
  CHECK (kind = 'jwks' OR public_key_pem IS NOT NULL)
);
CREATE UNIQUE INDEX signing_keys_live_kid_key ON signing_keys (project_id, kid) WHERE revoked_at IS NULL;

CREATE TABLE end_users (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  subject text NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_id, subject),
  UNIQUE (project_id, id)
);`;

const INTEGRATIONS = `
CREATE TABLE integrations (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  service_provider text NOT NULL,
  client_id text,
  client_secret_sealed text,
  previous_client_secret_sealed text,
  client_secret_rotated_at timestamptz,
  webhook_secret_sealed text,
  previous_webhook_secret_sealed text,
  webhook_secret_rotated_at timestamptz,
  scopes text[] NOT NULL DEFAULT '{}',
  optional_scopes text[] NOT NULL DEFAULT '{}',
  variables jsonb NOT NULL DEFAULT '{}',
  settings jsonb NOT NULL DEFAULT '{}',
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by uuid NOT NULL,
  UNIQUE (project_id, id)
);
CREATE INDEX integrations_project_provider_idx ON integrations (project_id, service_provider, id);`;

const CONNECTIONS = `
CREATE TABLE connections (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  integration_id uuid NOT NULL,
  end_user_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'reauthorization_required')),
  status_reason text,
  granted_scopes text[] NOT NULL DEFAULT '{}',
  account_id text,
  account_name text,
  variables jsonb NOT NULL DEFAULT '{}',
  custom_metadata jsonb NOT NULL DEFAULT '{}',
  credentials_sealed text NOT NULL,
  credentials_version integer NOT NULL DEFAULT 1,
  access_token_expires_at timestamptz,
  access_token_lifetime_seconds integer,
  refresh_lease_owner uuid,
  refresh_lease_until timestamptz,
  refresh_failures integer NOT NULL DEFAULT 0,
  refresh_retry_at timestamptz,
  forced_refresh_at timestamptz,
  forced_refresh_version integer,
  last_used_at timestamptz,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_id, id),
  FOREIGN KEY (project_id, integration_id) REFERENCES integrations (project_id, id) ON DELETE CASCADE,
  FOREIGN KEY (project_id, end_user_id) REFERENCES end_users (project_id, id) ON DELETE CASCADE
);
CREATE INDEX connections_user_idx ON connections (project_id, end_user_id, id);
CREATE INDEX connections_integration_idx ON connections (integration_id, id);
CREATE INDEX connections_account_idx ON connections (integration_id, account_id);`;

const CONNECT_SESSIONS = `
CREATE TABLE connect_sessions (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  end_user_id uuid NOT NULL,
  integration_id uuid,
  connection_id uuid,
  token_hash bytea NOT NULL UNIQUE,
  origin text,
  return_url text,
  allow_multiple boolean NOT NULL DEFAULT false,
  completion text NOT NULL CHECK (completion IN ('same_user', 'link')),
  made_by_kind text NOT NULL CHECK (made_by_kind IN ('end_user', 'api_key', 'operator')),
  made_by_id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('created', 'opened', 'authorizing', 'pending', 'completed', 'failed')),
  browser_hash bytea,
  oauth_state_hash bytea UNIQUE,
  pkce_verifier_sealed text,
  variables jsonb NOT NULL DEFAULT '{}',
  completion_code_hash bytea,
  pending_sealed text,
  error_code text,
  created_at timestamptz NOT NULL DEFAULT now(),
  authorizing_at timestamptz,
  expires_at timestamptz NOT NULL,
  FOREIGN KEY (project_id, end_user_id) REFERENCES end_users (project_id, id) ON DELETE CASCADE,
  FOREIGN KEY (project_id, integration_id) REFERENCES integrations (project_id, id) ON DELETE CASCADE,
  FOREIGN KEY (project_id, connection_id) REFERENCES connections (project_id, id) ON DELETE CASCADE
);
CREATE INDEX connect_sessions_expiry_idx ON connect_sessions (expires_at);`;

const RECORDS = `
CREATE TABLE idempotency_keys (
  principal text NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  status integer,
  reply_sealed text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (principal, key)
);
CREATE INDEX idempotency_keys_created_idx ON idempotency_keys (created_at);

CREATE TABLE activity (
  id uuid PRIMARY KEY,
  project_id uuid REFERENCES projects ON DELETE CASCADE,
  actor_kind text NOT NULL CHECK (actor_kind IN ('operator', 'api_key', 'end_user', 'gateway')),
  actor_id uuid,
  action text NOT NULL,
  subject_kind text NOT NULL,
  subject_id uuid,
  details jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX activity_project_idx ON activity (project_id, id);
CREATE INDEX activity_subject_idx ON activity (subject_id, id);`;

/**
 * Replicas keep projects, integrations and connections in memory and drop them on these notices. A trigger announces
 * every change, a hand-typed UPDATE included. Columns that change with use (leases, last_used_at) say nothing, so that
 * traffic makes no noise.
 */
const CHANGE_NOTICES = `
CREATE FUNCTION notify_gateway_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed record;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  PERFORM pg_notify('gateway_changes', TG_TABLE_NAME || ' ' ||
    CASE WHEN TG_TABLE_NAME = 'projects' THEN changed.id ELSE (to_jsonb(changed) ->> 'project_id')::uuid END || ' ' ||
    changed.id || coalesce(' ' || (to_jsonb(changed) ->> 'end_user_id'), ''));
  RETURN NULL;
END $$;

CREATE TRIGGER projects_changed AFTER UPDATE OR DELETE ON projects
  FOR EACH ROW EXECUTE FUNCTION notify_gateway_change();
CREATE TRIGGER signing_keys_changed AFTER INSERT OR UPDATE OR DELETE ON signing_keys
  FOR EACH ROW EXECUTE FUNCTION notify_gateway_change();
CREATE TRIGGER integrations_changed AFTER INSERT OR UPDATE OR DELETE ON integrations
  FOR EACH ROW EXECUTE FUNCTION notify_gateway_change();
CREATE TRIGGER connections_created_or_gone AFTER INSERT OR DELETE ON connections
  FOR EACH ROW EXECUTE FUNCTION notify_gateway_change();
CREATE TRIGGER connections_changed AFTER UPDATE ON connections
  FOR EACH ROW WHEN (OLD.version <> NEW.version OR OLD.credentials_version <> NEW.credentials_version
    OR OLD.status <> NEW.status)
  EXECUTE FUNCTION notify_gateway_change();`;
