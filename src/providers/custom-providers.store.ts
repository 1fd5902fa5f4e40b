import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';

/** A provider that a project describes itself, as it stands in the store. */
export type CustomProviderRow = Readonly<{
  id: string;
  projectId: string;
  /** `custom:<id>`, the id in paths. */
  provider: string;
  /** What its author sent, defaults left out. */
  description: Readonly<Record<string, unknown>>;
  version: number;
}>;

export type CustomProviderVersion = Pick<CustomProviderRow, 'id' | 'provider' | 'version'>;

/** How many integrations use a grant of a provider; null: the provider's own. */
export type GrantUse = Readonly<{ grant: string | null; count: number }>;

type Row = {
  id: string;
  project_id: string;
  provider: string;
  description: Record<string, unknown>;
  version: number;
  created_by: string;
  updated_at: Date;
  updated_by: string;
};

export type CustomProvidersStore = typeof customProvidersStore;

/** SQL over the projects' own providers, always within a project (or the projects that the caller may see). */
export const customProvidersStore = {
  /** Undefined where the project has one of this id already. */
  async insert(
    db: Db,
    made: {
      projectId: string;
      provider: string;
      description: Readonly<Record<string, unknown>>;
      createdBy: string;
    },
  ): Promise<CustomProviderRow | undefined> {
    const [row] = await db<Row>('custom_providers')
      .insert({
        id: newId(),
        project_id: made.projectId,
        provider: made.provider,
        description: made.description,
        created_by: made.createdBy,
        updated_by: made.createdBy,
      })
      .onConflict(['project_id', 'provider'])
      .ignore()
      .returning('*');
    return row && fromRow(row);
  },

  /** Which providers a project has and in which version, without their descriptions. */
  async listVersions(db: Db, projectId: string): Promise<CustomProviderVersion[]> {
    return db<Row>('custom_providers').where({ project_id: projectId }).select('id', 'provider', 'version');
  },

  async list(db: Db, projectIds: readonly string[]): Promise<CustomProviderRow[]> {
    const rows = await db<Row>('custom_providers').whereIn('project_id', projectIds).orderBy('id');
    return rows.map(fromRow);
  },

  /** Those of this id in any of the projects: several where an operator's projects chose the same name. */
  async find(db: Db, provider: string, projectIds: readonly string[]): Promise<CustomProviderRow[]> {
    const rows = await db<Row>('custom_providers').where({ provider }).whereIn('project_id', projectIds);
    return rows.map(fromRow);
  },

  /** Serializes what is made in a project until the transaction ends, so that its number is bounded. */
  async countLocked(trx: Db, projectId: string): Promise<number> {
    await trx('projects').where({ id: projectId }).forUpdate().first('id');
    const found = await trx<Row>('custom_providers').where({ project_id: projectId }).pluck('id');
    return found.length;
  },

  /** Changes the description if the version still is what was read; undefined when another request was first. */
  async update(
    db: Db,
    { id, projectId, version }: CustomProviderRow,
    change: { description: Readonly<Record<string, unknown>>; updatedBy: string },
  ): Promise<CustomProviderRow | undefined> {
    const [row] = await db<Row>('custom_providers')
      .where({ id, project_id: projectId, version })
      .update({
        description: change.description,
        updated_by: change.updatedBy,
        version: db.raw('version + 1'),
        updated_at: db.fn.now(),
      })
      .returning('*');
    return row && fromRow(row);
  },

  /**
   * Locks the row until the transaction ends, which new integrations of the provider wait for, and counts those that
   * there are, by the grant that they use. Undefined where the row has changed or is gone.
   */
  async lockAndCountUses(
    trx: Db,
    { id, projectId, provider, version }: CustomProviderRow,
  ): Promise<GrantUse[] | undefined> {
    const row = await trx<Row>('custom_providers')
      .where({ id, project_id: projectId, version })
      .forUpdate()
      .first('id');
    if (row === undefined) return undefined;
    const counted: { grant: string | null; count: string }[] = await trx('integrations')
      .where({ project_id: projectId, service_provider: provider })
      .groupBy('grant')
      .orderBy('grant')
      .select('grant')
      .count('* as count');
    return counted.map(({ grant, count }) => ({ grant, count: Number(count) }));
  },

  async remove(db: Db, { id, projectId }: CustomProviderRow): Promise<void> {
    await db<Row>('custom_providers').where({ id, project_id: projectId }).delete();
  },
};

function fromRow(row: Row): CustomProviderRow {
  return {
    id: row.id,
    projectId: row.project_id,
    provider: row.provider,
    description: row.description,
    version: row.version,
  };
}
