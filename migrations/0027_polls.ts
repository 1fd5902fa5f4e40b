import type { Knex } from 'knex';

/**
 * Polls, how far each has come with each connection, and fingerprints of what was read. `poll_records` names no other
 * table: a connection with a million fingerprints could not be deleted within the limit of a statement, so that they are
 * erased in the background instead. `provider_allowances` is what the providers' answers told of rate limits, by
 * connection or by integration.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE polls (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  resource text,
  custom jsonb,
  object_type text NOT NULL,
  interval_seconds integer NOT NULL CHECK (interval_seconds BETWEEN 60 AND 86400),
  fields text[] NOT NULL DEFAULT '{}',
  parameters jsonb NOT NULL DEFAULT '{}',
  backfill text NOT NULL CHECK (backfill IN ('none', 'full')),
  deletes text NOT NULL CHECK (deletes IN ('none', 'scan')),
  scan_interval_seconds integer NOT NULL,
  paused_at timestamptz,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by uuid NOT NULL,
  CHECK ((resource IS NULL) <> (custom IS NULL)),
  UNIQUE (project_id, id),
  UNIQUE (integration_id, object_type, parameters),
  FOREIGN KEY (project_id, integration_id) REFERENCES integrations (project_id, id) ON DELETE CASCADE
);

CREATE TABLE poll_connections (
  poll_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  project_id uuid NOT NULL,
  record_set bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  object_type text NOT NULL,
  hears_webhooks boolean NOT NULL,
  progress jsonb NOT NULL,
  step bigint NOT NULL DEFAULT 0,
  is_running boolean NOT NULL DEFAULT false,
  next_run_at timestamptz,
  last_run_at timestamptz,
  run_began_at timestamptz,
  caught_up_at timestamptz,
  records_seen bigint NOT NULL DEFAULT 0,
  pages_read bigint NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  error_code text,
  error_detail text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (poll_id, connection_id),
  FOREIGN KEY (project_id, poll_id) REFERENCES polls (project_id, id) ON DELETE CASCADE,
  FOREIGN KEY (project_id, connection_id) REFERENCES connections (project_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX poll_connections_connection_idx ON poll_connections (connection_id, object_type);
CREATE INDEX poll_connections_due_idx ON poll_connections (next_run_at);

CREATE TABLE poll_records (
  record_set bigint NOT NULL,
  object_id text COLLATE "C" NOT NULL,
  hash bytea,
  updated_at timestamptz,
  told_at timestamptz,
  webhook_at timestamptz,
  seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (record_set, object_id)
) WITH (fillfactor = 80);

CREATE TABLE provider_allowances (
  id uuid PRIMARY KEY,
  allowed integer,
  remaining integer,
  resets_at timestamptz,
  paused_until timestamptz,
  noted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX provider_allowances_noted_idx ON provider_allowances (noted_at);`);
}
