import type { Knex } from 'knex';

/**
 * The event stream. `events` stands in daily partitions by `created_at`, which is the time in the event's id; a day
 * without a partition goes to the default one, so that no event is ever refused. `event_heads` gives each project's
 * events their positions: its row stays locked until the transaction commits, so that positions become visible in their
 * order. Tables of events name projects without a foreign key: deleting a project deletes its data keys, which makes the
 * payloads unreadable at once, and the rows leave with their partitions.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE data_keys (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  day date NOT NULL,
  key_sealed text NOT NULL,
  PRIMARY KEY (project_id, day)
);

CREATE TABLE event_heads (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  position bigint NOT NULL,
  last_event_id uuid NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE events (
  id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  project_id uuid NOT NULL,
  position bigint NOT NULL,
  type text NOT NULL,
  source text NOT NULL CHECK (source IN ('webhook', 'poll', 'gateway')),
  integration_id uuid,
  connection_id uuid,
  end_user_id uuid,
  subject text,
  object_type text,
  object_id text,
  change text CHECK (change IN ('created', 'updated', 'deleted', 'other')),
  data_sealed bytea NOT NULL,
  PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);
CREATE TABLE events_default PARTITION OF events DEFAULT;
CREATE INDEX events_feed_idx ON events (project_id, position);
CREATE INDEX events_connection_idx ON events (connection_id, position) WHERE connection_id IS NOT NULL;

CREATE TABLE event_outbox (
  id uuid PRIMARY KEY,
  created_at timestamptz NOT NULL,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  type text NOT NULL,
  source text NOT NULL,
  integration_id uuid,
  connection_id uuid,
  end_user_id uuid,
  subject text,
  object_type text,
  object_id text,
  change text,
  data_sealed bytea NOT NULL
);
CREATE INDEX event_outbox_project_idx ON event_outbox (project_id, id);`);
}
