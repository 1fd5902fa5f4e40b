import type { Knex } from 'knex';

/** Variables of a connection that only the application gives, such as the person for whom a key acts. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`ALTER TABLE connect_sessions ADD COLUMN application_variables jsonb NOT NULL DEFAULT '{}'`);
}
