import { isIP } from 'node:net';
import type { Knex } from 'knex';
import { principalId } from '../http/principal.ts';
import { createIdBound, newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import { type Actor, type Change, findSubjectKind } from './actions.ts';

/** By name, so that connections keep the statement (platform/postgres/statement-names.ts). */
const COLUMNS = [
  ...['id', 'project_id', 'actor_kind', 'actor_id', 'source_address', 'action'],
  ...['subject_kind', 'subject_id', 'request_id', 'details', 'created_at'],
] as const satisfies readonly (keyof ActivityRow)[];

/** Appends to the audit log; the entries as they are there. */
export async function insertActivity(trx: Db, changes: readonly Change[]): Promise<ActivityRow[]> {
  const entries: ActivityRow[] = await trx('activity').insert(changes.map(rowOf)).returning(COLUMNS);
  return entries;
}

function rowOf(change: Change) {
  const { actor, details } = change;
  return {
    id: newId(),
    project_id: change.projectId,
    actor_kind: actor.kind,
    actor_id: actor.kind === 'gateway' ? null : principalId(actor),
    source_address: addressOf(actor),
    action: change.action,
    subject_kind: findSubjectKind(change),
    subject_id: change.subjectId,
    request_id: actor.requestId ?? null,
    details: JSON.stringify(details),
  };
}

/** A trusted proxy may still send text that is not an address. */
function addressOf({ sourceAddress }: Actor): string | null {
  return sourceAddress !== undefined && isIP(sourceAddress) !== 0 ? sourceAddress : null;
}

export type ActivityRow = Readonly<{
  id: string;
  project_id: string | null;
  actor_kind: Actor['kind'];
  actor_id: string | null;
  source_address: string | null;
  action: string;
  subject_kind: string;
  subject_id: string | null;
  request_id: string | null;
  details: Record<string, unknown>;
  created_at: Date;
  /** What people call the actor now; left out where it was not asked for. */
  actor_name?: string | null;
  /** The same of what the entry is about. */
  subject_name?: string | null;
}>;

export type ActivityFilter = {
  readonly projectIds: readonly string[];
  /** Also includes entries outside any project where this operator is the actor or the subject. */
  readonly ownOfOperatorId?: string | undefined;
  readonly action?: string | undefined;
  readonly actorKind?: Actor['kind'] | undefined;
  readonly actorId?: string | undefined;
  readonly subjectKind?: string | undefined;
  readonly subjectId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly beforeId?: string | undefined;
  readonly limit: number;
};

/** Entries of the given projects, newest first. */
export async function listActivity(db: Db, filter: ActivityFilter): Promise<ActivityRow[]> {
  const { ownOfOperatorId, fromMs, toMs, beforeId } = filter;
  const query = db<ActivityRow>('activity').where((visible) => {
    visible.whereIn('project_id', filter.projectIds);
    if (ownOfOperatorId === undefined) return;
    visible.orWhere((own) =>
      own
        .whereNull('project_id')
        .where((concerned) =>
          concerned
            .where({ actor_kind: 'operator', actor_id: ownOfOperatorId })
            .orWhere({ subject_kind: 'operator', subject_id: ownOfOperatorId }),
        ),
    );
  });
  const equal: Record<string, string | undefined> = {
    action: filter.action,
    actor_kind: filter.actorKind,
    actor_id: filter.actorId,
    subject_kind: filter.subjectKind,
    subject_id: filter.subjectId,
    request_id: filter.requestId,
  };
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) query.where(column, value);
  if (fromMs !== undefined) query.where('id', '>=', createIdBound(fromMs));
  if (toMs !== undefined) query.where('id', '<', createIdBound(toMs));
  if (beforeId !== undefined) query.where('id', '<', beforeId);
  return withNames(db, query.orderBy('id', 'desc').limit(filter.limit).select('*'));
}

/** The entries with the names of their actors, which are looked up for these entries alone. */
function withNames(db: Db, entries: Knex.QueryBuilder): Promise<ActivityRow[]> {
  const isActor = (kind: Actor['kind'], id: string) => (on: Knex.JoinClause) =>
    on.on(id, 'a.actor_id').andOnVal('a.actor_kind', '=', kind);
  const isSubject = (kind: string, id: string) => (on: Knex.JoinClause) =>
    on.on(id, 'a.subject_id').andOnVal('a.subject_kind', '=', kind);
  return db
    .from(entries.as('a'))
    .leftJoin('operators AS o', isActor('operator', 'o.id'))
    .leftJoin('api_keys AS k', isActor('api_key', 'k.id'))
    .leftJoin('end_users AS u', isActor('end_user', 'u.id'))
    .leftJoin('connections AS sc', isSubject('connection', 'sc.id'))
    .leftJoin('end_users AS su', 'su.id', 'sc.end_user_id')
    .leftJoin('integrations AS si', isSubject('integration', 'si.id'))
    .leftJoin('api_keys AS sk', isSubject('api_key', 'sk.id'))
    .leftJoin('signing_keys AS ss', isSubject('signing_key', 'ss.id'))
    .leftJoin('polls AS sp', isSubject('poll', 'sp.id'))
    .leftJoin('event_destinations AS sd', isSubject('event_destination', 'sd.id'))
    .leftJoin('projects AS sj', isSubject('project', 'sj.id'))
    .leftJoin('operators AS so', isSubject('operator', 'so.id'))
    .leftJoin('mandates AS sm', isSubject('mandate', 'sm.id'))
    .leftJoin('custom_providers AS sv', isSubject('custom_provider', 'sv.id'))
    .leftJoin('end_users AS sg', isSubject('organization', 'sg.id'))
    .orderBy('a.id', 'desc')
    .select<ActivityRow[]>(
      'a.*',
      db.raw('host(a.source_address) AS source_address'),
      db.raw('coalesce(o.name, o.email, k.name, u.subject) AS actor_name'),
      db.raw(
        // Of an address the host alone: its path may hold what the receiver knows the sender by.
        `coalesce(sc.account_name, sc.account_id, su.subject, su.organization, si.name, si.service_provider,
          sk.name, ss.kid, sp.object_type, substring(sd.url from ?), sj.name, so.name, so.email, sm.name, sv.provider,
          sg.organization) AS subject_name`,
        ['^[a-z]+://([^/?#]+)'],
      ),
    );
}

/** Entries of one project made since a time, the oldest first. */
export async function listActivitySince(
  db: Db,
  projectId: string,
  sinceMs: number,
  limit: number,
): Promise<ActivityRow[]> {
  return db<ActivityRow>('activity')
    .where('project_id', projectId)
    .where('id', '>=', createIdBound(sinceMs))
    .orderBy('id')
    .limit(limit)
    .select('*', db.raw('host(source_address) AS source_address'));
}

const BATCH = 1_000;

/**
 * Erases entries older than `keepDays`, a batch at a time, until none is left or `signal` aborts; answers how many. Ids
 * begin with their time, so that the oldest are found by the primary key. The owners of deleted projects are erased
 * with their projects' last entries.
 */
export async function purgeActivityOfAnyProject(
  db: Db,
  { keepDays, signal }: { keepDays: number; signal: AbortSignal },
): Promise<number> {
  const bound = createIdBound(Date.now() - keepDays * DAY_MS);
  let purged = 0;
  while (!signal.aborted) {
    const batch = db('activity').where('id', '<', bound).orderBy('id').limit(BATCH).select('id');
    const erased = await db('activity').whereIn('id', batch).delete();
    purged += erased;
    if (erased < BATCH) break;
  }
  await db('deleted_project_owners')
    .where('deleted_at', '<', db.raw('now() - make_interval(days => ?)', [keepDays]))
    .delete();
  return purged;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
