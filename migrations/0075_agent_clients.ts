import type { Knex } from 'knex';

/**
 * Clients of agents that have registered themselves (RFC 7591), each with one project. A release before this one does not
 * know them, and refuses them.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE agent_clients (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  metadata jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz
);
CREATE INDEX agent_clients_project_idx ON agent_clients (project_id, created_at);`);
}
