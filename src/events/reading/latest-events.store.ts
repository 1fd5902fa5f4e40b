import type { Db } from '../../platform/postgres/database.ts';
import { timeOfId } from '../stream/event.ts';
import {
  buildCondition,
  choosePage,
  type FeedFilter,
  findEvents,
  SCANNED_MAX,
  type ScannedRow,
} from '../stream/events.store.ts';
import type { EventRow } from '../stream/sealed-events.ts';

/** So many parts of the feed one page looks at for events that are wanted. */
const SCANS_MAX = 10;
/** So many of the newest events tell which types there are. */
const TYPES_SCANNED_MAX = 20_000;
const TYPES_MAX = 200;

type LatestFilter = Omit<FeedFilter, 'afterPosition'> & { readonly beforePosition: number };

/** `next` is the last event that was looked at, where there may be older ones. */
export type LatestPage = { readonly rows: EventRow[]; readonly next: string | undefined };

/** Events of a project, the newest first, at most so many and within a bounded size. */
export async function readLatest(db: Db, filter: LatestFilter): Promise<LatestPage> {
  const { projectId, limit } = filter;
  const { condition, values, isFiltered } = buildCondition(filter);
  const scannedMax = isFiltered ? SCANNED_MAX : limit;
  let { beforePosition } = filter;
  for (let scan = 1; ; scan += 1) {
    const { rows: scanned } = await db.raw<{ rows: ScannedRow[] }>(
      `SELECT id, position, length(data_sealed) AS bytes, ${condition} AS is_wanted
       FROM events WHERE project_id = ? AND position < ? ORDER BY position DESC LIMIT ?`,
      [...values, projectId, beforePosition, scannedMax],
    );
    const { ids, scannedTo } = choosePage(scanned, limit);
    const isLast = scanned.length < scannedMax && scannedTo?.id === scanned.at(-1)?.id;
    if (ids.length > 0 || isLast || scannedTo === undefined || scan === SCANS_MAX) {
      const rows = await findEvents(db, projectId, ids);
      return { rows: rows.reverse(), next: isLast ? undefined : scannedTo?.id };
    }
    beforePosition = scannedTo.position;
  }
}

/** An event of one of the projects. */
export async function findEvent(
  db: Db,
  id: string,
  projectIds: readonly string[],
): Promise<(EventRow & { readonly projectId: string }) | undefined> {
  const row = await db<EventRow>('events')
    .where({ id, created_at: new Date(timeOfId(id)) })
    .whereIn('project_id', projectIds)
    .first();
  return row && { ...row, position: Number(row.position), projectId: row.project_id };
}

export type SeenType = { readonly type: string; readonly objectType: string | null; readonly lastAt: Date };

/** The types of the newest 20,000 events, by name. */
export async function listSeenTypes(db: Db, projectId: string): Promise<SeenType[]> {
  const { rows } = await db.raw<{ rows: { type: string; object_type: string | null; last_at: Date }[] }>(
    `SELECT type, max(object_type) AS object_type, max(created_at) AS last_at FROM (
       SELECT type, object_type, created_at FROM events WHERE project_id = ? ORDER BY position DESC LIMIT ?
     ) AS newest GROUP BY type ORDER BY type LIMIT ?`,
    [projectId, TYPES_SCANNED_MAX, TYPES_MAX],
  );
  return rows.map((row) => ({ type: row.type, objectType: row.object_type, lastAt: row.last_at }));
}
