import { newId } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import type { Destination, DestinationFields, DisabledReason } from './destination.ts';
import {
  advance,
  listNeglectedOfAnyProject,
  listServable,
  saveProgress,
} from './destination-progress.store.ts';
import {
  changeRow,
  type DestinationRow,
  type SomeFields,
  toColumns,
  toDestination,
} from './destination-rows.store.ts';
import { createDestinationSecrets } from './destination-secrets.store.ts';

export type DestinationsStore = ReturnType<typeof createDestinationsStore>;

/** SQL over destinations. */
export function createDestinationsStore({ vault }: { vault: Vault }) {
  const { createSecret, rotateSecret, sealPassword, openOutlet, openPasswords } = createDestinationSecrets({
    vault,
  });

  /** A new destination, which receives what is appended from now on, with the secret that it signs with. */
  async function insert(
    trx: Db,
    fields: DestinationFields & {
      readonly projectId: string;
      readonly createdBy: string;
      readonly kafkaPassword?: string | null | undefined;
    },
  ): Promise<{ destination: Destination; secret: string }> {
    const owner = { id: newId(), projectId: fields.projectId };
    const { secret, sealed } = createSecret(owner);
    const [row] = await trx<DestinationRow>('event_destinations')
      .insert({
        id: owner.id,
        project_id: owner.projectId,
        ...toColumns(fields),
        secret_sealed: sealed,
        ...sealPassword(owner, fields.kafkaPassword),
        position: trx.raw('coalesce((SELECT position FROM event_heads WHERE project_id = ?), 0)', [
          owner.projectId,
        ]),
        created_by: fields.createdBy,
      })
      .returning('*');
    if (row === undefined) throw new Error('an inserted destination was not returned');
    return { destination: toDestination(row), secret };
  }

  /**
   * Undefined where the destination is gone or was changed since it was read. A password that is left out stays, null
   * drops it.
   */
  async function update(
    trx: Db,
    { id, projectId, version }: Destination,
    { kafkaPassword, ...fields }: SomeFields & { readonly kafkaPassword?: string | null | undefined },
  ): Promise<Destination | undefined> {
    const sealed = sealPassword({ id, projectId }, kafkaPassword);
    return changeRow(trx, { project_id: projectId, id, version }, { ...toColumns(fields), ...sealed });
  }

  return {
    insert,
    countOfProject,
    list,
    find,
    findById,
    update,
    rotateSecret,
    openOutlet,
    openPasswords,
    disable,
    enable,
    remove,
    advance,
    saveProgress,
    listServable,
    listNeglectedOfAnyProject,
  };
}

/** Locks the project's row, so that two requests do not pass the limit together; then counts. */
async function countOfProject(trx: Db, projectId: string): Promise<number> {
  await trx('projects').where({ id: projectId }).forNoKeyUpdate().first('id');
  const [row] = await trx('event_destinations').where({ project_id: projectId }).count<{ count: string }[]>();
  return Number(row?.count ?? 0);
}

/** The newest first; from the page's place on where there is one. */
async function list(
  db: Db,
  projectIds: readonly string[],
  page?: {
    readonly beforeId: string | undefined;
    readonly limit: number;
    readonly tags?: Readonly<Record<string, string>> | undefined;
  },
): Promise<Destination[]> {
  const query = db<DestinationRow>('event_destinations')
    .whereIn('project_id', projectIds)
    .orderBy('id', 'desc');
  if (page !== undefined) query.limit(page.limit);
  if (page?.tags !== undefined) query.whereRaw('tags @> ?::jsonb', [JSON.stringify(page.tags)]);
  if (page?.beforeId !== undefined) query.where('id', '<', page.beforeId);
  return (await query).map(toDestination);
}

async function find(db: Db, id: string, projectIds: readonly string[]): Promise<Destination | undefined> {
  const row = await db<DestinationRow>('event_destinations')
    .where({ id })
    .whereIn('project_id', projectIds)
    .first();
  return row && toDestination(row);
}

async function findById(db: Db, id: string): Promise<Destination | undefined> {
  const row = await db<DestinationRow>('event_destinations').where({ id }).first();
  return row && toDestination(row);
}

/** Undefined where it is disabled already, or gone. */
async function disable(trx: Db, id: string, reason: DisabledReason): Promise<Destination | undefined> {
  const [row] = await trx<DestinationRow>('event_destinations')
    .where({ id })
    .whereNull('disabled_reason')
    .update({
      disabled_reason: reason,
      disabled_at: trx.fn.now(),
      version: trx.raw('version + 1'),
      updated_at: trx.fn.now(),
    })
    .returning('*');
  return row && toDestination(row);
}

/** Begins again: nothing is held back, and no failures are counted. */
async function enable(trx: Db, id: string): Promise<Destination | undefined> {
  return changeRow(
    trx,
    { id },
    {
      disabled_reason: null,
      disabled_at: null,
      failures: 0,
      failing_since: null,
      hold_until: null,
    },
  );
}

/** False where it is no longer the version given. */
async function remove(trx: Db, { id, version }: Destination): Promise<boolean> {
  return (await trx('event_destinations').where({ id, version }).delete()) > 0;
}
