import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId } from '../../lib/ids.ts';
import { type DataKey, type DataKeys, formatDay } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { type EventHead, type EventObject, type EventSource, type NewEvent, timeOfId } from './event.ts';

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
  organization: string | null;
  object_type: string | null;
  object_id: string | null;
  change: EventObject['change'] | null;
  data_sealed: Buffer;
}>;

/** A row that has no position yet. */
export type UnplacedRow = Omit<EventRow, 'position'>;

/** By name, so that connections keep the statements that bring them (platform/postgres/statement-names.ts). */
export const UNPLACED_COLUMNS = [
  ...['id', 'created_at', 'project_id', 'type', 'source', 'integration_id', 'connection_id', 'end_user_id'],
  ...['subject', 'organization', 'object_type', 'object_id', 'change', 'data_sealed'],
] as const satisfies readonly (keyof UnplacedRow)[];

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
      organization: event.organization ?? null,
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
    organization: row.organization,
    source: row.source,
    ...(row.object_type !== null &&
      row.object_id !== null &&
      row.change !== null && { object: { type: row.object_type, id: row.object_id, change: row.change } }),
  };
}
