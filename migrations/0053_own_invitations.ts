import type { Knex } from 'knex';

/** The first operator of a gateway came by the set-up link or the command on the server, both of which prove who it is. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
UPDATE operators SET email_verified_at = created_at
 WHERE email_verified_at IS NULL AND id = (SELECT id FROM operators ORDER BY id LIMIT 1);`);
}
