import type { Db } from '../platform/postgres/database.ts';
import type { Role } from './access.store.ts';

type Row = { project_id: string; operator_id: string; role: Role; created_at: Date };

/** An operator's part in a project; `id` is the operator's. */
export type Member = Readonly<{
  id: string;
  email: string;
  name: string | null;
  role: Role;
  /** The address was proved to be the operator's own (decision 0034). */
  emailVerified: boolean;
  otpEnabled: boolean;
  /** Keys of the project that the operator made, and that work. */
  liveApiKeys: number;
  liveSigningKeys: number;
  createdAt: Date;
}>;

/**
 * Members of projects. Changes belong in a transaction that has locked the project, so that two of them together
 * cannot take its last owner away.
 */
export function createMembersStore({ db }: { db: Db }) {
  return {
    async list(filter: {
      projectId: string;
      operatorId: string | undefined;
      beforeId: string | undefined;
      limit: number;
    }): Promise<Member[]> {
      const query = membersOf(db, filter.projectId);
      if (filter.operatorId !== undefined) query.where('m.operator_id', filter.operatorId);
      if (filter.beforeId !== undefined) query.where('m.operator_id', '<', filter.beforeId);
      return query.orderBy('m.operator_id', 'desc').limit(filter.limit);
    },

    async find(trx: Db, projectId: string, operatorId: string): Promise<Member | undefined> {
      return membersOf(trx, projectId).where('m.operator_id', operatorId).first();
    },

    /** The operator with this e-mail address, whatever its case. */
    async findOperatorId(trx: Db, email: string): Promise<string | undefined> {
      const row = await trx('operators')
        .whereRaw('lower(email) = lower(?)', [email])
        .first<{ id: string } | undefined>('id');
      return row?.id;
    },

    /** False when the operator is a member already. */
    async insert(trx: Db, projectId: string, operatorId: string, role: Role): Promise<boolean> {
      const inserted = await trx<Row>('project_members')
        .insert({ project_id: projectId, operator_id: operatorId, role })
        .onConflict(['project_id', 'operator_id'])
        .ignore()
        .returning('operator_id');
      return inserted.length > 0;
    },

    /** Where the operator is no member yet. The ids of those projects. */
    async insertIntoEveryProject(trx: Db, operatorId: string, role: Role): Promise<string[]> {
      const { rows } = await trx.raw<{ rows: { project_id: string }[] }>(
        `INSERT INTO project_members (project_id, operator_id, role) SELECT id, ?, ? FROM projects WHERE deleted_at IS NULL
         ON CONFLICT DO NOTHING RETURNING project_id`,
        [operatorId, role],
      );
      return rows.map(({ project_id }) => project_id);
    },

    /** Every project with its owners' e-mail addresses, the oldest first; for the operator command. */
    async listOwnersOfAnyProject(): Promise<{ id: string; name: string; owners: string[] }[]> {
      return db('projects AS p')
        .leftJoin('project_members AS m', (on) =>
          on.on('m.project_id', 'p.id').andOnVal('m.role', '=', 'owner'),
        )
        .leftJoin('operators AS o', 'o.id', 'm.operator_id')
        .whereNull('p.deleted_at')
        .groupBy('p.id')
        .orderBy('p.id')
        .select(
          'p.id',
          'p.name',
          db.raw(
            `coalesce(array_agg(o.email ORDER BY o.email) FILTER (WHERE o.id IS NOT NULL), '{}') AS owners`,
          ),
        );
    },

    async setRole(trx: Db, projectId: string, operatorId: string, role: Role): Promise<void> {
      await trx<Row>('project_members')
        .where({ project_id: projectId, operator_id: operatorId })
        .update({ role });
      await forgetReplies(trx, operatorId);
    },

    async remove(trx: Db, projectId: string, operatorId: string): Promise<void> {
      await trx<Row>('project_members').where({ project_id: projectId, operator_id: operatorId }).delete();
      await forgetReplies(trx, operatorId);
    },

    async hasOtherOwner(trx: Db, projectId: string, operatorId: string): Promise<boolean> {
      const row = await trx<Row>('project_members')
        .where({ project_id: projectId, role: 'owner' })
        .whereNot({ operator_id: operatorId })
        .first('operator_id');
      return row !== undefined;
    },
  };
}

export type MembersStore = ReturnType<typeof createMembersStore>;

/** A repeat of a request is answered without asking what its operator may do, and its first reply may hold a key. */
async function forgetReplies(trx: Db, operatorId: string): Promise<void> {
  await trx('idempotency_keys')
    .where({ owner: `operator:${operatorId}` })
    .delete();
}

function membersOf(db: Db, projectId: string) {
  return db('project_members AS m')
    .join('operators AS o', 'o.id', 'm.operator_id')
    .leftJoin('operator_otps AS t', 't.operator_id', 'm.operator_id')
    .where('m.project_id', projectId)
    .select<Member[]>({
      id: 'm.operator_id',
      email: 'o.email',
      name: 'o.name',
      role: 'm.role',
      createdAt: 'm.created_at',
    })
    .select(
      db.raw('o.email_verified_at IS NOT NULL AS "emailVerified"'),
      db.raw('t.confirmed_at IS NOT NULL AS "otpEnabled"'),
      db.raw(`(SELECT count(*)::int FROM api_keys k
        WHERE k.project_id = m.project_id AND k.created_by = m.operator_id AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > now())) AS "liveApiKeys"`),
      db.raw(`(SELECT count(*)::int FROM signing_keys k
        WHERE k.project_id = m.project_id AND k.created_by = m.operator_id
          AND k.revoked_at IS NULL) AS "liveSigningKeys"`),
    );
}
