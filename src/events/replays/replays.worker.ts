import type { JobQueue } from '../../platform/job-queue.ts';
import type { RunAgain } from '../../platform/job-worker.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { replayDeliveries } from '../deliveries/deliveries.store.ts';
import { countWaiting } from '../deliveries/due-deliveries.store.ts';
import type { Destination, Servable } from '../destinations/destination.ts';
import type { DestinationsStore } from '../destinations/destinations.store.ts';
import { readFeed } from '../stream/events.store.ts';
import { advanceReplay, deleteReplay, findReplay, type Replay } from './replays.store.ts';

/** The name of the job; its key is the replay's id. */
export const REPLAY_JOB = 'replay-events';
const PAGE = 200;
/** A replay stops for a while where so many deliveries wait, and leaves room for new events. */
const WAITING_MAX = 5_000;
const PAUSE_MS = 2_000;
/** Replays under way in a process, half of them of one party at most. */
const CONCURRENCY = 8;
const SLICE_MS = 5_000;

/** Runs replays: page by page, each page and how far it got in one transaction. */
export function createReplaysWorker(deps: {
  db: Db;
  destinations: Pick<DestinationsStore, 'findById'>;
  jobs: Pick<JobQueue, 'add' | 'work'>;
  now(): number;
  /** Begins to serve the destination. */
  start(trx: Db, destination: Servable): Promise<void>;
}) {
  const { db, destinations, jobs, now } = deps;

  /** False when there is nothing more to do. */
  async function runPage(replay: Replay, destination: Destination): Promise<boolean> {
    const { rows, scannedTo } = await readFeed(db, {
      projectId: destination.projectId,
      afterPosition: replay.position,
      types: destination.types,
      connectionIds: destination.connectionIds ?? undefined,
      tags: destination.tags,
      limit: PAGE,
    });
    const wanted = rows.filter(
      (row) =>
        row.position <= replay.toPosition &&
        (replay.from === null || row.created_at >= replay.from) &&
        (replay.to === null || row.created_at <= replay.to),
    );
    await db.transaction(async (trx) => {
      const position = scannedTo?.position ?? replay.toPosition;
      if (!(await advanceReplay(trx, replay, position))) return;
      await replayDeliveries(trx, destination, wanted, { states: replay.states, now: new Date(now()) });
      if (wanted.length > 0 && destination.disabledReason === null) await deps.start(trx, destination);
    });
    return scannedTo !== undefined && scannedTo.position < replay.toPosition;
  }

  async function run(id: string, signal: AbortSignal): Promise<RunAgain | undefined> {
    const untilMs = performance.now() + SLICE_MS;
    for (;;) {
      const replay = await findReplay(db, id);
      if (replay === undefined) return undefined;
      const destination = await destinations.findById(db, replay.destinationId);
      if (destination === undefined) {
        await deleteReplay(db, id);
        return undefined;
      }
      const { projectId } = destination;
      if ((await countWaiting(db, destination, WAITING_MAX)) >= WAITING_MAX) {
        return { runAgainAt: new Date(now() + PAUSE_MS), projectId };
      }
      if (!(await runPage(replay, destination))) {
        await deleteReplay(db, id);
        return undefined;
      }
      if (signal.aborted || performance.now() >= untilMs) return { runAgainAt: new Date(now()), projectId };
    }
  }

  jobs.work(REPLAY_JOB, { concurrency: CONCURRENCY }, run);
}
