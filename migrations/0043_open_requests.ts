import type { Knex } from 'knex';

/**
 * Which requests of a connection's refresh are open, so that a write whose answer was lost may be repeated; the version
 * for which the last try has got no answer either; and the moment from which a last try is allowed where the process
 * that asked never said what became of its request. Older processes leave these columns alone: what they leave behind
 * is about another version, or older than the doubt that it is compared with.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE connections
  ADD COLUMN refresh_requests uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN refresh_last_try_version integer,
  ADD COLUMN refresh_last_try_from timestamptz;`);
}
