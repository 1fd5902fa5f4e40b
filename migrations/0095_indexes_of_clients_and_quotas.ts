import type { Knex } from 'knex';
import { buildIndexes } from '../src/platform/postgres/build-indexes.ts';

/** Indexes of tables that may be large are built while these are in use, which no transaction can do. */
export const config = { transaction: false };

/** A version of an organization's client is kept while connections stand on it; quotas are read with their project. */
export const up = (knex: Knex): Promise<void> =>
  buildIndexes(knex, {
    connections_organization_client_idx:
      'connections (organization_client_id) WHERE organization_client_id IS NOT NULL',
    end_users_quota_idx: 'end_users (project_id) WHERE calls_per_day IS NOT NULL',
  });
