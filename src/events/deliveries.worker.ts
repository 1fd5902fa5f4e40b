import type { JobQueue } from '../platform/job-queue.ts';
import type { Db } from '../platform/postgres/database.ts';
import { withoutStoreLimit } from '../platform/postgres/store-time.ts';
import type { AppendNotices } from './append-notices.ts';
import { LANES, type Lane } from './delivery.ts';
import { DeliverySlice, type SliceDependencies } from './delivery-slice.ts';
import type { DestinationsStore } from './destinations.store.ts';

/** Destinations of one project are looked up so often at most, however fast its events come. */
const WAKE_MS = 100;
/** Destinations that a sweep wakes at once. */
const SWEEP_MAX = 500;
/** Of the places of a job, so many are for one project at most, however many destinations it has. */
const PROJECT_SHARE = 0.5;
/** When a destination is tried again whose project has all the places that it may have. */
const NO_PLACE_PAUSE_MS = 1_000;
/** Failing destinations are served by a part of the places: each holds its place for a whole attempt. */
const FAILING_SHARE = 0.2;

export type DeliveriesWorkerDependencies = SliceDependencies & {
  readonly destinations: DestinationsStore;
  readonly jobs: Pick<JobQueue, 'add' | 'work'>;
  readonly notices: Pick<AppendNotices, 'onAppended'>;
  /** Destinations that one process serves at the same time. */
  readonly concurrency: number;
  readonly log: { warn(fields: object, message: string): void };
};

type ServedSlice = { readonly projectId: string; readonly lane: Lane; readonly slice: DeliverySlice };

export type DeliveriesWorker = ReturnType<typeof createDeliveriesWorker>;

/** Has each destination served by its job: of all processes, at most one at a time serves it. */
export function createDeliveriesWorker(deps: DeliveriesWorkerDependencies) {
  const { db, jobs, destinations, log } = deps;
  const now = () => new Date(deps.now());
  /** Slices under way in this process, by destination. */
  const slices = new Map<string, ServedSlice>();

  const placesOf = (lane: Lane): number =>
    Math.max(1, Math.round(deps.concurrency * (lane === 'deliver' ? 1 : FAILING_SHARE)));

  function hasPlace(projectId: string, lane: Lane): boolean {
    const taken = [...slices.values()].filter((one) => one.projectId === projectId && one.lane === lane);
    return taken.length < Math.max(1, Math.floor(placesOf(lane) * PROJECT_SHARE));
  }

  async function serve(
    lane: Lane,
    id: string,
    signal: AbortSignal,
  ): Promise<{ runAgainAt: Date } | undefined> {
    const destination = await destinations.findById(db, id);
    if (destination === undefined || destination.disabledReason !== null) return undefined;
    if (destination.lane !== lane) {
      await jobs.add(db, destination.lane, id, { runAt: destination.holdUntil ?? now() });
      return undefined;
    }
    if (destination.holdUntil !== null && destination.holdUntil > now()) {
      return { runAgainAt: destination.holdUntil };
    }
    const { projectId } = destination;
    if (!hasPlace(projectId, lane)) return { runAgainAt: new Date(deps.now() + NO_PLACE_PAUSE_MS) };
    const slice = new DeliverySlice(deps, destination);
    slices.set(id, { projectId, lane, slice });
    try {
      const end = await slice.run(signal);
      if (end === undefined || end.lane === lane) return end;
      await jobs.add(db, end.lane, id, { runAt: end.runAgainAt });
      return undefined;
    } finally {
      slices.delete(id);
    }
  }

  async function wake(projectId: string): Promise<void> {
    for (const { id, lane } of await destinations.listServable(db, projectId, now())) {
      // A slice of this process has been told, and looks once more before it ends.
      if (!slices.has(id)) await jobs.add(db, lane, id);
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

  return {
    /** Begins to serve a destination that may have something to do; in the caller's transaction. */
    async start(trx: Db, { id, lane }: { id: string; lane: Lane }): Promise<void> {
      await jobs.add(trx, lane, id);
    },

    /** Wakes destinations whose wake-up was lost with a process. */
    async sweep(): Promise<void> {
      const neglected = await destinations.listNeglectedOfAnyProject(db, { now: now(), limit: SWEEP_MAX });
      for (const { id, lane } of neglected) if (!slices.has(id)) await jobs.add(db, lane, id);
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
