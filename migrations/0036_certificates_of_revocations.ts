import type { Knex } from 'knex';

/**
 * The client certificate that a revocation shows in the TLS handshake. In a column of its own: a release before this one
 * does not know it, and goes on reading the others.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw('ALTER TABLE grants_to_revoke ADD COLUMN certificate_sealed text;');
}
