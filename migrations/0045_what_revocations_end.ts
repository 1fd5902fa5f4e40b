import type { Knex } from 'knex';

/**
 * What a revocation ends at its provider beside the token, and whose it is, so that none is sent that would end another
 * connection; the same of a grant that waits for its user. A release before this one leaves the columns alone.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE grants_to_revoke
  ADD COLUMN ends text NOT NULL DEFAULT 'token' CHECK (ends IN ('token', 'grant', 'workspace')),
  ADD COLUMN client_id text,
  ADD COLUMN account_id text,
  ADD COLUMN account_name text,
  ADD COLUMN end_user_id uuid;
ALTER TABLE connect_sessions ADD COLUMN granted_account_id text, ADD COLUMN granted_account_name text;`);
}
