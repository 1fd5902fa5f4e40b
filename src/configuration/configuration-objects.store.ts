import { z } from 'zod';
import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import { openOrElse, type Vault } from '../platform/vault.ts';
import {
  type AppliedObject,
  type CurrentObject,
  type ManagedObject,
  OBJECT_KINDS,
  type ObjectKind,
} from './objects.ts';

const APPLIED = z.object({
  fields: z.record(z.string(), z.unknown()),
  references: z.record(z.string(), z.string()),
});
const DIGESTS = z.record(z.string(), z.string());
const ROW = z.object({
  id: z.string(),
  kind: z.enum(OBJECT_KINDS),
  name: z.string(),
  managed_id: z.string(),
  applied: APPLIED,
  digests_sealed: z.string().nullable(),
  applied_at: z.date(),
  applied_by: z.string(),
});

/** Rows of one statement. */
const BATCH = 200;

/** What files manage in projects. */
export function createConfigurationObjectsStore({ vault }: { vault: Pick<Vault, 'open' | 'seal'> }) {
  const contextOf = (rowId: string, projectId: string) => ({
    table: 'configuration_objects',
    column: 'digests_sealed',
    rowId,
    projectId,
  });

  /** Without digests where they cannot be unsealed: nothing is known of those secrets then. */
  function openDigests(projectId: string, row: z.output<typeof ROW>): Record<string, string> {
    const { id, digests_sealed: sealed } = row;
    if (sealed === null) return {};
    return openOrElse(() => DIGESTS.parse(JSON.parse(vault.open(sealed, contextOf(id, projectId)))), {});
  }

  return {
    async list(db: Db, projectId: string): Promise<AppliedObject[]> {
      const rows: unknown[] = await db('configuration_objects')
        .where({ project_id: projectId })
        .orderBy(['kind', 'name'])
        .select('id', 'kind', 'name', 'managed_id', 'applied', 'digests_sealed', 'applied_at', 'applied_by');
      return rows.map((found) => {
        const row = ROW.parse(found);
        return {
          kind: row.kind,
          name: row.name,
          objectId: row.managed_id,
          ...row.applied,
          digests: openDigests(projectId, row),
          appliedAt: row.applied_at,
          appliedBy: row.applied_by,
        };
      });
    },

    /** What is managed from now on of these kinds. */
    async replace(
      trx: Db,
      projectId: string,
      managed: {
        readonly kinds: readonly ObjectKind[];
        readonly objects: readonly ManagedObject[];
        readonly by: string;
      },
    ): Promise<void> {
      await trx('configuration_objects')
        .where({ project_id: projectId })
        .whereIn('kind', [...managed.kinds])
        .delete();
      const rows = managed.objects.map(({ kind, name, objectId, fields, references, digests }) => {
        const id = newId();
        const hasDigests = Object.keys(digests).length > 0;
        return {
          id,
          project_id: projectId,
          kind,
          name,
          managed_id: objectId,
          applied: JSON.stringify({ fields, references }),
          digests_sealed: hasDigests ? vault.seal(JSON.stringify(digests), contextOf(id, projectId)) : null,
          applied_by: managed.by,
        };
      });
      for (let from = 0; from < rows.length; from += BATCH)
        await trx('configuration_objects').insert(rows.slice(from, from + BATCH));
    },
  };
}

export type ConfigurationObjectsStore = ReturnType<typeof createConfigurationObjectsStore>;

/**
 * Keeps other applies to the project out until the transaction ends, and waits for none: false where one is under way.
 */
export async function takeProject(trx: Db, projectId: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { taken: boolean }[] }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('configuration ' || ?, 0)) AS taken`,
    [projectId],
  );
  return rows[0]?.taken === true;
}

const TABLES: Readonly<Record<Exclude<ObjectKind, 'member'>, string>> = {
  customProvider: 'custom_providers',
  mandate: 'mandates',
  project: 'projects',
  integration: 'integrations',
  poll: 'polls',
  destination: 'event_destinations',
};

/** Holds the rows of these objects until the transaction ends, so that what was read of them stays. */
export async function lockObjects(
  trx: Db,
  objects: readonly Pick<CurrentObject, 'kind' | 'id'>[],
): Promise<void> {
  for (const kind of OBJECT_KINDS) {
    const ids = objects.filter((object) => object.kind === kind).map(({ id }) => id);
    // Changes of members hold the project, which an apply holds as well.
    if (kind === 'member' || ids.length === 0) continue;
    await trx(TABLES[kind]).whereIn('id', ids).orderBy('id').forNoKeyUpdate().select('id');
  }
}
