import type { Knex } from 'knex';

/**
 * Whose records each poll has read: the tenant of the connection, or else its account. Cursors and fingerprints of one
 * account say nothing of another. And the secrets that handshakes brought, one for each registration at the provider.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE poll_connections ADD COLUMN account text;
UPDATE poll_connections AS s SET account = coalesce(c.tenant_id, c.account_id)
  FROM connections AS c WHERE c.id = s.connection_id AND c.project_id = s.project_id;
ALTER TABLE webhook_subscriptions ADD COLUMN handshakes_sealed text;`);
}
