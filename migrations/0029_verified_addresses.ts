import type { Knex } from 'knex';

/**
 * Who has proved an e-mail address to be theirs, and when a browser's operator last proved to be there. Of operators
 * from before only an account at the identity provider is such a proof. The link in a mail differs from the one that the
 * inviter is shown.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE operators ADD COLUMN email_verified_at timestamptz;
UPDATE operators o SET email_verified_at = now()
 WHERE EXISTS (SELECT 1 FROM operator_identities i WHERE i.operator_id = o.id);
ALTER TABLE operator_sessions ADD COLUMN proved_at timestamptz;
ALTER TABLE invitations ADD COLUMN mail_token_hash bytea UNIQUE;`);
}
