import type { Knex } from 'knex';

/**
 * Named mandates, projects that ask every token for one, and what kept calls say of mandates and actors. A release before
 * this one takes tokens that name a mandate for tokens without one: it must not run beside this one where such tokens
 * are in use.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE mandates (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name text NOT NULL,
  entries jsonb NOT NULL,
  state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'frozen')),
  version integer NOT NULL DEFAULT 1,
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_by uuid NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mandates_project_idx ON mandates (project_id, id);
CREATE TRIGGER mandates_changed AFTER INSERT OR UPDATE OR DELETE ON mandates
  FOR EACH ROW EXECUTE FUNCTION notify_gateway_change();
ALTER TABLE projects ADD COLUMN require_mandate boolean NOT NULL DEFAULT false;
ALTER TABLE recent_calls
  ADD COLUMN mandates jsonb,
  ADD COLUMN actors jsonb;`);
}
