import type { Knex } from 'knex';

/**
 * What files manage, by a name that is the same in every environment, and what the last apply said of it. A release before
 * this one knows of no files: its changes show as drift.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE configuration_objects (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  kind text NOT NULL,
  name text NOT NULL,
  managed_id text NOT NULL,
  applied jsonb NOT NULL,
  digests_sealed text,
  applied_at timestamptz NOT NULL DEFAULT now(),
  applied_by uuid NOT NULL,
  UNIQUE (project_id, kind, name),
  UNIQUE (project_id, kind, managed_id)
);`);
}
