import { type Principal, principalId } from '../http/principal.ts';
import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';

/** What nobody asked for, such as a refresh that failed for good, is done by the gateway itself. */
export type Actor = Principal | { readonly kind: 'gateway' };

export type ActivityEntry = {
  /** Null for what belongs to no project: an operator's own credentials, a project that is gone. */
  readonly projectId: string | null;
  readonly actor: Actor;
  /** `<subject>.<past participle>`: `api_key.created`. */
  readonly action: string;
  readonly subjectKind: string;
  readonly subjectId: string | null;
  /** Shown to operators as it is: names, ids, counts; never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
};

export type RecordActivity = (trx: Db, entry: ActivityEntry) => Promise<void>;

/** Appends to the audit log. In the transaction of the change, so that neither stands without the other. */
export const recordActivity: RecordActivity = async (trx, entry) => {
  await trx('activity').insert({
    id: newId(),
    project_id: entry.projectId,
    actor_kind: entry.actor.kind,
    actor_id: entry.actor.kind === 'gateway' ? null : principalId(entry.actor),
    action: entry.action,
    subject_kind: entry.subjectKind,
    subject_id: entry.subjectId,
    details: JSON.stringify(entry.details),
  });
};

export type ActivityRow = Readonly<{
  id: string;
  project_id: string | null;
  actor_kind: Actor['kind'];
  actor_id: string | null;
  action: string;
  subject_kind: string;
  subject_id: string | null;
  details: Record<string, unknown>;
  created_at: Date;
}>;

export type ActivityFilter = {
  readonly projectIds: readonly string[];
  /** Also what this operator did outside any project. */
  readonly ownOfOperatorId?: string | undefined;
  readonly action?: string | undefined;
  readonly subjectId?: string | undefined;
  readonly beforeId?: string | undefined;
  readonly limit: number;
};

/** Entries of the given projects, newest first. */
export async function listActivity(db: Db, filter: ActivityFilter): Promise<ActivityRow[]> {
  const { ownOfOperatorId, action, subjectId, beforeId } = filter;
  const query = db<ActivityRow>('activity').where((visible) => {
    visible.whereIn('project_id', filter.projectIds);
    if (ownOfOperatorId === undefined) return;
    visible.orWhere((own) =>
      own.whereNull('project_id').where({ actor_kind: 'operator', actor_id: ownOfOperatorId }),
    );
  });
  if (action !== undefined) query.where({ action });
  if (subjectId !== undefined) query.where({ subject_id: subjectId });
  if (beforeId !== undefined) query.where('id', '<', beforeId);
  return query.orderBy('id', 'desc').limit(filter.limit).select('*');
}
