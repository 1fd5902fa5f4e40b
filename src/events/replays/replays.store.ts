import { newId } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { DeliveryState } from '../deliveries/delivery.ts';
import type { Destination } from '../destinations/destination.ts';

type Row = {
  id: string;
  destination_id: string;
  position: number | string;
  to_position: number | string;
  from_at: Date | null;
  to_at: Date | null;
  states: DeliveryState[] | null;
};

/** Events of the feed that a destination is to receive again. */
export type Replay = Readonly<{
  id: string;
  destinationId: string;
  /** The last event that has been dealt with. */
  position: number;
  toPosition: number;
  from: Date | null;
  to: Date | null;
  /** Null: also events that the destination never received. */
  states: readonly DeliveryState[] | null;
}>;

export async function insertReplay(trx: Db, replay: Omit<Replay, 'id'>): Promise<Replay> {
  const id = newId();
  await trx('event_replays').insert({
    id,
    destination_id: replay.destinationId,
    position: replay.position,
    to_position: replay.toPosition,
    from_at: replay.from,
    to_at: replay.to,
    states: replay.states,
  });
  return { ...replay, id };
}

export async function findReplay(db: Db, id: string): Promise<Replay | undefined> {
  const row = await db<Row>('event_replays').where({ id }).first();
  return (
    row && {
      id: row.id,
      destinationId: row.destination_id,
      position: Number(row.position),
      toPosition: Number(row.to_position),
      from: row.from_at,
      to: row.to_at,
      states: row.states,
    }
  );
}

/** Replays of the destination that are under way, and how many events each has not looked at yet. */
export async function listReplays(
  db: Db,
  destinationId: string,
): Promise<{ id: string; remaining: number; createdAt: Date }[]> {
  const rows = await db<Row & { created_at: Date }>('event_replays')
    .where({ destination_id: destinationId })
    .orderBy('id')
    .select('*');
  return rows.map((row) => ({
    id: row.id,
    remaining: Math.max(0, Number(row.to_position) - Number(row.position)),
    createdAt: row.created_at,
  }));
}

/** False where another process has gone on with it meanwhile. */
export async function advanceReplay(trx: Db, { id, position }: Replay, to: number): Promise<boolean> {
  return (await trx('event_replays').where({ id, position }).update({ position: to })) > 0;
}

export async function deleteReplay(db: Db, id: string): Promise<void> {
  await db('event_replays').where({ id }).delete();
}

/** Replays under way of the destination, and of its whole project. */
export async function countReplays(
  db: Db,
  { id, projectId }: Pick<Destination, 'id' | 'projectId'>,
): Promise<{ ofDestination: number; ofProject: number }> {
  const { rows } = await db.raw<{ rows: { of_destination: string; of_project: string }[] }>(
    `SELECT count(*) AS of_project, count(*) FILTER (WHERE r.destination_id = ?) AS of_destination
     FROM event_replays r JOIN event_destinations d ON d.id = r.destination_id WHERE d.project_id = ?`,
    [id, projectId],
  );
  return { ofDestination: Number(rows[0]?.of_destination), ofProject: Number(rows[0]?.of_project) };
}

/** The position before the first event of the project that came at that time or later; undefined: there is none. */
export async function findPositionBefore(db: Db, projectId: string, from: Date): Promise<number | undefined> {
  const row = await db<{ project_id: string; created_at: Date; position: number | string }>('events')
    .where({ project_id: projectId })
    .where('created_at', '>=', from)
    .orderBy('position')
    .first('position');
  return row && Number(row.position) - 1;
}
