import type { Knex } from 'knex';

/**
 * Numbers of proxied calls, and some of the calls. Every process adds what it has counted to `call_counts_pending`; one
 * at a time merges that into `call_rollups`. These tables name projects without a foreign key: a project with a year of
 * numbers could not be deleted within the limit of a statement, so that they are erased in the background instead.
 * `step` is 0 for a minute, 1 for an hour, 2 for a day; the histograms are those of src/call-log/latency-histogram.ts.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE call_series (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id uuid NOT NULL,
  integration_id uuid,
  provider text,
  last_call_at timestamptz NOT NULL,
  UNIQUE NULLS NOT DISTINCT (project_id, integration_id)
);
CREATE INDEX call_series_integration_idx ON call_series (integration_id);

CREATE TABLE call_rollups (
  series_id integer NOT NULL,
  step smallint NOT NULL CHECK (step BETWEEN 0 AND 2),
  at timestamptz NOT NULL,
  calls bigint NOT NULL,
  gateway_errors bigint NOT NULL,
  provider_errors bigint NOT NULL,
  latencies bytea NOT NULL,
  gateway_latencies bytea NOT NULL,
  PRIMARY KEY (series_id, step, at)
) WITH (fillfactor = 90);

CREATE TABLE call_counts_pending (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id uuid NOT NULL,
  integration_id uuid,
  provider text,
  minute timestamptz NOT NULL,
  last_call_at timestamptz NOT NULL,
  calls bigint NOT NULL,
  gateway_errors bigint NOT NULL,
  provider_errors bigint NOT NULL,
  latencies bytea NOT NULL,
  gateway_latencies bytea NOT NULL
);
CREATE INDEX call_counts_pending_project_idx ON call_counts_pending (project_id);

CREATE TABLE recent_calls (
  request_id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  is_sample boolean NOT NULL,
  at timestamptz NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  provider text NOT NULL,
  integration_id uuid,
  connection_id uuid,
  end_user_id uuid,
  subject text,
  status smallint NOT NULL,
  origin text NOT NULL CHECK (origin IN ('none', 'gateway', 'provider')),
  code text,
  attempts smallint NOT NULL,
  duration_ms double precision NOT NULL,
  provider_ms double precision NOT NULL,
  request_bytes bigint NOT NULL,
  response_bytes bigint NOT NULL,
  trace_id text
);
CREATE INDEX recent_calls_project_idx ON recent_calls (project_id, request_id);
CREATE INDEX recent_calls_trim_idx ON recent_calls (project_id, is_sample, request_id);`);
}
