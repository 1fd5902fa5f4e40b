import { isNativeError } from 'node:util/types';
import { createPlaces, type Places } from '../lib/places.ts';
import { settleWithin } from '../lib/settle-within.ts';
import { createDueTimers, type DueTimers } from './due-timers.ts';
import { createFailureLog } from './failure-log.ts';
import { createJobNotices } from './job-notices.ts';
import { CLAIM_MS, type Claim, createJobStore, type JobCounts, longestPauseMs } from './job-store.ts';
import { afterCommit } from './postgres/after-commit.ts';
import type { Database, Db } from './postgres/database.ts';
import type { Parties } from './postgres/parties.ts';
import { withoutStoreLimit } from './postgres/store-time.ts';

/** When a key is to be worked on again, and for which project: its party may have changed. */
export type RunAgain = { readonly runAgainAt: Date; readonly projectId: string };

/** Works on one key. What it returns adds the key again; an error has it tried again. */
export type JobHandler = (key: string, signal: AbortSignal) => Promise<RunAgain | undefined>;

/** A key to work on, for a project. The party that owns the project is the one whose places the work takes. */
export type Job = { readonly key: string; readonly projectId: string; readonly runAt?: Date | undefined };

export type JobQueue = ReturnType<typeof createJobQueue>;

/** How often a process looks for due jobs of which no notice came. */
const POLL_MS = 5_000;
/** One look at a time and a second for each name, so that many names do not become many statements. */
const POLL_MS_PER_NAME = 1_000;
const RENEW_MS = 3_000;
/** The claims are given up this long before another process may have the jobs. */
const CLAIM_MARGIN_MS = 2_000;
const CLAIM_BATCH_MAX = 50;
/** The party of jobs that an older release added; they get one of their own when they are added again. */
const NO_PARTY = '';
/** How long `stop` waits for handlers; giving back what they leave takes the rest of 5 s. */
const STOP_LIMIT_MS = 4_000;
const GIVE_BACK_LIMIT_MS = 900;

/** A job under way in this process. */
type Running = { readonly claim: Claim; readonly abort: AbortController; heldUntilMs: number };

type Worker = {
  readonly name: string;
  readonly places: Places;
  readonly handler: JobHandler;
  readonly running: Map<string, Running>;
  readonly timers: DueTimers;
  isClaiming: boolean;
  mustClaimAgain: boolean;
};

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
  stopLimitMs?: number;
}) {
  const { db, channel, processKey, parties, stopLimitMs = STOP_LIMIT_MS } = deps;
  const failures = createFailureLog(deps.log, 'job', 'a background job failed and will be tried again');
  const store = createJobStore({ db, onError: (error) => failures.complain('queue', error) });
  const workers = new Map<string, Worker>();
  const under = new Set<Promise<void>>();
  const notices = createJobNotices({
    db,
    channel,
    processKey,
    onError: (error) => failures.complain('notices', error),
  });
  const timers: NodeJS.Timeout[] = [];
  let isRunning = false;

  /** Claims due jobs of a name for as long as there are any and the worker has room. */
  async function claimDue(worker: Worker): Promise<void> {
    worker.mustClaimAgain = true;
    if (worker.isClaiming) return;
    worker.isClaiming = true;
    try {
      while (isRunning && worker.mustClaimAgain) {
        worker.mustClaimAgain = false;
        const { places } = worker;
        if (places.free() <= 0) break;
        const limit = Math.min(places.atOnce(), CLAIM_BATCH_MAX);
        const { claims, mustRepeat } = await store.claim(worker.name, limit, places.excluded());
        for (const claim of claims) begin(worker, claim);
        if (claims.length > 0 || mustRepeat || places.beginRound()) worker.mustClaimAgain = true;
      }
      failures.forget('queue');
    } catch (error) {
      failures.complain('queue', error);
    } finally {
      worker.isClaiming = false;
    }
  }

  /** Not on the account of the request that may have caused it. */
  function look(worker: Worker): void {
    if (isRunning) void withoutStoreLimit(() => claimDue(worker));
  }

  function begin(worker: Worker, claim: Claim): void {
    const heldUntilMs = performance.now() + CLAIM_MS - CLAIM_MARGIN_MS;
    const running: Running = { claim, abort: new AbortController(), heldUntilMs };
    worker.running.set(claim.id, running);
    const leave = worker.places.take(claim.party ?? NO_PARTY);
    // Claimed while the process began to stop.
    if (!isRunning) running.abort.abort();
    const done = work(worker, running).finally(() => {
      worker.running.delete(claim.id);
      leave();
      under.delete(done);
      look(worker);
    });
    under.add(done);
  }

  async function work(worker: Worker, { claim, abort: { signal } }: Running): Promise<void> {
    const { name } = worker;
    try {
      signal.throwIfAborted();
      await store.merge(name, claim.key);
      const again = await worker.handler(claim.key, signal);
      if (again) {
        const party = await parties.partyOf(db, again.projectId);
        await store.readd(name, [claim], { runAt: again.runAgainAt, party });
      } else await store.finish(name, claim);
      if (again) remember(worker, again.runAgainAt);
      failures.forget(name);
    } catch (error) {
      // A lost claim is another process's job now, and a stop gives the claim back.
      if (signal.aborted && !isRunning) await giveBack(worker, [claim]);
      if (signal.aborted) return;
      failures.complain(name, error);
      await retry(worker, claim, error);
    }
  }

  async function retry(worker: Worker, claim: Claim, error: unknown): Promise<void> {
    const pauseMs = longestPauseMs(claim.retryCount);
    // Where this fails too, the job is found like that of a dead process.
    await store
      .retry(worker.name, claim, isNativeError(error) ? error.name : 'unknown')
      .then(() => remember(worker, new Date(Date.now() + pauseMs)))
      .catch((failure: unknown) => failures.complain('queue', failure));
  }

  async function giveBack(worker: Worker, claims: readonly Claim[]): Promise<void> {
    try {
      await store.readd(worker.name, claims);
      notices.send(worker.name);
    } catch (error) {
      failures.complain('queue', error);
    }
  }

  function remember(worker: Worker, at: Date): void {
    if (isRunning) worker.timers.remember(at);
  }

  /** Shows that this process is alive; aborts those jobs that it may not have any more. */
  async function renewClaims(): Promise<void> {
    await Promise.all([...workers.values()].map(renewClaimsOf));
  }

  async function renewClaimsOf(worker: Worker): Promise<void> {
    const running = [...worker.running.values()].filter(({ abort }) => !abort.signal.aborted);
    if (running.length === 0) return;
    const askedAtMs = performance.now();
    const held = await store
      .renew(
        worker.name,
        running.map(({ claim }) => claim),
      )
      .catch((error: unknown) => failures.complain('queue', error));
    for (const one of running) {
      if (held?.has(one.claim.id)) one.heldUntilMs = askedAtMs + CLAIM_MS - CLAIM_MARGIN_MS;
      // Ended meanwhile, or lost to another process.
      else if (held || performance.now() > one.heldUntilMs - RENEW_MS) one.abort.abort();
    }
  }

  function repeat(everyMs: number, run: () => unknown): void {
    timers.push(setInterval(run, everyMs).unref());
  }

  /** Notifies this process and the others of a job that has been committed. */
  function announce(name: string, runAt: Date | undefined): void {
    const worker = workers.get(name);
    if (runAt === undefined || runAt.getTime() <= Date.now()) {
      if (worker) look(worker);
      if (isRunning) withoutStoreLimit(() => notices.send(name));
    } else if (worker) remember(worker, runAt);
  }

  async function addAll(on: Db, name: string, jobs: readonly Job[]): Promise<void> {
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
      const timers = createDueTimers(() => look(worker));
      const state = { running: new Map(), timers, isClaiming: false, mustClaimAgain: false };
      const worker: Worker = { name, places: createPlaces(concurrency), handler, ...state };
      workers.set(name, worker);
    },

    /** The names that have a handler, and how many places each has in this process. */
    kinds: (): { name: string; places: number }[] =>
      [...workers.values()].map(({ name, places }) => ({ name, places: places.free() })),

    /** A notification on the channel. */
    handleNotice(payload: string): void {
      const name = notices.nameIn(payload);
      const worker = name === undefined ? undefined : workers.get(name);
      if (worker) look(worker);
    },

    /** Begins to work. Rejects where the store is away. */
    async start(): Promise<void> {
      await store.start([...workers.keys()]);
      isRunning = true;
      const lookAtAll = () => {
        for (const worker of workers.values()) look(worker);
      };
      repeat(Math.max(POLL_MS, workers.size * POLL_MS_PER_NAME), lookAtAll);
      repeat(RENEW_MS, renewClaims);
      lookAtAll();
    },

    /** Aborts the jobs under way, waits for them for 5 s at most, and lets other processes have those that have not ended. */
    async stop(): Promise<void> {
      isRunning = false;
      for (const worker of workers.values()) {
        worker.timers.stop();
        for (const { abort } of worker.running.values()) abort.abort();
      }
      await settleWithin(stopLimitMs, Promise.all(under), () => undefined);
      for (const timer of timers) clearInterval(timer);
      const left = [...workers.values()].filter(({ running }) => running.size > 0);
      const given = left.map((worker) =>
        giveBack(
          worker,
          [...worker.running.values()].map(({ claim }) => claim),
        ),
      );
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
