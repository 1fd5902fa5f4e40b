import type { Knex } from 'knex';

/**
 * When an integration or a project was deleted, and by whom: what it holds is erased in the background, with its
 * revocations, and until then nothing shows it.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE integrations ADD COLUMN deleted_at timestamptz, ADD COLUMN deleted_by jsonb;
ALTER TABLE projects ADD COLUMN deleted_at timestamptz, ADD COLUMN deleted_by jsonb;`);
}
