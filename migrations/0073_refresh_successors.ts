import type { Knex } from 'knex';

/**
 * The refresh token that replaced a spent one, for clients that refresh twice at the same time. A release before this one
 * leaves it alone, and ends the consent of such a client.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw('ALTER TABLE agent_artifacts ADD COLUMN successor_sealed text');
}
