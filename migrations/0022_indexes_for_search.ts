import type { Knex } from 'knex';
import { buildIndexes } from '../src/platform/postgres/build-indexes.ts';

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
export const up = (knex: Knex): Promise<void> => buildIndexes(knex, INDEXES);
