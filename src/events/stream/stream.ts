import { createCoalescedRuns } from '../../lib/coalesced-runs.ts';
import type { DataKeys } from '../../platform/data-keys.ts';
import { afterCommit } from '../../platform/postgres/after-commit.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { AppendNotices } from './append-notices.ts';
import type { NewEvent } from './event.ts';
import { enqueueEvents, listProjectsWithOutbox, OUTBOX_BATCH, publishOutbox } from './outbox.store.ts';
import { placeEvents } from './place-events.store.ts';
import { sealEvents } from './sealed-events.ts';

/** Appends events to a project's stream and answers their ids. It must be the last thing that the transaction does. */
export type AppendEvents = (
  trx: Db,
  projectId: string,
  events: readonly NewEvent[],
) => Promise<readonly string[]>;

/** Keeps events for the stream, anywhere in a transaction; they are published as soon as that has committed. */
export type EnqueueEvents = (trx: Db, projectId: string, events: readonly NewEvent[]) => Promise<void>;

const PROJECTS_MAX = 100;

/** The writing side of the stream of events. */
export function createEventStream(deps: {
  db: Db;
  dataKeys: DataKeys;
  notices: AppendNotices;
  /** Counts what the project makes the store keep. */
  note?(projectId: string, kind: 'events', amount: { rows: number; bytes: number }): void;
  log: { warn(fields: object, message: string): void };
}) {
  const { db, dataKeys, notices, log } = deps;
  const publishing = createCoalescedRuns(async (projectId) => {
    try {
      await publishAll(projectId);
    } catch (error) {
      log.warn({ err: error, projectId }, 'events stay in the outbox for now');
    }
  });

  async function publishAll(projectId: string): Promise<void> {
    let published = 0;
    do {
      published = await publishOutbox(db, projectId);
      if (published > 0) notices.noteAppended(projectId);
    } while (published === OUTBOX_BATCH);
  }

  const append: AppendEvents = async (trx, projectId, events) => {
    if (events.length === 0) return [];
    const rows = await sealEvents(trx, dataKeys, projectId, events);
    await placeEvents(trx, rows);
    notices.noteAfterCommit(trx, projectId);
    const bytes = rows.reduce((sum, { data_sealed }) => sum + data_sealed.length, 0);
    afterCommit(trx, () => deps.note?.(projectId, 'events', { rows: rows.length, bytes }));
    return rows.map(({ id }) => id);
  };

  const enqueue: EnqueueEvents = async (trx, projectId, added) => {
    await enqueueEvents(trx, dataKeys, projectId, added);
    afterCommit(trx, () => void publishing.ask(projectId));
  };

  return {
    append,
    enqueue,
    /** Publishes what a process left that was killed after a commit. */
    async publishLeftovers(): Promise<void> {
      for (const projectId of await listProjectsWithOutbox(db, PROJECTS_MAX)) {
        await publishing.ask(projectId);
      }
    },
    /** When everything that was enqueued here has been published. */
    settled: publishing.settled,
  };
}
