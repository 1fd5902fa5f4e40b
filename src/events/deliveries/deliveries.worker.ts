import type { JobQueue } from '../../platform/job-queue.ts';
import type { RunAgain } from '../../platform/job-worker.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import { LANES, type Lane, type Servable } from '../destinations/destination.ts';
import type { DestinationsStore } from '../destinations/destinations.store.ts';
import type { AppendNotices } from '../stream/append-notices.ts';
import { hastenDeliveries } from './deliveries.store.ts';
import { DeliverySlice, type SliceDependencies } from './delivery-slice.ts';

/** Destinations of one project are looked up so often at most, however fast its events come. */
const WAKE_MS = 100;
/** Destinations that a sweep wakes at once. */
const SWEEP_MAX = 500;
/** Failing destinations are served by a part of the places: each holds its place for a whole attempt. */
const FAILING_SHARE = 0.2;

export type DeliveriesWorkerDependencies = SliceDependencies & {
  readonly destinations: DestinationsStore;
  readonly jobs: Pick<JobQueue, 'add' | 'addAll' | 'work'>;
  readonly notices: Pick<AppendNotices, 'onAppended'>;
  /** Destinations that one process serves at the same time. */
  readonly concurrency: number;
  readonly log: { warn(fields: object, message: string): void };
  /** The gateway runs on a restored backup: nothing is sent. */
  isRestored?(): boolean;
};

type ServedSlice = { readonly projectId: string; readonly slice: DeliverySlice };

/** Has each destination served by its job: of all processes, at most one at a time serves it. */
export function createDeliveriesWorker(deps: DeliveriesWorkerDependencies) {
  const { db, jobs, destinations, log } = deps;
  const now = () => new Date(deps.now());
  /** Slices under way in this process, by destination. */
  const slices = new Map<string, ServedSlice>();

  const placesOf = (lane: Lane): number =>
    Math.max(1, Math.round(deps.concurrency * (lane === 'deliver' ? 1 : FAILING_SHARE)));

  async function serve(lane: Lane, id: string, signal: AbortSignal): Promise<RunAgain | undefined> {
    const destination = await destinations.findById(db, id);
    if (destination === undefined || destination.disabledReason !== null) return undefined;
    const { projectId } = destination;
    // What waits is found again once the project goes on.
    if (deps.isHeld?.(projectId)) return undefined;
    if (destination.lane !== lane) {
      await jobs.add(db, destination.lane, { key: id, projectId, runAt: destination.holdUntil ?? now() });
      return undefined;
    }
    if (destination.holdUntil !== null && destination.holdUntil > now()) {
      return { runAgainAt: destination.holdUntil, projectId };
    }
    const slice = new DeliverySlice(deps, destination);
    slices.set(id, { projectId, slice });
    try {
      const end = await slice.run(signal);
      if (end === undefined) return undefined;
      if (end.lane === lane) return { runAgainAt: end.runAgainAt, projectId };
      await jobs.add(db, end.lane, { key: id, projectId, runAt: end.runAgainAt });
      return undefined;
    } finally {
      slices.delete(id);
    }
  }

  async function wake(projectId: string): Promise<void> {
    const servable = await destinations.listServable(db, projectId, now());
    // A slice of this process has been notified, and looks once more before it ends.
    await addAll(servable.map((destination) => ({ ...destination, projectId })));
  }

  /** Those that no slice of this process serves. */
  async function addAll(found: readonly Servable[]): Promise<void> {
    const byLane = Map.groupBy(
      found.filter(({ id }) => !slices.has(id)),
      ({ lane }) => lane,
    );
    for (const [lane, ofLane] of byLane) {
      await jobs.addAll(
        db,
        lane,
        ofLane.map(({ id, projectId }) => ({ key: id, projectId })),
      );
    }
  }

  const wakeSoon = createThrottle(WAKE_MS, (projectId) =>
    wake(projectId).catch((error: unknown) => {
      log.warn({ err: error, projectId }, 'destinations are served somewhat later');
    }),
  );

  for (const lane of LANES) {
    jobs.work(lane, { concurrency: placesOf(lane) }, (id, signal) => serve(lane, id, signal));
  }
  deps.notices.onAppended((projectId) => {
    for (const one of slices.values()) if (one.projectId === projectId) one.slice.nudge();
    wakeSoon(projectId);
  });

  /** Begins to serve a destination that may have something to do; in the caller's transaction. */
  async function start(trx: Db, { id, lane, projectId }: Servable): Promise<void> {
    await jobs.add(trx, lane, { key: id, projectId });
  }

  return {
    start,
    /** Serves what the project's destinations have waiting. */
    wake,
    /** Begins with what waits for a later attempt, too. */
    async resume(trx: Db, destination: Servable): Promise<void> {
      await hastenDeliveries(trx, destination.id, now());
      await start(trx, destination);
    },

    /** Wakes destinations whose wake-up was lost with a process. */
    async sweep(): Promise<void> {
      if (deps.isRestored?.()) return;
      await addAll(await destinations.listNeglectedOfAnyProject(db, { now: now(), limit: SWEEP_MAX }));
    },
  };
}

/** Runs the work for a key at once, and while it goes on being asked for, once in `pauseMs`. */
function createThrottle(pauseMs: number, work: (key: string) => Promise<void>): (key: string) => void {
  const pausing = new Map<string, { isAskedAgain: boolean }>();
  const run = (key: string): void => {
    const state = { isAskedAgain: false };
    pausing.set(key, state);
    void work(key).finally(() => {
      setTimeout(() => {
        pausing.delete(key);
        if (state.isAskedAgain) run(key);
      }, pauseMs).unref();
    });
  };
  return (key) => {
    const state = pausing.get(key);
    if (state === undefined) withoutStoreLimit(() => run(key));
    else state.isAskedAgain = true;
  };
}
