import type { Knex } from 'knex';

/** Claims whose values become tags of connections, and tags that choose events for a destination. A release before this one knows neither. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE projects ADD COLUMN tag_claims text[] NOT NULL DEFAULT '{}';
ALTER TABLE event_destinations ADD COLUMN tags jsonb NOT NULL DEFAULT '{}';`);
}
