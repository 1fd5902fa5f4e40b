import type { Knex } from 'knex';

/**
 * The party that a project belongs to, by which background work takes turns: the owner who has been a member for longest,
 * so that a further project brings no further share. A deleted project still has revocations; it belongs to an owner that
 * it had, and a project without any to itself.
 */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
CREATE FUNCTION party_of_project(project uuid) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    (SELECT operator_id FROM project_members WHERE project_id = project AND role = 'owner'
      ORDER BY created_at, operator_id LIMIT 1),
    (SELECT operator_id FROM deleted_project_owners WHERE project_id = project ORDER BY operator_id LIMIT 1),
    project)
$$;`);
}
