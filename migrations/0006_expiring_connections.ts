import type { Knex } from 'knex';

/** Tokens that renew themselves are looked for by integration and moment of expiry, in the background. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE INDEX connections_expiry_idx ON connections (integration_id, access_token_expires_at)
  WHERE status = 'active';`);
}
