import type { Knex } from 'knex';

/**
 * Where authorization codes went that a typed-in token endpoint got. Without a project: what a project's people did
 * with a code must outlive the project.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE delivered_codes (
  code_hash bytea PRIMARY KEY,
  token_origin text NOT NULL,
  delivered_at timestamptz NOT NULL DEFAULT now()
);`);
}
