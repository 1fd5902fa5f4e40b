import type { Knex } from 'knex';

/**
 * Until when the address of an integration takes the secret that a provider's handshake brings; null: not now. A release
 * of before takes one at any time.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw('ALTER TABLE integrations ADD COLUMN webhook_handshake_until timestamptz');
}
