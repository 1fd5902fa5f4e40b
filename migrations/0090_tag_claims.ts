import type { Knex } from 'knex';

/**
 * Claims whose values become tags of connections, tags that choose events for a destination, and how often an organization may
 * call in a day. A release before this one knows none of them.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE projects ADD COLUMN tag_claims text[] NOT NULL DEFAULT '{}';
ALTER TABLE event_destinations ADD COLUMN tags jsonb NOT NULL DEFAULT '{}';
ALTER TABLE end_users ADD COLUMN calls_per_day bigint;`);
}
