import type { Knex } from 'knex';

/**
 * Projects that are frozen, the report of revoking all that a project holds, and a gateway that runs on a restored
 * backup. A release before this one goes on with frozen projects as if nothing were said.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE projects
  ADD COLUMN frozen_at timestamptz,
  ADD COLUMN frozen_reason text;
CREATE TABLE project_revocations (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done')),
  connections bigint NOT NULL DEFAULT 0,
  requested_by jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz
);
CREATE INDEX project_revocations_project_idx ON project_revocations (project_id, id);
CREATE UNIQUE INDEX project_revocations_running_idx ON project_revocations (project_id) WHERE state = 'running';
CREATE TABLE project_revocation_outcomes (
  revocation_id uuid NOT NULL REFERENCES project_revocations (id) ON DELETE CASCADE,
  project_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  service_provider text NOT NULL,
  outcome text NOT NULL,
  error_code text NOT NULL DEFAULT '',
  grants bigint NOT NULL,
  PRIMARY KEY (revocation_id, integration_id, service_provider, outcome, error_code)
);
CREATE INDEX project_revocation_outcomes_project_idx ON project_revocation_outcomes (project_id);
CREATE TABLE gateway_restores (
  id uuid PRIMARY KEY,
  incarnation text NOT NULL UNIQUE,
  state text NOT NULL DEFAULT 'held' CHECK (state IN ('held', 'probing', 'resumed')),
  walked uuid,
  probed bigint NOT NULL DEFAULT 0,
  alive bigint NOT NULL DEFAULT 0,
  died bigint NOT NULL DEFAULT 0,
  held_at timestamptz NOT NULL DEFAULT now(),
  resumed_at timestamptz
);
CREATE TABLE gateway_restore_deaths (
  restore_id uuid NOT NULL REFERENCES gateway_restores (id) ON DELETE CASCADE,
  project_id uuid NOT NULL,
  connection_id uuid NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  reason text NOT NULL,
  PRIMARY KEY (restore_id, connection_id)
);
CREATE INDEX gateway_restore_deaths_connection_idx ON gateway_restore_deaths (connection_id);
CREATE FUNCTION notify_gateway_restore() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  PERFORM pg_notify('gateway_changes', 'gateway_restores ' || NEW.id || ' ' || NEW.id);
  RETURN NULL;
END $function$;
CREATE TRIGGER gateway_restores_changed AFTER INSERT OR UPDATE OF state ON gateway_restores
  FOR EACH ROW EXECUTE FUNCTION notify_gateway_restore();`);
}
