import type { Knex } from 'knex';
import type { Db } from '../../platform/postgres/database.ts';
import { AUDIT_PREFIX, isAuditType, timeOfId } from './event.ts';
import { type EventRow, UNPLACED_COLUMNS } from './sealed-events.ts';

/** How many rows a reader looks at for the ones that it wants. */
export const SCANNED_MAX = 5_000;
/** Sealed payloads that one read brings into memory, but for a first one that is larger. */
const READ_BYTES_MAX = 3 * 1024 * 1024;
/** An event may stand behind one that was made this much later: positions follow the commits. */
const COMMITTED_LATE_MS = 600_000;

export type FeedFilter = {
  readonly projectId: string;
  readonly afterPosition: number;
  /** As `matchesTypes` takes them; all where undefined. */
  readonly types?: readonly string[] | undefined;
  readonly connectionIds?: readonly string[] | undefined;
  /** Tags that the connection has, as it is now. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly integrationId?: string | undefined;
  readonly objectType?: string | undefined;
  readonly limit: number;
  /** Of sealed payloads that come into memory, but for a first one that is larger. Default: 3 MiB. */
  readonly bytesMax?: number;
};

/** `scannedTo` is the event up to which the read looked: where the next one goes on, whether it matched or not. */
export type FeedPage = {
  readonly rows: EventRow[];
  readonly scannedTo: { readonly id: string; readonly position: number } | undefined;
  /** The read saw the end of the feed as it was. */
  readonly isAtEnd: boolean;
};

/** Events of a project in their order, the oldest first, at most so many and within a bounded size. */
export async function readFeed(db: Db, filter: FeedFilter): Promise<FeedPage> {
  const { projectId, afterPosition, limit } = filter;
  const { condition, values, isFiltered } = buildCondition(filter);
  const scannedMax = isFiltered ? SCANNED_MAX : limit;
  const { rows: scanned } = await db.raw<{ rows: ScannedRow[] }>(
    `SELECT id, position, length(data_sealed) AS bytes, ${condition} AS is_wanted
     FROM events WHERE project_id = ? AND position > ? ORDER BY position LIMIT ?`,
    [...values, projectId, afterPosition, scannedMax],
  );
  const { ids, scannedTo } = choosePage(scanned, limit, filter.bytesMax);
  const isAtEnd = scanned.length < scannedMax && scannedTo?.id === scanned.at(-1)?.id;
  return { rows: await findEvents(db, projectId, ids), scannedTo, isAtEnd };
}

/** Row by row, since other projects may have any number of connections of that tag. */
const HAS_TAGS =
  'EXISTS (SELECT 1 FROM connections AS tagged WHERE tagged.id = connection_id AND tagged.tags @> ?::jsonb)';
const LIKE_ANY = 'type LIKE ANY(?::text[])';
/** A provider of the project's own catalog may have any name. */
const NO_AUDIT = `NOT (source = 'gateway' AND starts_with(type, '${AUDIT_PREFIX}'))`;

/** Which rows are wanted, as a condition of SQL with its values. */
export function buildCondition(filter: Omit<FeedFilter, 'projectId' | 'afterPosition' | 'limit'>) {
  const { types, connectionIds, tags = {}, integrationId, objectType } = filter;
  const conditions: string[] = [];
  const values: Knex.RawBinding[] = [];
  const restrict = (condition: string, value: Knex.RawBinding) => {
    conditions.push(condition);
    values.push(value);
  };
  if (types !== undefined && !types.includes('*')) restrict(LIKE_ANY, types.map(likePattern));
  else restrict(`(${NO_AUDIT} OR ${LIKE_ANY})`, (types ?? []).filter(isAuditType).map(likePattern));
  if (connectionIds !== undefined) restrict('connection_id = ANY(?::uuid[])', [...connectionIds]);
  if (Object.keys(tags).length > 0) restrict(HAS_TAGS, JSON.stringify(tags));
  if (integrationId !== undefined) restrict('integration_id = ?', integrationId);
  if (objectType !== undefined) restrict('object_type = ?', objectType);
  // Few events are of the audit log, so that a page is nearly full without them.
  const isFiltered = conditions.length > 1 || types?.includes('*') === false;
  return { condition: conditions.join(' AND '), values, isFiltered };
}

/** Whether the event is one of those that the filter wants. */
export async function matchesFilter(
  db: Db,
  id: string,
  filter: Pick<FeedFilter, 'types' | 'connectionIds' | 'tags'>,
): Promise<boolean> {
  const { condition, values } = buildCondition(filter);
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `SELECT FROM events WHERE id = ? AND created_at = ? AND ${condition}`,
    [id, new Date(timeOfId(id)), ...values],
  );
  return rows.length > 0;
}

export type ScannedRow = { id: string; position: number | string; bytes: number; is_wanted: boolean };

/** The first rows that are wanted, within number and size. A page that was cut short goes on behind its last event. */
export function choosePage(
  scanned: readonly ScannedRow[],
  limit: number,
  bytesMax = READ_BYTES_MAX,
): { ids: string[]; scannedTo: FeedPage['scannedTo'] } {
  const ids: string[] = [];
  let bytes = 0;
  let scannedTo: FeedPage['scannedTo'];
  for (const row of scanned) {
    if (row.is_wanted) {
      bytes += row.bytes;
      if (ids.length === limit || (ids.length > 0 && bytes > bytesMax)) break;
      ids.push(row.id);
    }
    scannedTo = { id: row.id, position: Number(row.position) };
  }
  return { ids, scannedTo };
}

/** `\`, `%` and `_` stand for themselves. */
function likePattern(type: string): string {
  const text = type.replace(/[\\%_]/g, '\\$&');
  return text.endsWith('*') ? `${text.slice(0, -1)}%` : text;
}

/**
 * The position of an event of the project, or one before it where it has been erased. `expired`: no event of that time is
 * kept any more. Undefined: the project never had it.
 */
export async function findPosition(
  db: Db,
  projectId: string,
  id: string,
  keptSinceMs: number,
): Promise<number | 'expired' | undefined> {
  const timeMs = timeOfId(id);
  const [row] = await db<EventRow>('events')
    .where({ id, created_at: new Date(timeMs), project_id: projectId })
    .select('position');
  if (row !== undefined) return Number(row.position);
  const [head] = await db<{ project_id: string; position: number; last_event_id: string }>('event_heads')
    .where({ project_id: projectId })
    .select('position', 'last_event_id');
  // A reader that has read everything stays there, however long ago the last event was.
  if (head?.last_event_id === id) return Number(head.position);
  if (timeMs < keptSinceMs) return 'expired';
  const isOfFeed = head !== undefined && timeMs <= timeOfId(head.last_event_id) + COMMITTED_LATE_MS;
  return isOfFeed ? findErasedPosition(db, projectId, timeMs) : undefined;
}

/**
 * Where a reader goes on whose last event, of that time, may have been erased with its user: before all events that may
 * follow it, so that some come again. Undefined: no user of the project was erased.
 */
async function findErasedPosition(db: Db, projectId: string, timeMs: number): Promise<number | undefined> {
  const { rows } = await db.raw<{ rows: { position: number | string }[] }>(
    `SELECT coalesce(
       (SELECT position - 1 FROM events WHERE project_id = ? AND created_at >= ? ORDER BY position LIMIT 1),
       (SELECT position FROM event_heads WHERE project_id = ?)) AS position
     WHERE EXISTS (SELECT FROM user_erasures WHERE project_id = ?)`,
    [projectId, new Date(timeMs - COMMITTED_LATE_MS), projectId, projectId],
  );
  return rows[0] && Number(rows[0].position);
}

/** Events of a project by id, for deliveries. */
export async function findEvents(db: Db, projectId: string, ids: readonly string[]): Promise<EventRow[]> {
  if (ids.length === 0) return [];
  const times = ids.map((id) => new Date(timeOfId(id)));
  const rows: EventRow[] = await db('events')
    .select(...UNPLACED_COLUMNS, 'position')
    .whereRaw('(id, created_at) IN (SELECT * FROM unnest(?::uuid[], ?::timestamptz[]))', [[...ids], times])
    .where('project_id', projectId)
    .orderBy('position');
  return rows.map((row) => ({ ...row, position: Number(row.position) }));
}

/** How large the sealed payloads of the events are, by id. */
export async function measureEvents(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const times = ids.map((id) => new Date(timeOfId(id)));
  const { rows } = await db.raw<{ rows: { id: string; bytes: number }[] }>(
    `SELECT id, length(data_sealed) AS bytes FROM events
     WHERE (id, created_at) IN (SELECT * FROM unnest(?::uuid[], ?::timestamptz[])) AND project_id = ?`,
    [[...ids], times, projectId],
  );
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}
