import type { Knex } from 'knex';

/**
 * The audit log keeps where a change came from, and is no longer erased with its project: those who owned a project
 * when it was deleted go on reading what happened in it, until the entries are old enough to go.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE activity DROP CONSTRAINT activity_project_id_fkey;
ALTER TABLE activity ADD COLUMN source_address inet;
CREATE TABLE deleted_project_owners (
  operator_id uuid NOT NULL REFERENCES operators ON DELETE CASCADE,
  project_id uuid NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (operator_id, project_id)
);`);
}
