import type { Knex } from 'knex';

/**
 * Limits that processes hold together: until when each key's allowance is used up, in milliseconds since the epoch by the
 * clock of the database, and what its last entry was. A release before this one counts on its own and does not look here.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE TABLE limit_ledger (
  key text PRIMARY KEY,
  whole_at_ms double precision NOT NULL,
  granted integer NOT NULL,
  interval_ms double precision NOT NULL,
  room_ms double precision NOT NULL,
  want integer NOT NULL,
  settle integer NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

CREATE FUNCTION limit_grant(used_ms double precision, interval_ms double precision, room_ms double precision, want integer)
RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT greatest(0, least(want, floor((room_ms - used_ms + 1e-6) / interval_ms)))::integer
$$;`);
}
