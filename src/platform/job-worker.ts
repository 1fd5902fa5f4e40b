import { isNativeError } from 'node:util/types';
import { createPlaces, type Places } from '../lib/places.ts';
import { createDueTimers, type DueTimers } from './due-timers.ts';
import type { FailureLog } from './failure-log.ts';
import { CLAIM_MS, type Claim, type JobStore, longestPauseMs } from './job-store.ts';
import type { StoreClock } from './postgres/clock.ts';
import type { Database } from './postgres/database.ts';
import type { Parties } from './postgres/parties.ts';
import { withoutStoreLimit } from './postgres/store-time.ts';

/** When a key is to be worked on again, and for which project: its party may have changed. */
export type RunAgain = { readonly runAgainAt: Date; readonly projectId: string };

/** Why a job's signal is aborted that another process may have by now: its handler writes nothing more, and rejects. */
export const CLAIM_LOST = new Error('another process may have the job');

/** Works on one key. What it returns adds the key again; an error has it tried again. */
export type JobHandler = (key: string, signal: AbortSignal) => Promise<RunAgain | undefined>;

/** How often claims must be renewed. */
export const RENEW_MS = 3_000;
/** The claims are given up this long before another process may have the jobs. */
const CLAIM_MARGIN_MS = 2_000;
const CLAIM_BATCH_MAX = 50;
/** The party of jobs that an older release added; they get one of their own when they are added again. */
const NO_PARTY = '';

/** A job under way in this process. */
type Running = { readonly claim: Claim; readonly abort: AbortController; heldUntilMs: number };

/** What the workers of one process share. */
export type WorkerEnvironment = {
  readonly db: Database['knex'];
  readonly store: JobStore;
  readonly parties: Parties;
  readonly failures: FailureLog;
  /** Milliseconds of the monotonic clock. */
  now(): number;
  /** Times of jobs are those of the store. */
  readonly storeClock: Pick<StoreClock, 'now'>;
  isRunning(): boolean;
  /** Notifies the other processes of jobs of the name. */
  sendNotice(name: string): void;
};

/** Claims the jobs of one name and works on them. A class because it is a lifecycle of claims, aborts and renewals. */
export class JobWorker {
  readonly name: string;
  readonly #env: WorkerEnvironment;
  readonly #handler: JobHandler;
  readonly #places: Places;
  readonly #timers: DueTimers;
  readonly #running = new Map<string, Running>();
  readonly #under = new Set<Promise<void>>();
  #isClaiming = false;
  #mustClaimAgain = false;

  constructor(env: WorkerEnvironment, name: string, concurrency: number, handler: JobHandler) {
    this.#env = env;
    this.name = name;
    this.#handler = handler;
    this.#places = createPlaces(concurrency);
    this.#timers = createDueTimers(() => this.look(), env.storeClock.now);
  }

  get freePlaces(): number {
    return this.#places.free();
  }

  /** Looks for due jobs, not on the account of the request that may have caused it. */
  look(): void {
    if (this.#env.isRunning()) void withoutStoreLimit(() => this.#claimDue());
  }

  /** Looks again when a job is due. */
  remember(at: Date): void {
    if (this.#env.isRunning()) this.#timers.remember(at);
  }

  /** Claims due jobs for as long as there are any and the worker has room. */
  async #claimDue(): Promise<void> {
    this.#mustClaimAgain = true;
    if (this.#isClaiming) return;
    this.#isClaiming = true;
    const { failures } = this.#env;
    try {
      while (this.#env.isRunning() && this.#mustClaimAgain) {
        this.#mustClaimAgain = false;
        if (this.#places.free() <= 0) break;
        await this.#claimBatch();
      }
      failures.forget('queue');
    } catch (error) {
      failures.complain('queue', error);
    } finally {
      this.#isClaiming = false;
    }
  }

  async #claimBatch(): Promise<void> {
    const places = this.#places;
    const limit = Math.min(places.atOnce(), CLAIM_BATCH_MAX);
    const { claims, mustRepeat } = await this.#env.store.claim(this.name, limit, places.excluded());
    for (const claim of claims) this.#begin(claim);
    if (claims.length > 0 || mustRepeat || places.beginRound()) this.#mustClaimAgain = true;
  }

  #begin(claim: Claim): void {
    const heldUntilMs = this.#env.now() + CLAIM_MS - CLAIM_MARGIN_MS;
    const running: Running = { claim, abort: new AbortController(), heldUntilMs };
    this.#running.set(claim.id, running);
    const leave = this.#places.take(claim.party ?? NO_PARTY);
    // Claimed while the process began to stop.
    if (!this.#env.isRunning()) running.abort.abort();
    const done = this.#work(running).finally(() => {
      this.#running.delete(claim.id);
      leave();
      this.#under.delete(done);
      this.look();
    });
    this.#under.add(done);
  }

  async #work({ claim, abort: { signal } }: Running): Promise<void> {
    const { store, failures } = this.#env;
    try {
      signal.throwIfAborted();
      await store.merge(this.name, claim.key);
      const again = await this.#handler(claim.key, signal);
      if (again) await this.#readd(claim, again);
      else await store.finish(this.name, claim);
      failures.forget(this.name);
    } catch (error) {
      // A lost claim is another process's job now, and a stop gives the claim back.
      if (signal.aborted && !this.#env.isRunning()) await this.#giveBack([claim]);
      if (signal.aborted) return;
      failures.complain(this.name, error);
      await this.#retry(claim, error);
    }
  }

  async #readd(claim: Claim, { runAgainAt, projectId }: RunAgain): Promise<void> {
    const { db, store, parties } = this.#env;
    const party = await parties.partyOf(db, projectId);
    await store.readd(this.name, [claim], { runAt: runAgainAt, party });
    this.remember(runAgainAt);
  }

  async #retry(claim: Claim, error: unknown): Promise<void> {
    const pauseMs = longestPauseMs(claim.retryCount);
    // Where this fails too, the job is found like that of a dead process.
    await this.#env.store
      .retry(this.name, claim, isNativeError(error) ? error.name : 'unknown')
      .then(() => this.remember(new Date(this.#env.storeClock.now() + pauseMs)))
      .catch((failure: unknown) => this.#env.failures.complain('queue', failure));
  }

  async #giveBack(claims: readonly Claim[]): Promise<void> {
    try {
      await this.#env.store.readd(this.name, claims);
      this.#env.sendNotice(this.name);
    } catch (error) {
      this.#env.failures.complain('queue', error);
    }
  }

  /** Shows that this process is alive; aborts those jobs that it may not have any more. */
  async renewClaims(): Promise<void> {
    const askedAtMs = this.#env.now();
    // A process that stood still goes on with its timers, before it reads an answer that came meanwhile.
    for (const { abort, heldUntilMs } of this.#running.values())
      if (askedAtMs > heldUntilMs + CLAIM_MARGIN_MS) abort.abort(CLAIM_LOST);
    const running = [...this.#running.values()].filter(({ abort }) => !abort.signal.aborted);
    if (running.length === 0) return;
    const claims = running.map(({ claim }) => claim);
    const held = await this.#env.store
      .renew(this.name, claims)
      .catch((error: unknown) => this.#env.failures.complain('queue', error));
    for (const one of running) {
      if (held?.has(one.claim.id)) one.heldUntilMs = askedAtMs + CLAIM_MS - CLAIM_MARGIN_MS;
      // Ended meanwhile, or lost to another process.
      else if (held || this.#env.now() > one.heldUntilMs - RENEW_MS) one.abort.abort(CLAIM_LOST);
    }
  }

  /** Aborts the jobs under way. */
  abortAll(): void {
    this.#timers.stop();
    for (const { abort } of this.#running.values()) abort.abort();
  }

  /** Resolves once every job under way has ended. */
  async waitForAll(): Promise<void> {
    await Promise.all(this.#under);
  }

  /** Lets other processes have the jobs that have not ended. */
  async giveBackAll(): Promise<void> {
    if (this.#running.size > 0) await this.#giveBack([...this.#running.values()].map(({ claim }) => claim));
  }
}
