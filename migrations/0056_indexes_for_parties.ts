import type { Knex } from 'knex';
import { buildIndexes } from '../src/platform/postgres/build-indexes.ts';

/** Indexes of tables that may be large are built while these are in use, which no transaction can do. */
export const config = { transaction: false };

/** Background work of a party, what is being erased, connections of one client, and an operator's own invitations. */
export const up = (knex: Knex): Promise<void> =>
  buildIndexes(knex, {
    grants_to_revoke_project_idx: 'grants_to_revoke (project_id, attempt_at) INCLUDE (origin)',
    deleted_project_owners_project_idx: 'deleted_project_owners (project_id)',
    integrations_deleted_idx: 'integrations (project_id) WHERE deleted_at IS NOT NULL',
    integrations_client_idx: 'integrations (client_id) WHERE client_id IS NOT NULL',
    invitations_email_idx: 'invitations (lower(email))',
  });
