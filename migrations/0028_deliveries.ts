import type { Knex } from 'knex';

/**
 * The pushed half of the event stream. A destination reads its project's feed from `position` on and has a delivery for
 * each event that it wants. `lane` is the job that serves it; only that job changes it. Deliveries stand in daily
 * partitions by the time of their event, beside the event itself, and their ids begin with that time. Those of a deleted
 * destination are erased in the background: a trigger notes it, since deleting a project deletes destinations too.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE event_destinations (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  version integer NOT NULL DEFAULT 1,
  url text NOT NULL,
  types text[] NOT NULL,
  connection_ids uuid[],
  description text,
  ordered text NOT NULL CHECK (ordered IN ('none', 'connection')),
  format text NOT NULL CHECK (format IN ('standard', 'cloudevents')),
  secret_sealed text NOT NULL,
  previous_secret_sealed text,
  secret_rotated_at timestamptz,
  disabled_reason text CHECK (disabled_reason IN ('operator', 'gone', 'failing')),
  disabled_at timestamptz,
  position bigint NOT NULL,
  lane text NOT NULL DEFAULT 'deliver' CHECK (lane IN ('deliver', 'deliver-failing')),
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  hold_until timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure text,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((disabled_reason IS NULL) = (disabled_at IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX event_destinations_project_idx ON event_destinations (project_id, id);

CREATE TABLE deliveries (
  id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  project_id uuid NOT NULL,
  destination_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  connection_id uuid,
  position bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'dead')),
  attempts_made smallint NOT NULL DEFAULT 0,
  attempts_sealed bytea,
  last_attempt_at timestamptz,
  last_status smallint,
  last_error text,
  next_attempt_at timestamptz,
  PRIMARY KEY (id, created_at),
  CHECK ((next_attempt_at IS NOT NULL) = (state IN ('pending', 'failed')))
) PARTITION BY RANGE (created_at);
CREATE TABLE deliveries_default PARTITION OF deliveries DEFAULT;
CREATE INDEX deliveries_waiting_idx ON deliveries (destination_id, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_destination_idx ON deliveries (destination_id, id);
CREATE INDEX deliveries_project_idx ON deliveries (project_id, id);
CREATE INDEX deliveries_unhappy_idx ON deliveries (project_id, state, id) WHERE state IN ('failed', 'dead');

CREATE TABLE event_replays (
  id uuid PRIMARY KEY,
  destination_id uuid NOT NULL REFERENCES event_destinations ON DELETE CASCADE,
  position bigint NOT NULL,
  to_position bigint NOT NULL,
  from_at timestamptz,
  to_at timestamptz,
  states text[],
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX event_replays_destination_idx ON event_replays (destination_id);

CREATE TABLE deleted_event_destinations (
  id uuid PRIMARY KEY
);
CREATE FUNCTION note_deleted_event_destination() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deleted_event_destinations (id) VALUES (old.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER event_destinations_deleted AFTER DELETE ON event_destinations
  FOR EACH ROW EXECUTE FUNCTION note_deleted_event_destination();`);
}
