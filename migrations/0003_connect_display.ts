import type { Knex } from 'knex';

/** Whether a connect session is shown in a popup: only then is its return URL the second way home, not the first. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE connect_sessions
  ADD COLUMN display text NOT NULL DEFAULT 'page' CHECK (display IN ('page', 'popup'));`);
}
