import type { Knex } from 'knex';

/** Which operator added a signing key; unknown of those from before. API keys have known theirs from the beginning. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw('ALTER TABLE signing_keys ADD COLUMN created_by uuid;');
}
