import type { Knex } from 'knex';

/** The API key by which a link to the page of a person's connections was made; null: by a user token, or by a release before this one. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw('ALTER TABLE portal_sessions ADD COLUMN api_key_id uuid');
}
