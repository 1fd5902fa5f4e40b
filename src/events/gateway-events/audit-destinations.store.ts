import type { Db } from '../../platform/postgres/database.ts';
import { AUDIT_PREFIX } from '../stream/event.ts';

/** Those of the projects that have a destination which asks for events of the audit log. */
export async function listAuditedProjects(db: Db, projectIds: readonly string[]): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { project_id: string }[] }>(
    `SELECT DISTINCT project_id FROM event_destinations
     WHERE project_id = ANY(?::uuid[]) AND EXISTS (SELECT FROM unnest(types) AS type WHERE starts_with(type, ?))`,
    [[...projectIds], AUDIT_PREFIX],
  );
  return rows.map((row) => row.project_id);
}
