import type { Knex } from 'knex';

/**
 * What an API key may do, and from where keys and personal access tokens may be used. A key of before may do everything, as
 * does one that a release before this one makes meanwhile.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE api_keys
  ADD COLUMN scopes text[] NOT NULL DEFAULT '{*}' CHECK (cardinality(scopes) BETWEEN 1 AND 64),
  ADD COLUMN allowed_addresses text[] CHECK (cardinality(allowed_addresses) BETWEEN 1 AND 32),
  ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE personal_access_tokens
  ADD COLUMN allowed_addresses text[] CHECK (cardinality(allowed_addresses) BETWEEN 1 AND 32);
`);
}
