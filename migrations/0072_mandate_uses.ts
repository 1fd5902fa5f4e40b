import type { Knex } from 'knex';

/** Kept calls under mandates, for what a project's mandates are used for. A release before this one does not notice it. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE INDEX recent_calls_mandated_idx ON recent_calls (project_id, request_id) WHERE mandates IS NOT NULL;
`);
}
