import type { Knex } from 'knex';

/**
 * What a connection knows of its refresh: requests whose answer never came (so that a one-use token is not sent twice),
 * since when the provider refuses it in words of its own, whether the refresh token survived its last use, and which
 * process asks. Older processes leave these columns alone and see only the lease.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE connections
  ADD COLUMN refresh_unanswered integer NOT NULL DEFAULT 0,
  ADD COLUMN refresh_asked_at timestamptz,
  ADD COLUMN refresh_answer_until timestamptz,
  ADD COLUMN refresh_process integer,
  ADD COLUMN refresh_refused_since timestamptz,
  ADD COLUMN refresh_token_kept boolean,
  ADD COLUMN refreshed_at timestamptz;`);
}
