import type { Knex } from 'knex';

/**
 * The tenant of a connection, where one grant reaches several sites, organisations or accounts; the one that a connect
 * session asks for; and the state of a session whose user has yet to choose one. The check is replaced without looking at
 * the rows that are there: they have states of before.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE connections ADD COLUMN tenant_id text, ADD COLUMN tenant_name text;
ALTER TABLE connect_sessions ADD COLUMN tenant_id text;
ALTER TABLE connect_sessions DROP CONSTRAINT connect_sessions_state_check;
ALTER TABLE connect_sessions ADD CONSTRAINT connect_sessions_state_check CHECK (state IN
  ('created', 'opened', 'authorizing', 'choosing', 'pending', 'completed', 'failed')) NOT VALID;`);
}
