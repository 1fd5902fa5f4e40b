import type { Knex } from 'knex';

/**
 * What the diagnosis looks at. `integration_secrets` tells of each client and webhook secret when it was set, worked and
 * was refused, never the secret itself; triggers keep it, so that releases without this table keep it too. `noticed_faults`
 * holds refused origins, return URLs and hosts, `integration_probes` the last answer of each integration's provider.
 * Migration 0022 makes the indexes of the tables that were there before.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE integration_secrets (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('client', 'webhook')),
  age text NOT NULL CHECK (age IN ('newer', 'older')),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid NOT NULL,
  last_worked_at timestamptz,
  last_refused_at timestamptz,
  expires_at timestamptz,
  UNIQUE (integration_id, kind, age),
  FOREIGN KEY (project_id, integration_id) REFERENCES integrations (project_id, id) ON DELETE CASCADE
);

CREATE FUNCTION new_time_ordered_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(set_bit(set_bit(overlay(
    uuid_send(gen_random_uuid())
    PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
    FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;

CREATE FUNCTION keep_integration_secret(
  integration integrations, secret_kind text, has_current boolean, has_previous boolean, is_changed boolean
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF is_changed OR NOT has_previous THEN
    DELETE FROM integration_secrets
    WHERE integration_id = integration.id AND kind = secret_kind AND age = 'older';
  END IF;
  IF is_changed AND has_previous THEN
    UPDATE integration_secrets SET age = 'older'
    WHERE integration_id = integration.id AND kind = secret_kind AND age = 'newer';
  ELSIF is_changed OR NOT has_current THEN
    DELETE FROM integration_secrets
    WHERE integration_id = integration.id AND kind = secret_kind AND age = 'newer';
  END IF;
  IF is_changed AND has_current THEN
    INSERT INTO integration_secrets (id, project_id, integration_id, kind, age, created_by)
    VALUES (new_time_ordered_id(), integration.project_id, integration.id, secret_kind, 'newer', integration.updated_by);
  END IF;
END $$;

CREATE FUNCTION keep_integration_secrets() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_new boolean := TG_OP = 'INSERT';
BEGIN
  PERFORM keep_integration_secret(NEW, 'client', NEW.client_secret_sealed IS NOT NULL,
    NEW.previous_client_secret_sealed IS NOT NULL,
    is_new OR NEW.client_secret_rotated_at IS DISTINCT FROM OLD.client_secret_rotated_at);
  PERFORM keep_integration_secret(NEW, 'webhook', NEW.webhook_secret_sealed IS NOT NULL,
    NEW.previous_webhook_secret_sealed IS NOT NULL,
    is_new OR NEW.webhook_secret_rotated_at IS DISTINCT FROM OLD.webhook_secret_rotated_at);
  RETURN NULL;
END $$;
CREATE TRIGGER integrations_secrets_set AFTER INSERT ON integrations
  FOR EACH ROW EXECUTE FUNCTION keep_integration_secrets();
CREATE TRIGGER integrations_secrets_changed AFTER UPDATE OF
  client_secret_rotated_at, previous_client_secret_sealed, webhook_secret_rotated_at, previous_webhook_secret_sealed
  ON integrations FOR EACH ROW EXECUTE FUNCTION keep_integration_secrets();

INSERT INTO integration_secrets (id, project_id, integration_id, kind, age, created_at, created_by)
SELECT new_time_ordered_id(), project_id, id, 'client', 'older', created_at, created_by
FROM integrations WHERE previous_client_secret_sealed IS NOT NULL
UNION ALL
SELECT new_time_ordered_id(), project_id, id, 'client', 'newer', coalesce(client_secret_rotated_at, created_at), updated_by
FROM integrations WHERE client_secret_sealed IS NOT NULL
UNION ALL
SELECT new_time_ordered_id(), project_id, id, 'webhook', 'older', created_at, created_by
FROM integrations WHERE previous_webhook_secret_sealed IS NOT NULL
UNION ALL
SELECT new_time_ordered_id(), project_id, id, 'webhook', 'newer', coalesce(webhook_secret_rotated_at, created_at), updated_by
FROM integrations WHERE webhook_secret_sealed IS NOT NULL;

CREATE TABLE noticed_faults (
  project_id uuid REFERENCES projects ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('origin', 'return_url', 'host')),
  value text NOT NULL,
  count bigint NOT NULL,
  first_at timestamptz NOT NULL DEFAULT now(),
  last_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE NULLS NOT DISTINCT (project_id, kind, value)
);
CREATE INDEX noticed_faults_time_idx ON noticed_faults (last_at);

CREATE TABLE integration_probes (
  integration_id uuid PRIMARY KEY,
  project_id uuid NOT NULL,
  integration_version integer NOT NULL,
  claimed_at timestamptz NOT NULL DEFAULT now(),
  checked_at timestamptz,
  facts jsonb,
  FOREIGN KEY (project_id, integration_id) REFERENCES integrations (project_id, id) ON DELETE CASCADE
);

ALTER TABLE connections
  ADD COLUMN refresh_heard_at timestamptz,
  ADD COLUMN refresh_status integer,
  ADD COLUMN refresh_error text,
  ADD COLUMN refresh_words text;`);
}
