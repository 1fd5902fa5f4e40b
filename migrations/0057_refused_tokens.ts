import type { Knex } from 'knex';

/**
 * Why the user token of a refused call was refused, how often that happened, and addresses of proxies that are not
 * trusted. A release before this one leaves the column alone and lists kinds of faults that it does not know nowhere.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE recent_calls ADD COLUMN token_fault text;
ALTER TABLE noticed_faults
  DROP CONSTRAINT noticed_faults_kind_check,
  ADD CONSTRAINT noticed_faults_kind_check
    CHECK (kind IN ('origin', 'return_url', 'host', 'token', 'forwarded'));`);
}
