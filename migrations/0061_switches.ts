import type { Knex } from 'knex';

/**
 * Integrations that are switched off, and the integrations that a connect session may choose among. A release before this
 * one serves both as if nothing were said.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE integrations
  ADD COLUMN disabled_reason text,
  ADD COLUMN disabled_at timestamptz,
  ADD CONSTRAINT integrations_disabled_check CHECK ((disabled_reason IS NULL) = (disabled_at IS NULL));
ALTER TABLE connect_sessions ADD COLUMN integration_ids uuid[];`);
}
