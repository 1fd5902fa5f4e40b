import type { Knex } from 'knex';

/**
 * Organizations stand beside users in `end_users`, so that all that belongs to a user may belong to one as well; who connected an
 * account for one is beside the connection. A release before this one makes no such rows, and shows those that there are
 * without a user's name.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
ALTER TABLE end_users
  ALTER COLUMN subject DROP NOT NULL,
  ADD COLUMN organization text,
  ADD CONSTRAINT end_users_organization_check CHECK (length(organization) BETWEEN 1 AND 255) NOT VALID,
  ADD CONSTRAINT end_users_kind_check CHECK ((subject IS NULL) <> (organization IS NULL)) NOT VALID;
ALTER TABLE connections
  ADD COLUMN connected_by uuid,
  ADD COLUMN tags jsonb NOT NULL DEFAULT '{}';
ALTER TABLE connect_sessions
  ADD COLUMN person_id uuid,
  ADD COLUMN tags jsonb NOT NULL DEFAULT '{}';
ALTER TABLE events ADD COLUMN organization text;
ALTER TABLE event_outbox ADD COLUMN organization text;
ALTER TABLE recent_calls ADD COLUMN organization text;
ALTER TABLE user_erasures ADD COLUMN kind text NOT NULL DEFAULT 'user' CHECK (kind IN ('user', 'organization'));`);
}
