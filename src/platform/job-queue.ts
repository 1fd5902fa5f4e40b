import { settleWithin } from '../lib/settle-within.ts';
import { createFailureLog } from './failure-log.ts';
import { createJobNotices } from './job-notices.ts';
import { createJobStore, type JobCounts } from './job-store.ts';
import { type JobHandler, JobWorker, RENEW_MS, type WorkerEnvironment } from './job-worker.ts';
import { afterCommit } from './postgres/after-commit.ts';
import type { StoreClock } from './postgres/clock.ts';
import type { Database, Db } from './postgres/database.ts';
import type { Parties } from './postgres/parties.ts';
import { withoutStoreLimit } from './postgres/store-time.ts';

/** A key to work on, for a project. The party that owns the project is the one whose places the work takes. */
export type Job = { readonly key: string; readonly projectId: string; readonly runAt?: Date | undefined };

export type JobQueue = ReturnType<typeof createJobQueue>;

/** How often a process looks for due jobs of which no notice came. */
const POLL_MS = 5_000;
/** One look at a time and a second for each name, so that many names do not become many statements. */
const POLL_MS_PER_NAME = 1_000;
/** How long `stop` waits for handlers; giving back what they leave takes the rest of 5 s. */
const STOP_LIMIT_MS = 4_000;
const GIVE_BACK_LIMIT_MS = 900;

/**
 * Keyed jobs in Postgres, of which at most one per name and key is worked on at a time, over all processes. Jobs are
 * run at least once: a process that is killed, or whose store is away at the end of a job, has it run again. In each
 * process the parties that own the projects share the places of a name, see `createPlaces`.
 */
export function createJobQueue(deps: {
  db: Database['knex'];
  log: { warn(fields: object, message: string): void };
  /** The channel on which processes notify each other of changes. */
  channel: string;
  /** This process among those on the channel. */
  processKey: number;
  parties: Parties;
  /** Left out: this machine's clock is the store's. */
  storeClock?: Pick<StoreClock, 'now'>;
  stopLimitMs?: number;
  now?: () => number;
}) {
  const { db, channel, processKey, parties, stopLimitMs = STOP_LIMIT_MS, storeClock = Date } = deps;
  const failures = createFailureLog(deps.log, 'job', 'a background job failed and will be tried again');
  const store = createJobStore({ db, onError: (error) => failures.complain('queue', error) });
  const workers = new Map<string, JobWorker>();
  const notices = createJobNotices({
    db,
    channel,
    processKey,
    onError: (error) => failures.complain('notices', error),
  });
  const timers: NodeJS.Timeout[] = [];
  let isRunning = false;
  const environment: WorkerEnvironment = {
    db,
    store,
    parties,
    failures,
    now: deps.now ?? (() => performance.now()),
    storeClock,
    isRunning: () => isRunning,
    sendNotice: notices.send,
  };

  function repeat(everyMs: number, run: () => unknown): void {
    timers.push(setInterval(run, everyMs).unref());
  }

  /** Notifies this process and the others of a job that has been committed. */
  function announce(name: string, runAt: Date | undefined): void {
    const worker = workers.get(name);
    if (runAt === undefined || runAt.getTime() <= storeClock.now()) {
      worker?.look();
      if (isRunning) withoutStoreLimit(() => notices.send(name));
    } else worker?.remember(runAt);
  }

  const addAll = (on: Db, name: string, jobs: readonly Job[]): Promise<void> =>
    addJobs({ store, parties, announce }, on, name, jobs);

  return {
    /**
     * Adds a job, in the caller's transaction where `on` is one, and waits for no other transaction. Of the jobs of a
     * key that wait, the earliest runs and does away with the others; one added while the key is worked on runs after
     * that. Rejects as a query does. Needs `start` to have ended.
     */
    add: (on: Db, name: string, job: Job): Promise<void> => addAll(on, name, [job]),

    /** The same for many jobs, by one statement. */
    addAll,

    /**
     * Registers the handler of a name, before `start`. `concurrency`: how many keys this process works on at a time, of
     * which one party gets half at most.
     */
    work(name: string, { concurrency }: { concurrency: number }, handler: JobHandler): void {
      workers.set(name, new JobWorker(environment, name, concurrency, handler));
    },

    /** The names that have a handler, and how many places each has in this process. */
    kinds: (): { name: string; places: number }[] =>
      [...workers.values()].map(({ name, freePlaces }) => ({ name, places: freePlaces })),

    /** A notification on the channel. */
    handleNotice(payload: string): void {
      const name = notices.nameIn(payload);
      if (name !== undefined) workers.get(name)?.look();
    },

    /** Begins to work. Rejects where the store is away. */
    async start(): Promise<void> {
      await store.start([...workers.keys()]);
      isRunning = true;
      const lookAtAll = () => {
        for (const worker of workers.values()) worker.look();
      };
      repeat(Math.max(POLL_MS, workers.size * POLL_MS_PER_NAME), lookAtAll);
      repeat(RENEW_MS, () => Promise.all([...workers.values()].map((worker) => worker.renewClaims())));
      lookAtAll();
    },

    /** Aborts the jobs under way, waits for them for 5 s at most, and lets other processes have those that have not ended. */
    async stop(): Promise<void> {
      isRunning = false;
      const all = [...workers.values()];
      await endWork(all, stopLimitMs);
      for (const timer of timers) clearInterval(timer);
      const given = all.map((worker) => worker.giveBackAll());
      const end = async () => {
        await Promise.all(given);
        await Promise.all([notices.stop(), store.stop()]);
      };
      await settleWithin(GIVE_BACK_LIMIT_MS, end(), () => undefined);
    },

    /** How many jobs there are by name, over all processes, as of some seconds ago. */
    count: (): Promise<JobCounts[]> => store.count(),
  };
}

/** Aborts the jobs under way, and waits for them. */
async function endWork(workers: readonly JobWorker[], limitMs: number): Promise<void> {
  for (const worker of workers) worker.abortAll();
  await settleWithin(limitMs, Promise.all(workers.map((worker) => worker.waitForAll())), () => undefined);
}

type Adding = {
  readonly store: ReturnType<typeof createJobStore>;
  readonly parties: Parties;
  /** Called with each time at which some of them are due, once they are committed. */
  announce(name: string, runAt: Date | undefined): void;
};

async function addJobs(
  { store, parties, announce }: Adding,
  on: Db,
  name: string,
  jobs: readonly Job[],
): Promise<void> {
  if (jobs.length === 0) return;
  const partyOf = await parties.partiesOf(
    on,
    jobs.map(({ projectId }) => projectId),
  );
  await store.add(
    on,
    name,
    jobs.map(({ key, projectId, runAt }) => ({ key, runAt, party: partyOf.get(projectId) })),
  );
  const times = new Set(jobs.map(({ runAt }) => runAt));
  afterCommit(on, () => {
    for (const runAt of times) announce(name, runAt);
  });
}
