import type { DataKeys } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Destination } from '../destinations/destination.ts';
import type { DestinationsStore } from '../destinations/destinations.store.ts';
import type { EventHead } from '../stream/event.ts';
import { findEvents, measureEvents, readFeed } from '../stream/events.store.ts';
import { headOfRow, openEvents } from '../stream/sealed-events.ts';
import { insertDeliveries } from './deliveries.store.ts';
import { type Delivery, newDelivery, orderKey } from './delivery.ts';
import { loadDue } from './due-deliveries.store.ts';

/** Deliveries that one look into the store takes, with their events. */
const STORE_PAGE = 25;

/** A delivery with its event, in memory. */
export type LoadedDelivery = {
  readonly delivery: Delivery;
  readonly event: EventHead;
  readonly dataText: string;
};

type Dependencies = {
  readonly db: Db;
  readonly dataKeys: DataKeys;
  readonly destinations: Pick<DestinationsStore, 'advance'>;
  now(): number;
};

/**
 * `entered`: deliveries that are new in the store; `known`: those that were there, which are not loaded; `position`: how
 * far the cursor has moved.
 */
export type TakenFromFeed = {
  readonly position: number;
  readonly entered: number;
  readonly known: number;
  readonly loaded: readonly LoadedDelivery[];
};

/**
 * Enters deliveries of the next events of the feed, and moves the cursor in the same transaction. Undefined: the feed
 * has nothing new. `destination_changed`: it was changed or is served elsewhere, and nothing was written.
 */
export async function takeFromFeed(
  { db, dataKeys, destinations, now }: Dependencies,
  destination: Destination,
  { limit, bytesMax }: { limit: number; bytesMax: number },
): Promise<TakenFromFeed | 'destination_changed' | undefined> {
  const { rows, scannedTo } = await readFeed(db, {
    projectId: destination.projectId,
    afterPosition: destination.position,
    types: destination.types,
    connectionIds: destination.connectionIds ?? undefined,
    tags: destination.tags,
    limit,
    bytesMax,
  });
  if (scannedTo === undefined) return undefined;
  const texts = await openEvents(db, dataKeys, rows);
  const at = new Date(now());
  const inserted = await db.transaction(async (trx) => {
    if (!(await destinations.advance(trx, destination, scannedTo.position))) return undefined;
    return insertDeliveries(trx, destination, rows, at);
  });
  if (inserted === undefined) return 'destination_changed';
  const loaded = rows.flatMap((row, index) => {
    const dataText = texts[index];
    const delivery = newDelivery(destination, row, at);
    // Sent again by hand before the cursor came to it: what is left to do of it is in the store.
    if (dataText === undefined || !inserted.has(delivery.id)) return [];
    return [{ delivery, event: headOfRow(row), dataText }];
  });
  const entered = inserted.size;
  return { position: scannedTo.position, entered, known: rows.length - entered, loaded };
}

/**
 * Loads deliveries that are due, without those that are `held` in memory and, where the order counts, others of their
 * connections. `expired`: their events are gone.
 */
export async function loadFromStore(
  { db, dataKeys, now }: Pick<Dependencies, 'db' | 'dataKeys' | 'now'>,
  destination: Destination,
  { held, freeBytes }: { held: readonly Delivery[]; freeBytes(): number },
): Promise<{ loaded: LoadedDelivery[]; expired: Delivery[]; hasMore: boolean }> {
  const due = await loadDue(db, {
    destination,
    now: new Date(now()),
    exceptIds: held.map(({ id }) => id),
    exceptKeys: held.map(orderKey),
    limit: STORE_PAGE,
  });
  const { projectId } = destination;
  const eventIds = due.map(({ eventId }) => eventId);
  const sizes = await measureEvents(db, projectId, eventIds);
  const chosen = chooseWithinBytes(due, sizes, freeBytes());
  const rows = await findEvents(db, projectId, eventIds.slice(0, chosen.length));
  const texts = await openEvents(db, dataKeys, rows);
  const events = new Map(
    rows.map((row, index) => [row.id, { event: headOfRow(row), dataText: texts[index] }]),
  );
  const loaded: LoadedDelivery[] = [];
  const expired: Delivery[] = [];
  for (const delivery of chosen) {
    const { event, dataText } = events.get(delivery.eventId) ?? {};
    if (event !== undefined && dataText !== undefined) loaded.push({ delivery, event, dataText });
    else expired.push(delivery);
  }
  return { loaded, expired, hasMore: due.length === STORE_PAGE || chosen.length < due.length };
}

/** The first of the deliveries, as far as there is room for their events; one at least. */
function chooseWithinBytes(
  due: readonly Delivery[],
  sizes: ReadonlyMap<string, number>,
  bytesMax: number,
): readonly Delivery[] {
  let freeBytes = bytesMax;
  const end = due.findIndex(({ eventId }, index) => {
    freeBytes -= sizes.get(eventId) ?? 0;
    return index > 0 && freeBytes < 0;
  });
  return end === -1 ? due : due.slice(0, end);
}
