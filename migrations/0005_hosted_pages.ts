import type { Knex } from 'knex';

/** How the hosted pages look for a project's users, and in which language a session's pages speak. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE projects ADD COLUMN branding jsonb NOT NULL DEFAULT '{}';
ALTER TABLE connect_sessions ADD COLUMN locale text;`);
}
