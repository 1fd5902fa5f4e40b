import { newId } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';

/** A start on a restored backup, and what became of its connections. */
export type Restore = {
  readonly id: string;
  readonly state: 'held' | 'probing' | 'resumed';
  /** The last connection that was probed. */
  readonly walked: string | null;
  readonly probed: number;
  readonly alive: number;
  readonly died: number;
  readonly heldAt: Date;
  readonly resumedAt: Date | null;
};

type Row = {
  id: string;
  state: Restore['state'];
  walked: string | null;
  probed: string;
  alive: string;
  died: string;
  held_at: Date;
  resumed_at: Date | null;
};

export type Probed = { readonly connectionId: string; readonly projectId: string };

/** A connection whose credentials died with what happened after the backup. */
export type Death = Probed & { readonly reason: string };

/**
 * What is another one after each way of restoring: a dump makes the table again, a base backup begins another timeline. So
 * RESTORED, left in the settings, holds nothing a second time.
 */
const INCARNATION = `SELECT concat_ws('.', (SELECT oid FROM pg_database WHERE datname = current_database()),
  'gateway_restores'::regclass::oid, left(pg_walfile_name(pg_current_wal_lsn()), 8)) AS incarnation`;

/** Where the server keeps its files; its superuser alone may ask. */
export async function readDataFolder(db: Db): Promise<string> {
  const { rows } = await db.raw<{ rows: { folder: string }[] }>(
    `SELECT current_setting('data_directory') AS folder`,
  );
  return rows[0]?.folder ?? '';
}

/**
 * Holds the gateway for this restore. Answers the one that it was resumed from before, where it was. A copy of the store's files
 * differs from them in nothing that the store knows: `place` is what their file system tells, undefined where they are out of
 * reach, and `name` what an operator calls the restore.
 */
export async function holdRestored(
  db: Db,
  { name, place }: { readonly name: string; readonly place: string | undefined },
): Promise<Restore> {
  const { rows } = await db.raw<{ rows: { incarnation: string }[] }>(INCARNATION);
  const plain = rows[0]?.incarnation ?? '';
  const incarnation = [
    plain,
    ...(place === undefined ? [] : [place]),
    ...(name === 'true' ? [] : [name]),
  ].join(' ');
  // A release before this one noted the store's own part alone.
  if (name === 'true' && place !== undefined)
    await db('gateway_restores').where({ incarnation: plain }).update({ incarnation });
  await db('gateway_restores').insert({ id: newId(), incarnation }).onConflict('incarnation').ignore();
  const row = await db<Row & { incarnation: string }>('gateway_restores').where({ incarnation }).first();
  if (row === undefined) throw new Error('an inserted restore was not found');
  return fromRow(row);
}

/** The one that is held or probed, else the last one. */
export async function findRestore(db: Db): Promise<Restore | undefined> {
  const row = await db<Row>('gateway_restores').orderByRaw("(state <> 'resumed') DESC, id DESC").first();
  return row && fromRow(row);
}

/** Begins to probe, or goes on at once. Does nothing where that has begun. */
export async function resume(trx: Db, { probe }: { readonly probe: boolean }): Promise<void> {
  await trx('gateway_restores')
    .where({ state: 'held' })
    .update(probe ? { state: 'probing' } : { state: 'resumed', resumed_at: trx.fn.now() });
}

/** Active connections after the one that was probed last. */
export async function listToProbeOfAnyProject(
  db: Db,
  after: string | null,
  limit: number,
): Promise<Probed[]> {
  const query = db('connections').where({ status: 'active' });
  if (after !== null) query.where('id', '>', after);
  const rows: { id: string; project_id: string }[] = await query
    .orderBy('id')
    .limit(limit)
    .select('id', 'project_id');
  return rows.map((row) => ({ connectionId: row.id, projectId: row.project_id }));
}

/** Writes down a page. False where another process was first. */
export async function savePage(
  trx: Db,
  { id, walked }: Pick<Restore, 'id' | 'walked'>,
  page: {
    readonly last: string;
    readonly probed: number;
    readonly alive: number;
    readonly deaths: readonly Death[];
  },
): Promise<boolean> {
  const changed = await trx('gateway_restores')
    .where({ id, state: 'probing' })
    .whereRaw('walked IS NOT DISTINCT FROM ?', [walked])
    .update({
      walked: page.last,
      probed: trx.raw('probed + ?', [page.probed]),
      alive: trx.raw('alive + ?', [page.alive]),
      died: trx.raw('died + ?', [page.deaths.length]),
    });
  if (changed === 0) return false;
  const rows = page.deaths.map(({ connectionId, projectId, reason }) => ({
    restore_id: id,
    project_id: projectId,
    connection_id: connectionId,
    reason,
  }));
  if (rows.length > 0)
    await trx('gateway_restore_deaths').insert(rows).onConflict(['restore_id', 'connection_id']).ignore();
  return true;
}

export async function finishProbing(db: Db, { id, walked }: Pick<Restore, 'id' | 'walked'>): Promise<void> {
  await db('gateway_restores')
    .where({ id, state: 'probing' })
    .whereRaw('walked IS NOT DISTINCT FROM ?', [walked])
    .update({ state: 'resumed', resumed_at: db.fn.now() });
}

export async function listDeathsOfAnyProject(
  db: Db,
  restoreId: string,
  { afterId, limit }: { readonly afterId: string | undefined; readonly limit: number },
): Promise<(Death & { readonly integrationId: string; readonly serviceProvider: string })[]> {
  const query = db('gateway_restore_deaths AS d')
    .join('connections AS c', { 'c.id': 'd.connection_id', 'c.project_id': 'd.project_id' })
    .join('integrations AS i', { 'i.id': 'c.integration_id', 'i.project_id': 'c.project_id' })
    .where('d.restore_id', restoreId);
  if (afterId !== undefined) query.where('d.connection_id', '>', afterId);
  return query.orderBy('d.connection_id').limit(limit).select({
    connectionId: 'd.connection_id',
    projectId: 'd.project_id',
    reason: 'd.reason',
    integrationId: 'c.integration_id',
    serviceProvider: 'i.service_provider',
  });
}

function fromRow(row: Row): Restore {
  return {
    id: row.id,
    state: row.state,
    walked: row.walked,
    probed: Number(row.probed),
    alive: Number(row.alive),
    died: Number(row.died),
    heldAt: row.held_at,
    resumedAt: row.resumed_at,
  };
}
