import type { Knex } from 'knex';

/**
 * For how long an API key was made, which a rotated one gets as well; its end alone does not tell, since rotating shortens it. A release
 * before this one leaves it empty, and keys of such a release live for ever once they are rotated.
 * A key may end later than an integer of seconds reaches.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE api_keys ADD COLUMN lifetime_seconds integer;
UPDATE api_keys SET lifetime_seconds = least(extract(epoch FROM expires_at - created_at), 2147483647)
 WHERE expires_at IS NOT NULL;`);
}
