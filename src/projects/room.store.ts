import { HttpError } from '../http/errors.ts';
import { limitReached } from '../http/limit-reached.ts';
import type { Db } from '../platform/postgres/database.ts';

/** What a project may have so many of, and which rows count. */
const COUNTED = {
  api_keys: 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())',
  integrations: 'true',
  mandates: 'true',
  organization_clients: 'retired_at IS NULL',
  polls: 'true',
} as const;

/** Throws `limit_reached` where the project has as many as it may; until the transaction ends it gets no other. */
export async function assertRoom(
  trx: Db,
  projectId: string,
  { table, most, noun }: { table: keyof typeof COUNTED; most: number; noun: string },
): Promise<void> {
  // One after the other, and not in the way of rows that point at the project.
  await trx('projects').where({ id: projectId }).forNoKeyUpdate().first('id');
  const { rows } = await trx.raw<{ rows: { count: string }[] }>(
    `SELECT count(*) AS count FROM ${table} WHERE project_id = ? AND ${COUNTED[table]}`,
    [projectId],
  );
  if (Number(rows[0]?.count) >= most) throw limitReached(`A project may have ${most} ${noun}.`);
}

/**
 * Throws `limit_reached` where the operator owns as many projects as one may, and `insufficient_role` where projects are
 * made by owners alone and the operator owns none.
 */
export async function assertMayMakeProject(
  trx: Db,
  operatorId: string,
  rules: { readonly by: 'any' | 'owner'; readonly most: number },
): Promise<void> {
  await trx('operators').where({ id: operatorId }).forNoKeyUpdate().first('id');
  const { rows } = await trx.raw<{ rows: { owned: string; own: string }[] }>(
    `SELECT count(*) AS owned, count(*) FILTER (WHERE party_of_project(project_id) = operator_id) AS own
       FROM project_members WHERE operator_id = ? AND role = 'owner'`,
    [operatorId],
  );
  const { owned = '0', own = '0' } = rows[0] ?? {};
  if (rules.by === 'owner' && Number(owned) === 0) {
    throw new HttpError('insufficient_role', {
      detail: 'Only owners of a project may make further ones here.',
    });
  }
  if (Number(own) >= rules.most) throw limitReached(`An operator may own ${rules.most} projects.`);
}
