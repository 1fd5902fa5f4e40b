import type { Knex } from 'knex';

/**
 * Notices of changes that a bus carries: triggers write them down while a process relays them, and notify by themselves
 * otherwise. The tables need not outlive a crash of the database, which ends every connection: processes then trust
 * nothing that they have in memory. A release before this one is not heard on the bus, so that nothing is written down
 * while it runs.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE UNLOGGED TABLE change_notices (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payload text NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
CREATE UNLOGGED TABLE change_carrier (
  id integer PRIMARY KEY CHECK (id = 1),
  relayed_until timestamptz NOT NULL
);
CREATE FUNCTION announce_gateway_change(payload text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
  IF EXISTS (SELECT 1 FROM change_carrier WHERE relayed_until > clock_timestamp()) THEN
    INSERT INTO change_notices (payload) VALUES (announce_gateway_change.payload);
  ELSE
    PERFORM pg_notify('gateway_changes', announce_gateway_change.payload);
  END IF;
END $function$;
CREATE OR REPLACE FUNCTION notify_gateway_change() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  changed record;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  PERFORM announce_gateway_change(TG_TABLE_NAME || ' ' ||
    CASE WHEN TG_TABLE_NAME = 'projects' THEN changed.id ELSE (to_jsonb(changed) ->> 'project_id')::uuid END || ' ' ||
    changed.id || coalesce(' ' || (to_jsonb(changed) ->> 'end_user_id'), ''));
  RETURN NULL;
END $function$;
CREATE OR REPLACE FUNCTION notify_gateway_origins() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  changed record;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  PERFORM announce_gateway_change('origins ' || changed.id || ' ' || changed.id);
  RETURN NULL;
END $function$;`);
}
