import type { Knex } from 'knex';

/** Which request a change came from. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw('ALTER TABLE activity ADD COLUMN request_id uuid');
}
