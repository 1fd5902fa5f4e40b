import type { Knex } from 'knex';

/**
 * What providers sent. `webhook_receipts` stands in daily partitions by `created_at`, which is the time in the receipt's
 * id. A receipt with `split_at` null waits to be split into events, from its item `next_item` on. `webhook_event_keys`
 * holds what an event is recognised by when it comes again. `webhook_unmatched` names the accounts that no connection
 * had when their events came. Receipts, keys and accounts name projects and integrations without a foreign key: the rows
 * of a deleted one are too many for one statement, and are erased in the background.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE webhook_receipts (
  id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  project_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  connection_id uuid,
  state text NOT NULL CHECK (state IN ('accepted', 'unmatched', 'rejected', 'duplicate')),
  reason text,
  method text NOT NULL,
  query text NOT NULL,
  headers jsonb NOT NULL,
  body_sealed bytea NOT NULL,
  body_bytes integer NOT NULL,
  is_body_cut boolean NOT NULL DEFAULT false,
  events integer,
  matched integer NOT NULL DEFAULT 0,
  unmatched integer NOT NULL DEFAULT 0,
  duplicates integer NOT NULL DEFAULT 0,
  next_item integer NOT NULL DEFAULT 0,
  attempts smallint NOT NULL DEFAULT 0,
  retry_at timestamptz,
  split_at timestamptz,
  PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);
CREATE TABLE webhook_receipts_default PARTITION OF webhook_receipts DEFAULT;
CREATE INDEX webhook_receipts_waiting_idx ON webhook_receipts (project_id, id) WHERE split_at IS NULL;
CREATE INDEX webhook_receipts_project_idx ON webhook_receipts (project_id, id);
CREATE INDEX webhook_receipts_integration_idx ON webhook_receipts (integration_id, state, id);

CREATE TABLE webhook_event_keys (
  integration_id uuid NOT NULL,
  key_hash bytea NOT NULL,
  receipt_id uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (integration_id, key_hash)
);
CREATE INDEX webhook_event_keys_expiry_idx ON webhook_event_keys (expires_at);

CREATE TABLE webhook_unmatched (
  integration_id uuid NOT NULL,
  account_id text NOT NULL,
  receipt_id uuid NOT NULL,
  project_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (integration_id, account_id, receipt_id)
);
CREATE INDEX webhook_unmatched_age_idx ON webhook_unmatched (created_at);

CREATE TABLE webhook_numbers (
  integration_id uuid PRIMARY KEY REFERENCES integrations ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  last_webhook_at timestamptz,
  failures integer NOT NULL DEFAULT 0,
  last_failure_at timestamptz,
  rejected bigint NOT NULL DEFAULT 0
);

CREATE TABLE webhook_subscriptions (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  integration_id uuid NOT NULL,
  connection_id uuid REFERENCES connections ON DELETE CASCADE,
  address_hash bytea UNIQUE,
  address_sealed text,
  secret_sealed text,
  wanted_events text[] NOT NULL DEFAULT '{}',
  parameters jsonb NOT NULL DEFAULT '{}',
  state text NOT NULL CHECK (state IN ('manual', 'pending', 'active', 'failing', 'removing')),
  registrations jsonb NOT NULL DEFAULT '[]',
  expires_at timestamptz,
  registered_at timestamptz,
  last_error text,
  last_error_at timestamptz,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (project_id, integration_id) REFERENCES integrations (project_id, id) ON DELETE CASCADE,
  CONSTRAINT webhook_subscriptions_owner_key UNIQUE NULLS NOT DISTINCT (integration_id, connection_id)
);
CREATE INDEX webhook_subscriptions_connection_idx ON webhook_subscriptions (connection_id);
CREATE INDEX webhook_subscriptions_project_idx ON webhook_subscriptions (project_id, id);
CREATE TRIGGER webhook_subscriptions_changed
  AFTER INSERT OR DELETE OR UPDATE OF address_hash, secret_sealed ON webhook_subscriptions
  FOR EACH ROW EXECUTE FUNCTION notify_gateway_change();`);
}
