import type { Knex } from 'knex';

/**
 * What an integration found out about the authorization server of an MCP server, and how its client came to be. It has
 * a callback address of its own, since the server that is named there is not one that a provider file vouches for.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE integrations ADD COLUMN authorization_server jsonb;
ALTER TABLE integrations ADD COLUMN has_own_callback boolean NOT NULL DEFAULT false;
UPDATE integrations SET has_own_callback = true WHERE service_provider LIKE 'custom:%';`);
}
