import type { Knex } from 'knex';

/**
 * The client secret with which persons are signed in for agents at the project's own OpenID provider; the rest of the
 * setting is in `agent_sign_in`. A release before this one signs no person in where such a provider is set.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw('ALTER TABLE projects ADD COLUMN agent_sign_in_secret_sealed text');
}
