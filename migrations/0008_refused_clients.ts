import type { Knex } from 'knex';

/** Whether the last refresh failed because of the integration's client: calls hear so until the next attempt. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw('ALTER TABLE connections ADD COLUMN refresh_client_refused boolean NOT NULL DEFAULT false;');
}
