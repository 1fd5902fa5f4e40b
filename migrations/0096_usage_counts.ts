import type { Knex } from 'knex';

/**
 * Calls by user, organization, connection and mandate. The group of what is counted together is the zero UUID. A release before
 * this one counts none of it.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE usage_counts (
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  kind smallint NOT NULL CHECK (kind BETWEEN 0 AND 3),
  step smallint NOT NULL CHECK (step BETWEEN 1 AND 2),
  at timestamptz NOT NULL,
  group_id uuid NOT NULL,
  calls bigint NOT NULL,
  gateway_errors bigint NOT NULL,
  provider_errors bigint NOT NULL,
  PRIMARY KEY (project_id, kind, step, at, group_id)
);
CREATE INDEX usage_counts_age_idx ON usage_counts (step, at);`);
}
