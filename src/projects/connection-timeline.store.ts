import { type ActivityFilter, type ActivityRow, listActivity } from '../activity/activity.store.ts';
import { createIdBound } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';

const ACTION = 'connection.refreshed';
/** Where the part of an id begins that does not tell its time. */
const RANDOM_PART = 14;

type Refreshed = {
  readonly id: string;
  readonly project_id: string;
  readonly integration_id: string;
  readonly end_user_id: string;
  readonly account: string | null;
  readonly refreshed_at: Date;
};

/**
 * Entries of the given projects, newest first. Those about one connection have its newest refresh among them, which its row
 * tells: an entry for each would be some fifty a day of a connection that no person did anything to.
 */
export async function listTimeline(db: Db, filter: ActivityFilter): Promise<ActivityRow[]> {
  const [entries, refresh] = await Promise.all([listActivity(db, filter), findRefresh(db, filter)]);
  if (refresh === undefined) return entries;
  return [...entries, refresh].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, filter.limit);
}

async function findRefresh(db: Db, filter: ActivityFilter): Promise<ActivityRow | undefined> {
  const { subjectId } = filter;
  if (subjectId === undefined || !mayBeRefresh(filter)) return undefined;
  const row = await db('connections')
    .where({ id: subjectId })
    .whereIn('project_id', filter.projectIds)
    .whereNotNull('refreshed_at')
    .first<Refreshed | undefined>([
      ...['id', 'project_id', 'integration_id', 'end_user_id', 'refreshed_at'],
      db.raw('coalesce(account_name, account_id) AS account'),
    ]);
  if (row === undefined) return undefined;
  const entry = entryOf(row);
  return isWithin(entry, filter) ? entry : undefined;
}

function mayBeRefresh({ action, subjectKind, actorKind, actorId, requestId }: ActivityFilter): boolean {
  return (
    (action === undefined || action === ACTION) &&
    (subjectKind === undefined || subjectKind === 'connection') &&
    (actorKind === undefined || actorKind === 'gateway') &&
    actorId === undefined &&
    requestId === undefined
  );
}

function isWithin({ id, created_at }: ActivityRow, { fromMs, toMs, beforeId }: ActivityFilter): boolean {
  const ms = created_at.getTime();
  return (
    (fromMs === undefined || ms >= fromMs) &&
    (toMs === undefined || ms < toMs) &&
    (beforeId === undefined || id < beforeId)
  );
}

/** Its id is the same whenever it is read, and has its place among those of the log. */
function entryOf(row: Refreshed): ActivityRow {
  return {
    id: `${createIdBound(row.refreshed_at.getTime()).slice(0, RANDOM_PART)}${row.id.slice(RANDOM_PART)}`,
    project_id: row.project_id,
    actor_kind: 'gateway',
    actor_id: null,
    source_address: null,
    action: ACTION,
    subject_kind: 'connection',
    subject_id: row.id,
    request_id: null,
    details: { integrationId: row.integration_id, integrationUserId: row.end_user_id },
    created_at: row.refreshed_at,
    subject_name: row.account,
  };
}
