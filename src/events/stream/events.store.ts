import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { newId } from '../../lib/ids.ts';
import { type DataKey, type DataKeys, formatDay } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { type EventHead, type EventObject, type EventSource, type NewEvent, timeOfId } from './event.ts';

/** An insert of so many rows is built within a few milliseconds. */
const ROWS_PER_INSERT = 500;
/** How many rows a reader looks at for the ones that it wants. */
export const SCANNED_MAX = 5_000;
/** Sealed payloads that one read brings into memory, but for a first one that is larger. */
const READ_BYTES_MAX = 3 * 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
/** Payloads that are sealed in one turn of the event loop. */
const LENGTH_PER_TURN = 2 * 1024 * 1024;
const EVENTS_PER_TURN = 500;
/** Opened in one turn of the event loop. */
const OPEN_BYTES_PER_TURN = 512 * 1024;

export type EventRow = Readonly<{
  id: string;
  created_at: Date;
  project_id: string;
  position: number;
  type: string;
  source: EventSource;
  integration_id: string | null;
  connection_id: string | null;
  end_user_id: string | null;
  subject: string | null;
  object_type: string | null;
  object_id: string | null;
  change: EventObject['change'] | null;
  data_sealed: Buffer;
}>;

/** A row that has no position yet. */
export type UnplacedRow = Omit<EventRow, 'position'>;

export type FeedFilter = {
  readonly projectId: string;
  readonly afterPosition: number;
  /** As `matchesTypes` takes them; all where undefined. */
  readonly types?: readonly string[] | undefined;
  readonly connectionIds?: readonly string[] | undefined;
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

/** Seals the payloads of new events for the rows that they will stand in. */
export async function sealEvents(
  trx: Db,
  dataKeys: DataKeys,
  projectId: string,
  events: readonly NewEvent[],
): Promise<UnplacedRow[]> {
  const rows: UnplacedRow[] = [];
  let sealedLength = 0;
  let ofDay: { readonly dayMs: number; readonly key: DataKey } | undefined;
  for (const event of events) {
    const id = event.id ?? newId();
    const timeMs = timeOfId(id);
    const dayMs = timeMs - (timeMs % DAY_MS);
    if (ofDay?.dayMs !== dayMs) {
      ofDay = { dayMs, key: await dataKeys.keyFor(trx, projectId, formatDay(timeMs)) };
    }
    // Some milliseconds of work; then others get their turn.
    sealedLength += event.dataText.length;
    if (sealedLength > LENGTH_PER_TURN || rows.length % EVENTS_PER_TURN === EVENTS_PER_TURN - 1) {
      sealedLength = 0;
      await nextTurn();
    }
    rows.push({
      id,
      created_at: new Date(timeMs),
      project_id: projectId,
      type: event.type,
      source: event.source,
      integration_id: event.integrationId,
      connection_id: event.connectionId,
      end_user_id: event.integrationUserId,
      subject: event.userId,
      object_type: event.object?.type ?? null,
      object_id: event.object?.id ?? null,
      change: event.object?.change ?? null,
      data_sealed: ofDay.key.seal(event.dataText, placeOf(id)),
    });
  }
  return rows;
}

/** The payload opens at this event only. */
const placeOf = (id: string) => `events.data ${id}`;

/**
 * Gives the rows of one project their positions and appends them. The project's head stays locked until `trx` commits,
 * which is what makes positions visible in their order: so this must be the last thing that a transaction does, and a
 * transaction may do it for one project only, else two of them may wait for each other.
 */
export async function placeEvents(trx: Db, rows: readonly UnplacedRow[]): Promise<void> {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return;
  const { rows: heads } = await trx.raw<{ rows: { position: number | string }[] }>(
    `INSERT INTO event_heads AS head (project_id, position, last_event_id) VALUES (?, ?, ?)
     ON CONFLICT (project_id) DO UPDATE
     SET position = head.position + excluded.position, last_event_id = excluded.last_event_id
     RETURNING position`,
    [first.project_id, rows.length, last.id],
  );
  const before = Number(heads[0]?.position) - rows.length;
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    await insertPlaced(trx, rows.slice(start, start + ROWS_PER_INSERT), before + start);
  }
}

/**
 * Four parameters for any number of rows: fourteen for each row cost the server more than the insert. The payloads go as
 * one, in binary, since in an array or in JSON they would be written in hexadecimal.
 */
async function insertPlaced(trx: Db, rows: readonly UnplacedRow[], before: number): Promise<void> {
  let start = 1;
  const described = rows.map(({ data_sealed: { length }, project_id: _project, ...row }) => {
    const own = { ...row, start, length };
    start += length;
    // A lone surrogate is no text, as JSON has it too; drivers replace it in parameters that are texts.
    const { type, subject, object_type, object_id } = row;
    return {
      ...own,
      type: type.toWellFormed(),
      subject: subject?.toWellFormed(),
      object_type: object_type?.toWellFormed(),
      object_id: object_id?.toWellFormed(),
    };
  });
  await trx.raw(
    `INSERT INTO events (project_id, id, created_at, position, type, source, integration_id, connection_id, end_user_id,
       subject, object_type, object_id, change, data_sealed)
     SELECT ?::uuid, e.id, e.created_at, ?::bigint + e.n, e.type, e.source, e.integration_id, e.connection_id,
       e.end_user_id, e.subject, e.object_type, e.object_id, e.change, substring(?::bytea FROM e.start FOR e.length)
     FROM ROWS FROM (jsonb_to_recordset(?::jsonb) AS (id uuid, created_at timestamptz, type text, source text,
       integration_id uuid, connection_id uuid, end_user_id uuid, subject text, object_type text, object_id text,
       change text, start integer, length integer)) WITH ORDINALITY
       AS e (id, created_at, type, source, integration_id, connection_id, end_user_id, subject, object_type, object_id,
         change, start, length, n)`,
    [
      rows[0]?.project_id ?? null,
      before,
      Buffer.concat(rows.map(({ data_sealed }) => data_sealed)),
      JSON.stringify(described),
    ],
  );
}

/** Events of a project in their order, the oldest first, at most so many and within a bounded size. */
export async function readFeed(db: Db, filter: FeedFilter): Promise<FeedPage> {
  const { projectId, afterPosition, limit } = filter;
  const { condition, values, isFiltered } = conditionOf(filter);
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

/** Which rows are wanted, as a condition of SQL with its values. */
export function conditionOf(filter: Omit<FeedFilter, 'projectId' | 'afterPosition' | 'limit'>) {
  const { types, connectionIds, integrationId, objectType } = filter;
  const conditions: string[] = [];
  const values: Knex.RawBinding[] = [];
  const restrict = (condition: string, value: Knex.RawBinding) => {
    conditions.push(condition);
    values.push(value);
  };
  if (types !== undefined) restrict('type LIKE ANY(?::text[])', types.map(likePattern));
  if (connectionIds !== undefined) restrict('connection_id = ANY(?::uuid[])', [...connectionIds]);
  if (integrationId !== undefined) restrict('integration_id = ?', integrationId);
  if (objectType !== undefined) restrict('object_type = ?', objectType);
  const isFiltered = conditions.length > 0;
  return { condition: conditions.join(' AND ') || 'true', values, isFiltered };
}

/** Whether the event is one of those that the filter wants. */
export async function matchesFilter(
  db: Db,
  id: string,
  filter: Pick<FeedFilter, 'types' | 'connectionIds'>,
): Promise<boolean> {
  const { condition, values } = conditionOf(filter);
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
 * The position of an event of the project. `expired`: no event of that time is kept any more. Undefined: the project
 * never had it.
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
  return timeMs < keptSinceMs ? 'expired' : undefined;
}

/** The position of the newest event of a project, 0 where it has none. */
export async function headPosition(db: Db, projectId: string): Promise<number> {
  const [head] = await db<{ project_id: string; position: number }>('event_heads')
    .where({ project_id: projectId })
    .select('position');
  return Number(head?.position ?? 0);
}

/** Opens the payloads: JSON texts in the order of the rows, and undefined where the project's keys are gone. */
export async function openEvents(
  db: Db,
  dataKeys: DataKeys,
  rows: readonly UnplacedRow[],
): Promise<(string | undefined)[]> {
  const texts: (string | undefined)[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (bytes > OPEN_BYTES_PER_TURN) {
      await nextTurn();
      bytes = 0;
    }
    bytes += row.data_sealed.length;
    const key = await dataKeys.findKey(db, row.project_id, formatDay(row.created_at.getTime()));
    texts.push(key?.open(row.data_sealed, placeOf(row.id)).toString('utf8'));
  }
  return texts;
}

/** What the envelope tells besides the payload. */
export function headOfRow(row: UnplacedRow): EventHead {
  return {
    id: row.id,
    type: row.type,
    createdAt: row.created_at,
    projectId: row.project_id,
    integrationId: row.integration_id,
    connectionId: row.connection_id,
    integrationUserId: row.end_user_id,
    userId: row.subject,
    source: row.source,
    ...(row.object_type !== null &&
      row.object_id !== null &&
      row.change !== null && { object: { type: row.object_type, id: row.object_id, change: row.change } }),
  };
}

/** Events of a project by id, for deliveries. */
export async function findEvents(db: Db, projectId: string, ids: readonly string[]): Promise<EventRow[]> {
  if (ids.length === 0) return [];
  const times = ids.map((id) => new Date(timeOfId(id)));
  const rows: EventRow[] = await db<EventRow>('events')
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
