import type { Knex } from 'knex';
import { buildIndexes } from '../src/platform/postgres/build-indexes.ts';

/** Indexes of tables that may be large are built while these are in use, which no transaction can do. */
export const config = { transaction: false };

/**
 * Each deleted connection and each erased user takes its sessions along, which are kept for 31 days; and what waits for its user
 * is looked for among all of them every few seconds.
 */
export const up = (knex: Knex): Promise<void> =>
  buildIndexes(knex, {
    connect_sessions_connection_idx: 'connect_sessions (connection_id) WHERE connection_id IS NOT NULL',
    connect_sessions_end_user_idx: 'connect_sessions (end_user_id)',
    connect_sessions_person_idx: 'connect_sessions (person_id) WHERE person_id IS NOT NULL',
    connect_sessions_held_idx: "connect_sessions (expires_at) WHERE state IN ('choosing', 'pending')",
  });
