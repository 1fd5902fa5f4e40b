import { newId } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import type { DestinationFormat, DestinationOrder, DisabledReason, Lane } from '../sending/delivery.ts';
import { createSigningSecret } from '../sending/standard-webhooks.ts';

/** How long the secret before a rotation signs as well. */
export const PREVIOUS_SECRET_HOURS = 24;

type Row = {
  id: string;
  project_id: string;
  version: number;
  url: string;
  types: string[];
  connection_ids: string[] | null;
  description: string | null;
  ordered: DestinationOrder;
  format: DestinationFormat;
  secret_sealed: string;
  previous_secret_sealed: string | null;
  secret_rotated_at: Date | null;
  disabled_reason: DisabledReason | null;
  disabled_at: Date | null;
  position: number | string;
  lane: Lane;
  failures: number;
  failing_since: Date | null;
  hold_until: Date | null;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  last_failure: string | null;
  created_at: Date;
  created_by: string;
  updated_at: Date;
};

/** A place that receives the events of a project. */
export type Destination = Readonly<{
  id: string;
  projectId: string;
  version: number;
  url: string;
  types: readonly string[];
  /** Null: events of any connection, and those of none. */
  connectionIds: readonly string[] | null;
  description: string | null;
  ordered: DestinationOrder;
  format: DestinationFormat;
  disabledReason: DisabledReason | null;
  disabledAt: Date | null;
  /** Of the last event of the feed that has a delivery, or that the destination does not want. */
  position: number;
  lane: Lane;
  failures: number;
  failingSince: Date | null;
  /** Nothing is sent before. */
  holdUntil: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  lastFailure: string | null;
  createdAt: Date;
  updatedAt: Date;
}>;

export type DestinationFields = Pick<
  Destination,
  'url' | 'types' | 'connectionIds' | 'description' | 'ordered' | 'format'
>;

type SomeFields = { readonly [Field in keyof DestinationFields]?: DestinationFields[Field] | undefined };

/** What deliveries change of a destination. */
export type DestinationProgress = Pick<
  Destination,
  'lane' | 'failures' | 'failingSince' | 'holdUntil' | 'lastSuccessAt' | 'lastFailureAt' | 'lastFailure'
>;

type Owner = Pick<Destination, 'id' | 'projectId'>;

export type DestinationsStore = ReturnType<typeof createDestinationsStore>;

/** SQL over destinations. */
export function createDestinationsStore({ vault }: { vault: Vault }) {
  const context = (column: string, { id, projectId }: Owner) => ({
    table: 'event_destinations',
    column,
    rowId: id,
    projectId,
  });
  const seal = (column: string, owner: Owner, secret: string) => vault.seal(secret, context(column, owner));

  /** A new destination, which receives what is appended from now on, with the secret that it signs with. */
  async function insert(
    trx: Db,
    fields: DestinationFields & { readonly projectId: string; readonly createdBy: string },
  ): Promise<{ destination: Destination; secret: string }> {
    const owner = { id: newId(), projectId: fields.projectId };
    const secret = createSigningSecret();
    const [row] = await trx<Row>('event_destinations')
      .insert({
        id: owner.id,
        project_id: owner.projectId,
        ...columnsOf(fields),
        secret_sealed: seal('secret_sealed', owner, secret),
        position: trx.raw('coalesce((SELECT position FROM event_heads WHERE project_id = ?), 0)', [
          owner.projectId,
        ]),
        created_by: fields.createdBy,
      })
      .returning('*');
    if (row === undefined) throw new Error('an inserted destination was not returned');
    return { destination: fromRow(row), secret };
  }

  /** Locks the project's row, so that two requests do not pass the limit together; then counts. */
  async function countOfProject(trx: Db, projectId: string): Promise<number> {
    await trx('projects').where({ id: projectId }).forNoKeyUpdate().first('id');
    const [row] = await trx('event_destinations')
      .where({ project_id: projectId })
      .count<{ count: string }[]>();
    return Number(row?.count ?? 0);
  }

  /** The newest first; from the page's place on where there is one. */
  async function list(
    db: Db,
    projectIds: readonly string[],
    page?: { readonly beforeId: string | undefined; readonly limit: number },
  ): Promise<Destination[]> {
    const query = db<Row>('event_destinations').whereIn('project_id', projectIds).orderBy('id', 'desc');
    if (page !== undefined) query.limit(page.limit);
    if (page?.beforeId !== undefined) query.where('id', '<', page.beforeId);
    return (await query).map(fromRow);
  }

  async function find(db: Db, id: string, projectIds: readonly string[]): Promise<Destination | undefined> {
    const row = await db<Row>('event_destinations').where({ id }).whereIn('project_id', projectIds).first();
    return row && fromRow(row);
  }

  async function findById(db: Db, id: string): Promise<Destination | undefined> {
    const row = await db<Row>('event_destinations').where({ id }).first();
    return row && fromRow(row);
  }

  /** Undefined where the destination is gone or was changed since it was read. */
  async function update(
    trx: Db,
    { id, version }: Destination,
    fields: SomeFields,
  ): Promise<Destination | undefined> {
    return change(trx, { id, version }, columnsOf(fields));
  }

  async function change(
    trx: Db,
    where: { id: string; version?: number },
    columns: Record<string, unknown>,
  ): Promise<Destination | undefined> {
    const [row] = await trx<Row>('event_destinations')
      .where(where)
      .update({ ...columns, version: trx.raw('version + 1'), updated_at: trx.fn.now() })
      .returning('*');
    return row && fromRow(row);
  }

  /** A new secret; the one before signs as well for a day. */
  async function rotateSecret(trx: Db, owner: Owner): Promise<string | undefined> {
    const row = await trx<Row>('event_destinations')
      .where({ id: owner.id })
      .forUpdate()
      .first('secret_sealed');
    if (row === undefined) return undefined;
    const secret = createSigningSecret();
    const before = vault.open(row.secret_sealed, context('secret_sealed', owner));
    await change(
      trx,
      { id: owner.id },
      {
        secret_sealed: seal('secret_sealed', owner, secret),
        previous_secret_sealed: seal('previous_secret_sealed', owner, before),
        secret_rotated_at: trx.fn.now(),
      },
    );
    return secret;
  }

  /** The secrets to sign with, the newest first. */
  async function openSecrets(db: Db, owner: Owner): Promise<string[]> {
    const row = await db('event_destinations')
      .where({ id: owner.id })
      .first<(Pick<Row, 'secret_sealed' | 'previous_secret_sealed'> & { is_rotating: boolean }) | undefined>(
        'secret_sealed',
        'previous_secret_sealed',
        db.raw(
          `coalesce(secret_rotated_at > now() - interval '${PREVIOUS_SECRET_HOURS} hours', false) AS is_rotating`,
        ),
      );
    if (row === undefined) return [];
    const secrets = [vault.open(row.secret_sealed, context('secret_sealed', owner))];
    if (row.is_rotating && row.previous_secret_sealed !== null) {
      secrets.push(vault.open(row.previous_secret_sealed, context('previous_secret_sealed', owner)));
    }
    return secrets;
  }

  /** Undefined where it is disabled already, or gone. */
  async function disable(trx: Db, id: string, reason: DisabledReason): Promise<Destination | undefined> {
    const [row] = await trx<Row>('event_destinations')
      .where({ id })
      .whereNull('disabled_reason')
      .update({
        disabled_reason: reason,
        disabled_at: trx.fn.now(),
        version: trx.raw('version + 1'),
        updated_at: trx.fn.now(),
      })
      .returning('*');
    return row && fromRow(row);
  }

  /** Begins again: nothing is held back, and no failures are counted. */
  async function enable(trx: Db, id: string): Promise<Destination | undefined> {
    return change(
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

  async function remove(trx: Db, id: string): Promise<boolean> {
    return (await trx('event_destinations').where({ id }).delete()) > 0;
  }

  /** Moves the cursor. False where the destination was changed, disabled, or served by another process meanwhile. */
  async function advance(trx: Db, { id, version, position }: Destination, to: number): Promise<boolean> {
    const changed = await trx('event_destinations')
      .where({ id, version, position })
      .whereNull('disabled_reason')
      .update({ position: to });
    return changed > 0;
  }

  /** False where the destination was changed meanwhile; then nothing is written. */
  async function saveProgress(
    trx: Db,
    { id, version }: Destination,
    progress: DestinationProgress,
  ): Promise<boolean> {
    const changed = await trx('event_destinations').where({ id, version }).update({
      lane: progress.lane,
      failures: progress.failures,
      failing_since: progress.failingSince,
      hold_until: progress.holdUntil,
      last_success_at: progress.lastSuccessAt,
      last_failure_at: progress.lastFailureAt,
      last_failure: progress.lastFailure,
    });
    return changed > 0;
  }

  /** Destinations of a project that may be served now. */
  async function listServable(db: Db, projectId: string, now: Date): Promise<{ id: string; lane: Lane }[]> {
    return db<Row>('event_destinations')
      .where({ project_id: projectId })
      .whereNull('disabled_reason')
      .whereRaw('(hold_until IS NULL OR hold_until <= ?)', [now])
      .select('id', 'lane');
  }

  /** Destinations that have something to do now, whichever process should have begun it; in no order. */
  async function listNeglectedOfAnyProject(
    db: Db,
    { now, limit }: { now: Date; limit: number },
  ): Promise<{ id: string; lane: Lane; projectId: string }[]> {
    const { rows } = await db.raw<{ rows: { id: string; lane: Lane; projectId: string }[] }>(
      `SELECT d.id, d.lane, d.project_id AS "projectId" FROM event_destinations d
       LEFT JOIN event_heads h ON h.project_id = d.project_id
       WHERE d.disabled_reason IS NULL AND (d.hold_until IS NULL OR d.hold_until <= ?)
         AND (h.position > d.position OR EXISTS (
           SELECT FROM deliveries w WHERE w.destination_id = d.id AND w.next_attempt_at <= ?))
       ORDER BY random() LIMIT ?`,
      [now, now, limit],
    );
    return rows;
  }

  return {
    insert,
    countOfProject,
    list,
    find,
    findById,
    update,
    rotateSecret,
    openSecrets,
    disable,
    enable,
    remove,
    advance,
    saveProgress,
    listServable,
    listNeglectedOfAnyProject,
  };
}

function columnsOf(fields: SomeFields): Record<string, unknown> {
  const { url, types, connectionIds, description, ordered, format } = fields;
  const columns = { url, types, connection_ids: connectionIds, description, ordered, format };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function fromRow(row: Row): Destination {
  return {
    id: row.id,
    projectId: row.project_id,
    version: row.version,
    url: row.url,
    types: row.types,
    connectionIds: row.connection_ids,
    description: row.description,
    ordered: row.ordered,
    format: row.format,
    disabledReason: row.disabled_reason,
    disabledAt: row.disabled_at,
    position: Number(row.position),
    lane: row.lane,
    failures: row.failures,
    failingSince: row.failing_since,
    holdUntil: row.hold_until,
    lastSuccessAt: row.last_success_at,
    lastFailureAt: row.last_failure_at,
    lastFailure: row.last_failure,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
