import type { Db } from '../../platform/postgres/database.ts';
import type { Destination } from './destination.ts';

/** Counting ends here: more than any destination has, since later events wait in the feed. */
const COUNTED_MAX = 20_000;
const COUNTED_IN_ALL_MAX = 200_000;
const ERASED_AT_ONCE = 2_000;

/** What a destination has not received yet. */
export type Queue = {
  /** Deliveries that wait for an attempt. */
  readonly waiting: number;
  /** Events of the feed behind the cursor, wanted or not. */
  readonly behind: number;
  /** When the oldest of these events came. */
  readonly oldestAt: Date | null;
  readonly isReplaying: boolean;
};

type QueueRow = {
  id: string;
  waiting: string;
  behind: string;
  oldest_waiting: Date | null;
  oldest_behind: Date | null;
  is_replaying: boolean;
};

/** The queues of the destinations, by id. */
export async function readQueues(
  db: Db,
  destinations: readonly Pick<Destination, 'id'>[],
): Promise<Map<string, Queue>> {
  const { rows } = await db.raw<{ rows: QueueRow[] }>(
    `SELECT d.id, w.waiting, w.oldest_waiting, greatest(coalesce(h.position, 0) - d.position, 0) AS behind,
       CASE WHEN h.position > d.position THEN (SELECT e.created_at FROM events e
         WHERE e.project_id = d.project_id AND e.position > d.position ORDER BY e.position LIMIT 1) END AS oldest_behind,
       EXISTS (SELECT FROM event_replays r WHERE r.destination_id = d.id) AS is_replaying
     FROM event_destinations d
     LEFT JOIN event_heads h ON h.project_id = d.project_id
     CROSS JOIN LATERAL (SELECT count(*) AS waiting, min(created_at) AS oldest_waiting FROM (
       SELECT created_at FROM deliveries
       WHERE destination_id = d.id AND next_attempt_at IS NOT NULL LIMIT ?) AS counted) AS w
     WHERE d.id = ANY(?::uuid[])`,
    [COUNTED_MAX, destinations.map(({ id }) => id)],
  );
  return new Map(rows.map((row) => [row.id, queueOf(row)]));
}

function queueOf(row: QueueRow): Queue {
  const times = [row.oldest_waiting, row.oldest_behind].flatMap((at) => (at === null ? [] : [at.getTime()]));
  return {
    waiting: Number(row.waiting),
    behind: Number(row.behind),
    oldestAt: times.length === 0 ? null : new Date(Math.min(...times)),
    isReplaying: row.is_replaying,
  };
}

/** The queues of all enabled destinations together, for the metrics; counted up to 200,000. */
export async function measureQueuesOfAnyProject(
  db: Db,
): Promise<{ waiting: number; oldestAt: Date | null; disabled: number }> {
  const { rows } = await db.raw<{ rows: { waiting: string; oldest: Date | null; disabled: string }[] }>(
    `SELECT count(*) AS waiting, min(created_at) AS oldest,
       (SELECT count(*) FROM event_destinations WHERE disabled_reason IN ('gone', 'failing')) AS disabled
     FROM (SELECT w.created_at FROM event_destinations d JOIN deliveries w ON w.destination_id = d.id
       WHERE d.disabled_reason IS NULL AND w.next_attempt_at IS NOT NULL LIMIT ?) AS counted`,
    [COUNTED_IN_ALL_MAX],
  );
  const [row] = rows;
  return {
    waiting: Number(row?.waiting ?? 0),
    oldestAt: row?.oldest ?? null,
    disabled: Number(row?.disabled ?? 0),
  };
}

/** Erases the deliveries of deleted destinations, a part at a time. */
export async function eraseLeftDeliveriesOfAnyProject(db: Db, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const [gone] = await db<{ id: string }>('deleted_event_destinations').limit(1);
    if (gone === undefined) return;
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM deliveries WHERE (id, created_at) IN (
         SELECT id, created_at FROM deliveries WHERE destination_id = ? LIMIT ?)`,
      [gone.id, ERASED_AT_ONCE],
    );
    if (rowCount < ERASED_AT_ONCE) await db('deleted_event_destinations').where({ id: gone.id }).delete();
  }
}
