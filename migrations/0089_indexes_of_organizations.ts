import type { Knex } from 'knex';
import { buildIndexes } from '../src/platform/postgres/build-indexes.ts';

/** Indexes of tables that may be large are built while these are in use, which no transaction can do. */
export const config = { transaction: false };

/** Organizations are found by the application's id, and by its beginning; connections by their tags. */
export const up = (knex: Knex): Promise<void> =>
  buildIndexes(knex, {
    end_users_organization_idx: {
      isUnique: true,
      on: 'end_users (project_id, organization) WHERE organization IS NOT NULL',
    },
    end_users_organization_search_idx:
      'end_users (project_id, lower(organization) COLLATE "C") WHERE organization IS NOT NULL',
    connections_tags_idx: 'connections USING gin (tags jsonb_path_ops)',
  });
