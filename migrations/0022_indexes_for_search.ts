import type { Knex } from 'knex';

/** Indexes of tables that may be large are built while these are in use, which no transaction can do. */
export const config = { transaction: false };

const INDEXES: Readonly<Record<string, string>> = {
  activity_request_idx: 'activity (request_id) WHERE request_id IS NOT NULL',
  activity_action_idx: 'activity (project_id, action, id)',
  activity_actor_idx: 'activity (project_id, actor_id, id)',
  connections_account_name_idx:
    'connections (project_id, lower(account_name) COLLATE "C") WHERE account_name IS NOT NULL',
  connections_account_id_idx:
    'connections (project_id, lower(account_id) COLLATE "C") WHERE account_id IS NOT NULL',
  connections_waiting_idx: `connections (integration_id) WHERE status = 'reauthorization_required'`,
  connections_troubled_idx: 'connections (integration_id, id) WHERE status_reason IS NOT NULL',
  connect_sessions_unemptied_idx: 'connect_sessions (expires_at) WHERE browser_hash IS NOT NULL',
  connect_sessions_integration_idx: 'connect_sessions (integration_id, created_at)',
  activity_connect_failures_idx: `activity ((details ->> 'integrationId'), id) WHERE action = 'connect_session.failed'`,
  end_users_search_idx: 'end_users (project_id, lower(subject) COLLATE "C")',
};

/** Beginnings of names are searched in the byte order of "C", which every server has, whatever its locale. */
export async function up(knex: Knex): Promise<void> {
  const connection = await knex.client.acquireConnection();
  const run = (sql: string) => knex.raw(sql).connection(connection);
  try {
    // A build waits for transactions that are older, a dump for example, and holds nobody up meanwhile.
    await run('SET lock_timeout = 0');
    for (const [name, definition] of Object.entries(INDEXES)) {
      // A build that was cut off leaves an index behind that is not valid.
      const { rows } = await run(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('${name}')`);
      if (rows[0]?.indisvalid === true) continue;
      if (rows.length > 0) await run(`DROP INDEX CONCURRENTLY ${name}`);
      await run(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
    }
  } finally {
    await run('SET lock_timeout = 5000');
    knex.client.releaseConnection(connection);
  }
}
