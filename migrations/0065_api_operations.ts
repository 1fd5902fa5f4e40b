import type { Knex } from 'knex';

/**
 * Operations of providers' APIs, which agents search, by the document that describes them. They are the vendors' and
 * belong to no project; which documents a project's users search is decided by what names them.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE api_documents (
  id uuid PRIMARY KEY,
  url text NOT NULL UNIQUE,
  operations integer NOT NULL DEFAULT 0,
  error text,
  wanted_at timestamptz NOT NULL DEFAULT now(),
  next_fetch_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_documents_next_fetch_at ON api_documents (next_fetch_at);
CREATE TABLE api_operations (
  document_id uuid NOT NULL REFERENCES api_documents (id) ON DELETE CASCADE,
  position integer NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  name text NOT NULL,
  summary text NOT NULL,
  parameters jsonb NOT NULL,
  search tsvector NOT NULL,
  PRIMARY KEY (document_id, position)
);
CREATE INDEX api_operations_search ON api_operations USING gin (search);`);
}
