import type { Knex } from 'knex';

/** Which of its provider's ways to authenticate an integration uses; null: the entry's own. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw('ALTER TABLE integrations ADD COLUMN "grant" text;');
}
