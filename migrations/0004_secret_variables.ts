import type { Knex } from 'knex';

/**
 * Variables of an integration that are part of a credential (a developer token), sealed. They stand apart from
 * `variables`, which every reader of the integration sees.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw('ALTER TABLE integrations ADD COLUMN secret_variables_sealed text;');
}
