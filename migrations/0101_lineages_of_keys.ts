import type { Knex } from 'knex';

/**
 * The first of the keys, or tokens, that were rotated one into the next; null: the key is this first one, or was made by a release
 * before this one. And the token by which an operator made a link; null: in the browser, or by a release before this one.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE api_keys ADD COLUMN lineage_id uuid;
ALTER TABLE personal_access_tokens ADD COLUMN lineage_id uuid;
ALTER TABLE connect_sessions ADD COLUMN made_by_token_id uuid;`);
}
