import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { ErasedKind } from './person.ts';

/** An erasure of a person: a job with its report. */
export type Erasure = {
  readonly id: string;
  readonly projectId: string;
  readonly kind: 'user' | 'organization';
  /** What stands for the person in the activity log. */
  readonly pseudonym: string;
  /** Who it is, sealed, until no late data can come any more. */
  readonly personSealed: string | null;
  readonly state: 'running' | 'done';
  readonly phase: string;
  /** How far a walk through a table has come. */
  readonly walked: string | null;
  /** How often late data was looked for after the end. */
  readonly sweeps: number;
  readonly erased: Readonly<Partial<Record<ErasedKind, number>>>;
  readonly requestedBy: unknown;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
};

type Row = {
  id: string;
  project_id: string;
  kind: 'user' | 'organization';
  pseudonym: string;
  person_sealed: string | null;
  state: 'running' | 'done';
  phase: string;
  walked: string | null;
  sweeps: number;
  erased: Partial<Record<ErasedKind, number>>;
  requested_by: unknown;
  created_at: Date;
  finished_at: Date | null;
};

export async function insertErasure(
  trx: Db,
  erasure: Pick<Erasure, 'projectId' | 'kind' | 'pseudonym' | 'phase'> & {
    readonly idPseudonym: string;
    readonly requestedBy: object;
    seal(erasureId: string): string;
  },
): Promise<Erasure> {
  const id = newId();
  const [row] = await trx('user_erasures')
    .insert({
      id,
      project_id: erasure.projectId,
      kind: erasure.kind,
      pseudonym: erasure.pseudonym,
      id_pseudonym: erasure.idPseudonym,
      person_sealed: erasure.seal(id),
      phase: erasure.phase,
      requested_by: JSON.stringify(erasure.requestedBy),
    })
    .returning('*');
  return fromRow(row);
}

export async function findErasure(db: Db, projectId: string, id: string): Promise<Erasure | undefined> {
  const row = await db('user_erasures').where({ id, project_id: projectId }).first();
  return row && fromRow(row);
}

export async function findErasureOfAnyProject(db: Db, id: string): Promise<Erasure | undefined> {
  const row = await db('user_erasures').where({ id }).first();
  return row && fromRow(row);
}

/** The last one of a person, known by the pseudonym of either id. */
export async function findErasureOfPerson(
  db: Db,
  projectId: string,
  { byUserId, byId }: { readonly byUserId: string; readonly byId: string },
): Promise<Erasure | undefined> {
  const row = await db('user_erasures')
    .where({ project_id: projectId })
    .where((of) => of.where({ pseudonym: byUserId }).orWhere({ id_pseudonym: byId }))
    .orderBy('id', 'desc')
    .first();
  return row && fromRow(row);
}

export async function listErasures(
  db: Db,
  filter: { readonly projectId: string; readonly beforeId: string | undefined; readonly limit: number },
): Promise<Erasure[]> {
  const query = db('user_erasures').where({ project_id: filter.projectId });
  if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
  return (await query.orderBy('id', 'desc').limit(filter.limit)).map(fromRow);
}

export async function saveProgress(
  trx: Db,
  id: string,
  { phase, walked }: Pick<Erasure, 'phase' | 'walked'>,
): Promise<void> {
  await trx('user_erasures').where({ id }).update({ phase, walked });
}

/** Adds to the numbers of the report. */
export async function countErased(trx: Db, id: string, kind: ErasedKind, count: number): Promise<void> {
  if (count === 0) return;
  await trx.raw(
    `UPDATE user_erasures SET erased = erased || jsonb_build_object(CAST(:kind AS text),
       coalesce(CAST(erased ->> :kind AS bigint), 0) + CAST(:count AS bigint)) WHERE id = :id`,
    { id, kind, count },
  );
}

/** Ends the report; the sealed text knows the application's id no more. */
export async function finishErasure(trx: Db, id: string, personSealed: string): Promise<void> {
  await trx('user_erasures')
    .where({ id })
    .update({ state: 'done', finished_at: trx.fn.now(), person_sealed: personSealed });
}

export async function countSweep(trx: Db, id: string): Promise<void> {
  await trx('user_erasures').where({ id }).increment('sweeps', 1);
}

/** Forgets who it was: the report stays. */
export async function forgetPerson(trx: Db, id: string): Promise<void> {
  await trx('user_erasures').where({ id }).update({ person_sealed: null });
  await trx('user_erasure_connections').where({ erasure_id: id }).delete();
}

/** Erases reports that are older than the activity is kept; a batch. */
export async function purgeErasuresOfAnyProject(db: Db, before: Date): Promise<void> {
  await db('user_erasures').where('finished_at', '<', before).whereNull('person_sealed').delete();
}

function fromRow(row: Row): Erasure {
  return {
    id: row.id,
    projectId: row.project_id,
    kind: row.kind,
    pseudonym: row.pseudonym,
    personSealed: row.person_sealed,
    state: row.state,
    phase: row.phase,
    walked: row.walked,
    sweeps: row.sweeps,
    erased: row.erased,
    requestedBy: row.requested_by,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}
