import type { Db } from '../platform/postgres/database.ts';

export type Role = 'owner' | 'admin' | 'viewer';

type MemberRow = { project_id: string; operator_id: string; role: Role };

/** Which projects an operator belongs to, and as what. */
export function createAccessStore({ db }: { db: Db }) {
  return {
    /** Ids of every project of which the operator is a member. */
    async projectsOfOperator(operatorId: string): Promise<string[]> {
      return db<MemberRow>('project_members').where({ operator_id: operatorId }).pluck('project_id');
    },

    /** Ids of the deleted projects that the operator owned, as long as entries of their audit log are kept. */
    async deletedProjectsOfOwner(operatorId: string): Promise<string[]> {
      return db('deleted_project_owners').where({ operator_id: operatorId }).pluck('project_id');
    },

    /** Undefined where the operator is no member, or the project does not exist. */
    async roleOf(projectId: string, operatorId: string, on: Db = db): Promise<Role | undefined> {
      const row = await on<MemberRow>('project_members')
        .where({ project_id: projectId, operator_id: operatorId })
        .first('role');
      return row?.role;
    },
  };
}
