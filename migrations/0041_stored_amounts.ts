import type { Knex } from 'knex';

/** How much each project keeps, by kind and day, as the processes have counted it; days go with what was kept on them. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE stored_amounts (
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  kind text NOT NULL,
  day date NOT NULL,
  row_count bigint NOT NULL,
  byte_count bigint NOT NULL,
  PRIMARY KEY (project_id, kind, day)
);
CREATE INDEX stored_amounts_day_idx ON stored_amounts (kind, day);`);
}
