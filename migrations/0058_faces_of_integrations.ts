import type { Knex } from 'knex';
import { buildIndexes } from '../src/platform/postgres/build-indexes.ts';

/** Indexes of tables that may be large are built while these are in use, which no transaction can do. */
export const config = { transaction: false };

/**
 * A name and a logo of an integration's own, and the state of an authorization that was answered, by which a reload of its
 * page finds the session again. A logo has a table of its own, so that no read of an integration carries it along.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE integrations
  ADD COLUMN IF NOT EXISTS name text,
  ADD COLUMN IF NOT EXISTS logo_hash text;
ALTER TABLE connect_sessions ADD COLUMN IF NOT EXISTS answered_state_hash bytea;
CREATE TABLE IF NOT EXISTS integration_logos (
  integration_id uuid PRIMARY KEY,
  project_id uuid NOT NULL,
  hash text NOT NULL,
  media_type text NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp')),
  content bytea NOT NULL,
  FOREIGN KEY (project_id, integration_id) REFERENCES integrations (project_id, id) ON DELETE CASCADE
);`);
  await buildIndexes(knex, {
    integration_logos_project_idx: 'integration_logos (project_id, integration_id)',
    connect_sessions_answered_idx:
      'connect_sessions (answered_state_hash) WHERE answered_state_hash IS NOT NULL',
  });
}
