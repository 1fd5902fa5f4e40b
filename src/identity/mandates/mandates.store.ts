import { z } from 'zod';
import { newId } from '../../lib/ids.ts';
import { type MandateEntry, mandateEntrySchema } from '../../mandates/mandate.schema.ts';
import type { Db } from '../../platform/postgres/database.ts';

export const MANDATE_STATES = ['active', 'frozen'] as const;
export type MandateState = (typeof MANDATE_STATES)[number];

export type NamedMandate = Readonly<{
  id: string;
  projectId: string;
  name: string;
  entries: readonly MandateEntry[];
  state: MandateState;
  version: number;
  createdAt: Date;
  createdBy: string;
  updatedAt: Date;
  updatedBy: string;
}>;

/** Members left undefined stay as they are. */
export type MandateChange = {
  readonly name?: string | undefined;
  readonly entries?: readonly MandateEntry[] | undefined;
  readonly state?: MandateState | undefined;
};

const ROW = z.object({
  id: z.string(),
  project_id: z.string(),
  name: z.string(),
  entries: z.array(mandateEntrySchema),
  state: z.enum(MANDATE_STATES),
  version: z.number(),
  created_at: z.date(),
  created_by: z.string(),
  updated_at: z.date(),
  updated_by: z.string(),
});

export type MandatesStore = ReturnType<typeof createMandatesStore>;

/** Named mandates of projects. */
export function createMandatesStore({ db }: { db: Db }) {
  return {
    async find(projectId: string, id: string): Promise<NamedMandate | undefined> {
      return read(await db('mandates').where({ project_id: projectId, id }).first());
    },

    async list(filter: {
      projectId: string;
      beforeId: string | undefined;
      limit: number;
    }): Promise<NamedMandate[]> {
      const query = db('mandates').where({ project_id: filter.projectId });
      if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
      const rows = await query.orderBy('id', 'desc').limit(filter.limit);
      return rows.flatMap((row) => read(row) ?? []);
    },

    async insert(
      trx: Db,
      projectId: string,
      mandate: Required<Omit<MandateChange, 'state'>> & { readonly state: MandateState; readonly by: string },
    ): Promise<NamedMandate> {
      const [row] = await trx('mandates')
        .insert({
          id: newId(),
          project_id: projectId,
          ...columnsOf(mandate),
          created_by: mandate.by,
          updated_by: mandate.by,
        })
        .returning('*');
      const made = read(row);
      if (made === undefined) throw new Error('an inserted mandate was not returned');
      return made;
    },

    /** The mandate, held until the transaction ends. */
    async lock(trx: Db, projectId: string, id: string): Promise<NamedMandate | undefined> {
      return read(await trx('mandates').where({ project_id: projectId, id }).forUpdate().first());
    },

    async update(
      trx: Db,
      { id, projectId }: Pick<NamedMandate, 'id' | 'projectId'>,
      change: MandateChange & { readonly by: string },
    ): Promise<NamedMandate | undefined> {
      const [row] = await trx('mandates')
        .where({ id, project_id: projectId })
        .update({
          ...columnsOf(change),
          version: trx.raw('version + 1'),
          updated_at: trx.fn.now(),
          updated_by: change.by,
        })
        .returning('*');
      return read(row);
    },

    /** Whether agents get it by the sign-in of their project, whose setting is held until the transaction ends. */
    async isOfSignIn(trx: Db, { id, projectId }: Pick<NamedMandate, 'id' | 'projectId'>): Promise<boolean> {
      const row = await trx('projects')
        .where({ id: projectId })
        .forShare()
        .first<{ named: string | null } | undefined>(
          trx.raw("lower(agent_sign_in #>> '{openid,mandateId}') AS named"),
        );
      return row?.named === id;
    },

    async remove(trx: Db, projectId: string, id: string): Promise<void> {
      await trx('mandates').where({ project_id: projectId, id }).delete();
    },
  };
}

function columnsOf({ name, entries, state }: MandateChange) {
  return {
    ...(name !== undefined && { name }),
    ...(entries && { entries: JSON.stringify(entries) }),
    ...(state !== undefined && { state }),
  };
}

function read(row: unknown): NamedMandate | undefined {
  if (row === undefined) return undefined;
  const found = ROW.parse(row);
  return {
    id: found.id,
    projectId: found.project_id,
    name: found.name,
    entries: found.entries,
    state: found.state,
    version: found.version,
    createdAt: found.created_at,
    createdBy: found.created_by,
    updatedAt: found.updated_at,
    updatedBy: found.updated_by,
  };
}
