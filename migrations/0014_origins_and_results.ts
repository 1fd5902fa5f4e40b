import type { Knex } from 'knex';

/**
 * Origins are looked up over all projects, and a change of them has a notice of its own, since replicas remember which
 * are known. A completed connect session keeps its code and its connection: who lost the answer may ask again.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE INDEX projects_allowed_origins_idx ON projects USING gin (allowed_origins);
CREATE INDEX connections_reauthorization_idx ON connections (project_id, id)
  WHERE status = 'reauthorization_required';
ALTER TABLE connect_sessions ADD COLUMN result_connection_id uuid;

CREATE FUNCTION notify_gateway_origins() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed record;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  PERFORM pg_notify('gateway_changes', 'origins ' || changed.id || ' ' || changed.id);
  RETURN NULL;
END $$;
CREATE TRIGGER projects_origins_set AFTER INSERT ON projects
  FOR EACH ROW WHEN (NEW.allowed_origins <> '{}') EXECUTE FUNCTION notify_gateway_origins();
CREATE TRIGGER projects_origins_changed AFTER UPDATE ON projects
  FOR EACH ROW WHEN (OLD.allowed_origins <> NEW.allowed_origins) EXECUTE FUNCTION notify_gateway_origins();
CREATE TRIGGER projects_origins_gone AFTER DELETE ON projects
  FOR EACH ROW WHEN (OLD.allowed_origins <> '{}') EXECUTE FUNCTION notify_gateway_origins();`);
}
