import type { Knex } from 'knex';

/**
 * Topics of Kafka as destinations of events. A release before this one takes the address of such a destination for a URL, to
 * which no connection can be made, and leaves its events waiting.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE event_destinations
  ADD COLUMN kafka jsonb,
  ADD COLUMN kafka_password_sealed text;`);
}
