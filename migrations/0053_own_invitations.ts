import type { Knex } from 'knex';

/**
 * Invitations are found by their address, for the operator who has it. And the first operator of a gateway came by the
 * set-up link or the command on the server, both of which prove who it is.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE INDEX invitations_email_idx ON invitations (lower(email));
UPDATE operators SET email_verified_at = created_at
 WHERE email_verified_at IS NULL AND id = (SELECT id FROM operators ORDER BY id LIMIT 1);`);
}
