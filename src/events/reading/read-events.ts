import { setTimeout as delay } from 'node:timers/promises';
import { HttpError } from '../../http/errors.ts';
import type { DataKeys } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { AppendNotices } from '../stream/append-notices.ts';
import { BEFORE_ALL_EVENTS, envelopeText } from '../stream/event.ts';
import { findPosition, readFeed } from '../stream/events.store.ts';
import { type EventRow, headOfRow, openEvents } from '../stream/sealed-events.ts';
import type { EventsQuery } from './events.schema.ts';

/** A notice may be lost with its process. */
const LOOK_AGAIN_MS = 1_000;
/** The shortest and the longest pause between two looks in vain of one caller, while there are ever more events. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;
const WAITING_PER_PROJECT_MAX = 100;
const WAITING_MAX = 2_000;
/** A caller beyond these limits that were answered at once would ask again at once, and use up its rate limit. */
const CROWDED_PAUSE_MS = 2_000;
const DAY_MS = 24 * 3_600_000;

type ReadEventsDependencies = {
  readonly db: Db;
  readonly dataKeys: DataKeys;
  readonly notices: Pick<AppendNotices, 'onAppended'>;
  readonly keepDays: number;
  isDraining(): boolean;
  now(): number;
};

/** Envelopes of rows as JSON texts; an event whose project was deleted meanwhile is left out. */
export async function openEnvelopes(
  db: Db,
  dataKeys: DataKeys,
  rows: readonly EventRow[],
): Promise<string[]> {
  const texts = await openEvents(db, dataKeys, rows);
  return rows.flatMap((row, index) => {
    const text = texts[index];
    return text === undefined ? [] : [envelopeText(headOfRow(row), text)];
  });
}

/** Reads the feed for callers of the API, some of whom wait for events to come. */
export function createReadEvents(deps: ReadEventsDependencies) {
  const { db, dataKeys, now } = deps;
  const waiting = createWaiting(deps);

  async function startPosition(projectId: string, after: string): Promise<number> {
    if (after === BEFORE_ALL_EVENTS) return 0;
    const keptSinceMs = now() - deps.keepDays * DAY_MS;
    const position = await findPosition(db, projectId, after, keptSinceMs);
    if (position === 'expired') throw new HttpError('events_expired');
    if (position !== undefined) return position;
    throw new HttpError('invalid_request', {
      detail: 'The project has no event with this id.',
      errors: [{ path: 'query.after', message: 'no event of this project; take it from `nextAfter`' }],
    });
  }

  /** The page as JSON text of an EventList. `signal` aborts when the caller is gone. */
  return async (projectId: string, query: EventsQuery, signal: AbortSignal): Promise<string> => {
    const { connectionId, types, integrationId, objectType, limit, tag: tags } = query;
    const after = query.after.toLowerCase();
    const filter = {
      projectId,
      types,
      integrationId,
      objectType,
      tags,
      limit,
      connectionIds: connectionId === undefined ? undefined : [connectionId],
    };
    const untilMs = now() + query.wait * 1_000;
    let position = await startPosition(projectId, after);
    let nextAfter = after;
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const appended = waiting.listen(projectId);
      try {
        const { rows, scannedTo, isAtEnd } = await readFeed(db, { ...filter, afterPosition: position });
        if (scannedTo !== undefined) {
          nextAfter = scannedTo.id;
          position = scannedTo.position;
        }
        const leftMs = untilMs - now();
        const isDone = rows.length > 0 || leftMs <= 0 || signal.aborted || deps.isDraining();
        if (isDone) return listText(await openEnvelopes(db, dataKeys, rows), nextAfter);
        if (!isAtEnd) continue;
        // Events that no reader here wants must not have every caller look for each of them.
        const lookedAtMs = now();
        const mayWait = await appended.wait(leftMs, signal);
        if (!mayWait) return listText([], nextAfter);
        const waitedMs = now() - lookedAtMs;
        if (waitedMs < pauseMs) await delay(pauseMs - waitedMs, undefined, { signal }).catch(() => undefined);
        pauseMs = waitedMs < LONGEST_PAUSE_MS ? Math.min(pauseMs * 2, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS;
      } finally {
        appended.end();
      }
    }
  };
}

function listText(envelopes: readonly string[], nextAfter: string): string {
  return `{"events":[${envelopes.join(',')}],"nextAfter":"${nextAfter}"}`;
}

/** Callers that wait for events. Those beyond the limits hear of none, and are answered after a short pause. */
function createWaiting({ notices }: Pick<ReadEventsDependencies, 'notices'>) {
  const wakes = new Map<string, Set<() => void>>();
  let total = 0;
  notices.onAppended((projectId) => {
    for (const wake of wakes.get(projectId) ?? []) wake();
  });

  return {
    /** Hears of events that are appended from now on. */
    listen(projectId: string) {
      const ofProject = wakes.get(projectId) ?? new Set();
      const { promise, resolve } = Promise.withResolvers<void>();
      const hasRoom = ofProject.size < WAITING_PER_PROJECT_MAX && total < WAITING_MAX;
      if (hasRoom) {
        wakes.set(projectId, ofProject.add(resolve));
        total += 1;
      }
      return {
        /** False, after a pause, where there is no room to wait. */
        async wait(leftMs: number, signal: AbortSignal): Promise<boolean> {
          if (!hasRoom) {
            await delay(Math.min(leftMs, CROWDED_PAUSE_MS), undefined, { signal }).catch(() => undefined);
            return false;
          }
          const timer = setTimeout(resolve, Math.min(leftMs, LOOK_AGAIN_MS));
          const giveUp = () => resolve();
          signal.addEventListener('abort', giveUp, { once: true });
          await promise;
          clearTimeout(timer);
          signal.removeEventListener('abort', giveUp);
          return true;
        },
        end(): void {
          if (!ofProject.delete(resolve)) return;
          total -= 1;
          if (ofProject.size === 0) wakes.delete(projectId);
        },
      };
    },
  };
}
