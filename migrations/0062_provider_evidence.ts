import type { Knex } from 'knex';

/**
 * What worked at which provider, and how often: by the version of the catalog's file, so that a count speaks of what the file
 * says. A release before this one leaves the table alone.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE provider_evidence (
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  provider text NOT NULL,
  file_version text NOT NULL,
  fact text NOT NULL CHECK (fact IN ('authorization', 'refresh', 'probe', 'webhook', 'poll')),
  count bigint NOT NULL,
  first_at timestamptz NOT NULL DEFAULT now(),
  last_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, provider, file_version, fact)
);`);
}
