import type { Db } from '../../platform/postgres/database.ts';
import type { Destination } from '../destinations/destination.ts';
import { type DeliveryRow, toDelivery } from './deliveries.store.ts';
import type { Delivery } from './delivery.ts';

/** How many events of one connection come into memory at once, where they are sent one after the other. */
const SAME_KEY_MAX = 50;

/** How many deliveries of the destination wait, counted up to `limit`. */
export async function countWaiting(db: Db, { id, projectId }: Destination, limit: number): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: string }[] }>(
    `SELECT count(*) AS count FROM (
       SELECT FROM deliveries
       WHERE project_id = ? AND destination_id = ? AND next_attempt_at IS NOT NULL LIMIT ?) AS waiting`,
    [projectId, id, limit],
  );
  return Number(rows[0]?.count ?? 0);
}

type DueFilter = {
  readonly destination: Destination;
  readonly now: Date;
  /** Deliveries that are in memory already. */
  readonly exceptIds: readonly string[];
  /** Connections of which something is in memory; see `orderKey`. For destinations that keep the order. */
  readonly exceptKeys: readonly string[];
  readonly limit: number;
};

/** Deliveries that are due, the longest waiting first. */
export async function loadDue(db: Db, filter: DueFilter): Promise<Delivery[]> {
  const { destination, now, exceptIds, limit } = filter;
  if (destination.ordered === 'connection') return loadDueInOrder(db, filter);
  const rows = await db<DeliveryRow>('deliveries')
    .where({ project_id: destination.projectId, destination_id: destination.id })
    .where('next_attempt_at', '<=', now)
    .whereRaw('id <> ALL(?::uuid[])', [[...exceptIds]])
    .orderBy('next_attempt_at')
    .limit(limit)
    .select('*');
  return rows.map(toDelivery);
}

/** The first deliveries of each connection whose very first one is due, in the order of the feed. */
async function loadDueInOrder(
  db: Db,
  { destination, now, exceptKeys, limit }: DueFilter,
): Promise<Delivery[]> {
  const { rows } = await db.raw<{ rows: DeliveryRow[] }>(
    `SELECT * FROM (
       SELECT *, row_number() OVER lane AS place, first_value(next_attempt_at) OVER lane AS head_at
       FROM deliveries WHERE project_id = ? AND destination_id = ? AND next_attempt_at IS NOT NULL
         AND coalesce(connection_id::text, '') <> ALL(?::text[])
       WINDOW lane AS (PARTITION BY connection_id ORDER BY position)
     ) AS waiting WHERE head_at <= ? AND place <= ? ORDER BY position LIMIT ?`,
    [destination.projectId, destination.id, [...exceptKeys], now, SAME_KEY_MAX, limit],
  );
  return rows.map(toDelivery);
}

/** When a delivery of the destination is due next; undefined where none waits. */
export async function findNextDue(
  db: Db,
  { id, projectId, ordered }: Destination,
): Promise<Date | undefined> {
  const waiting =
    'FROM deliveries WHERE project_id = ? AND destination_id = ? AND next_attempt_at IS NOT NULL';
  const heads =
    ordered === 'connection'
      ? `(SELECT DISTINCT ON (connection_id) next_attempt_at ${waiting} ORDER BY connection_id, position) AS heads`
      : `(SELECT next_attempt_at ${waiting} ORDER BY next_attempt_at LIMIT 1) AS heads`;
  const { rows } = await db.raw<{ rows: { due: Date | null }[] }>(
    `SELECT min(next_attempt_at) AS due FROM ${heads}`,
    [projectId, id],
  );
  return rows[0]?.due ?? undefined;
}
