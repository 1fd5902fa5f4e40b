import { setTimeout as pause } from 'node:timers/promises';
import type { DataKeys } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Destination, DestinationProgress, DisabledReason, Lane } from '../destinations/destination.ts';
import type { Outlet } from '../destinations/destination-secrets.store.ts';
import type { DestinationsStore } from '../destinations/destinations.store.ts';
import { buildMessage } from '../sending/message.ts';
import type { Sender } from '../sending/sender.ts';
import { type DeliveryOutcome, orderKey } from './delivery.ts';
import { writeOutcomes } from './delivery-outcomes.store.ts';
import { countWaiting, findNextDue } from './due-deliveries.store.ts';
import { type LoadedDelivery, loadFromStore, takeFromFeed } from './load-deliveries.ts';
import { expiredOutcome, judgeOutcome, progressAfter, reasonToDisable } from './settle-attempt.ts';

/** After this a slice ends, so that other destinations get the place of its job. */
const SLICE_MS = 10_000;
/** Attempts at the same time. A destination begins with one, and each success doubles it. */
const IN_FLIGHT_MAX = 10;
/** Beyond so many waiting deliveries, events wait in the feed. */
const WAITING_MAX = 10_000;
/** Events that one look into the feed takes. */
const FEED_PAGE = 200;
/** Payloads in memory: beyond it nothing is loaded, so that one event more at most is there, however large. */
const HELD_BYTES_MAX = 1024 * 1024;
/** Looks into the store and writes are this far apart, so that they take many rows at once under load. */
const ROUND_MS = 25;
/** How long attempts may go on when the process stops. */
const STOP_GRACE_MS = 3_000;

export type SliceDependencies = {
  readonly db: Db;
  readonly dataKeys: DataKeys;
  readonly destinations: Pick<DestinationsStore, 'advance' | 'saveProgress' | 'openOutlet'>;
  readonly sender: Sender;
  readonly publicUrl: string;
  now(): number;
  random(): number;
  /** Counts deliveries that the project makes the store keep. */
  noteInserted?(projectId: string, deliveries: number): void;
  countDelivery(outcome: string): void;
  /** Nothing of the project is sent for now. */
  isHeld?(projectId: string): boolean;
  /** Deliveries that may wait while later events wait in the feed. Default: 10,000. */
  readonly waitingMax?: number;
  /** Bytes of payloads that may be in memory. Default: 1 MiB. */
  readonly heldBytesMax?: number;
  /** Disables the destination with everything that belongs to it. */
  disable(trx: Db, destination: Destination, reason: DisabledReason): Promise<void>;
};

/** How a slice ended: when there is something to do again, and in which job; undefined where nothing waits. */
export type SliceEnd = { readonly lane: Lane; readonly runAgainAt: Date } | undefined;

/**
 * Serves one destination for a while: takes events from the feed, sends what is due, writes what became of it. A
 * delivery is in the store before its first attempt, and the cursor moves in the same transaction, so that a process
 * that dies loses nothing: another one sends again what was in flight, under the same id.
 */
export class DeliverySlice {
  readonly #deps: SliceDependencies;
  #destination: Destination;
  #progress: DestinationProgress;
  #outlet: Outlet | undefined;
  #ready: LoadedDelivery[] = [];
  readonly #inFlight = new Map<string, LoadedDelivery>();
  readonly #busyKeys = new Set<string>();
  #outcomes: DeliveryOutcome[] = [];
  #window: number;
  #waiting = 0;
  readonly #waitingMax: number;
  readonly #heldBytesMax: number;
  #mayBeInFeed = true;
  #mayBeInStore = true;
  /** New events may go straight from the feed into memory: no earlier one of their connection can be in the store. */
  #isDirect = true;
  #nextRetryMs = Number.POSITIVE_INFINITY;
  #isStopping = false;
  #isChanged = false;
  #disabledReason: DisabledReason | undefined;
  readonly #ending = new AbortController();
  #woken = Promise.withResolvers<void>();

  constructor(deps: SliceDependencies, destination: Destination) {
    this.#deps = deps;
    this.#waitingMax = deps.waitingMax ?? WAITING_MAX;
    this.#heldBytesMax = deps.heldBytesMax ?? HELD_BYTES_MAX;
    this.#destination = destination;
    this.#progress = { ...destination, holdUntil: null };
    const isProven = destination.failures === 0 && destination.lastSuccessAt !== null;
    this.#window = isProven ? IN_FLIGHT_MAX : 1;
  }

  /** The feed has something new. */
  nudge(): void {
    this.#mayBeInFeed = true;
    this.#wake();
  }

  async run(signal: AbortSignal): Promise<SliceEnd> {
    const stop = () => this.#stop();
    const timer = setTimeout(stop, SLICE_MS);
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.#outlet = await this.#deps.destinations.openOutlet(this.#deps.db, this.#destination);
      // Its row is gone: nothing goes out unsigned.
      if (this.#outlet === undefined) return undefined;
      this.#waiting = await countWaiting(this.#deps.db, this.#destination, this.#waitingMax);
      this.#isDirect = this.#destination.ordered === 'none' || this.#waiting === 0;
      if (signal.aborted) stop();
      while (!this.#isStopping && !this.#isIdle()) await this.#runRound();
      await this.#drain(signal);
      return await this.#end();
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      this.#isStopping = true;
      this.#ending.abort();
    }
  }

  async #runRound(): Promise<void> {
    const startedAtMs = performance.now();
    this.#woken = Promise.withResolvers();
    await this.#flush();
    if (this.#deps.now() >= this.#nextRetryMs) this.#mayBeInStore = true;
    if (this.#mayBeInStore && this.#hasRoom()) await this.#loadFromStore();
    if (this.#canTakeFromFeed() && this.#hasRoom()) await this.#takeFromFeed();
    this.#startSends();
    if (this.#isStopping || this.#isIdle()) return;
    const hasMore = this.#hasRoom() && (this.#canTakeFromFeed() || this.#mayBeInStore);
    if (!hasMore && this.#outcomes.length === 0) await this.#woken.promise;
    const leftMs = ROUND_MS - (performance.now() - startedAtMs);
    if (leftMs > 0) await pause(leftMs);
  }

  #canTakeFromFeed(): boolean {
    return this.#mayBeInFeed && this.#waiting < this.#waitingMax;
  }

  #hasRoom(): boolean {
    return this.#ready.length < FEED_PAGE && this.#freeBytes() > 0;
  }

  #freeBytes(): number {
    const held = [...this.#ready, ...this.#inFlight.values()];
    return this.#heldBytesMax - held.reduce((bytes, { dataText }) => bytes + dataText.length, 0);
  }

  #isIdle(): boolean {
    const isEmpty = this.#ready.length + this.#inFlight.size + this.#outcomes.length === 0;
    return isEmpty && !this.#mayBeInStore && !this.#canTakeFromFeed();
  }

  async #takeFromFeed(): Promise<void> {
    this.#mayBeInFeed = false;
    const taken = await takeFromFeed(this.#deps, this.#destination, {
      limit: Math.min(FEED_PAGE, this.#waitingMax - this.#waiting),
      bytesMax: this.#freeBytes(),
    });
    if (taken === undefined) return;
    if (taken === 'destination_changed') {
      this.#isChanged = true;
      this.#stop();
      return;
    }
    const { position, entered, known, loaded } = taken;
    this.#deps.noteInserted?.(this.#destination.projectId, entered);
    this.#destination = { ...this.#destination, position };
    this.#mayBeInFeed = true;
    this.#waiting += entered;
    // Those that are known are sent in their order among the others, which the store has.
    if (known > 0 && this.#destination.ordered !== 'none') this.#isDirect = false;
    if (this.#isDirect) this.#ready.push(...loaded);
    else this.#mayBeInStore = true;
  }

  async #loadFromStore(): Promise<void> {
    const held = [...this.#ready, ...this.#inFlight.values(), ...this.#outcomes];
    this.#nextRetryMs = Number.POSITIVE_INFINITY;
    const { loaded, expired, hasMore } = await loadFromStore(this.#deps, this.#destination, {
      held: held.map(({ delivery }) => delivery),
      freeBytes: () => this.#freeBytes(),
    });
    this.#ready.push(...loaded);
    this.#outcomes.push(...expired.map(expiredOutcome));
    this.#mayBeInStore = hasMore;
  }

  #startSends(): void {
    if (this.#deps.isHeld?.(this.#destination.projectId)) this.#stop();
    while (!this.#isStopping && this.#inFlight.size < this.#window) {
      const next = this.#takeReady();
      if (next === undefined || this.#outlet === undefined) return;
      void this.#send(next, this.#outlet);
    }
  }

  #takeReady(): LoadedDelivery | undefined {
    if (this.#destination.ordered === 'none') return this.#ready.shift();
    const index = this.#ready.findIndex(({ delivery }) => !this.#busyKeys.has(orderKey(delivery)));
    return index === -1 ? undefined : this.#ready.splice(index, 1)[0];
  }

  async #send(loaded: LoadedDelivery, outlet: Outlet): Promise<void> {
    const { delivery, event, dataText } = loaded;
    const { sender, publicUrl, now, random } = this.#deps;
    this.#inFlight.set(delivery.id, loaded);
    this.#busyKeys.add(orderKey(delivery));
    const { target, secrets } = outlet;
    const message = { ...buildMessage(event, dataText, this.#destination.format, publicUrl), secrets };
    const sent = await sender.send(target, message, this.#ending.signal);
    this.#inFlight.delete(delivery.id);
    this.#busyKeys.delete(orderKey(delivery));
    if (sent !== undefined) {
      const chance = { nowMs: now(), random: random() };
      const outcome = judgeOutcome(delivery, sent, chance);
      this.#outcomes.push(outcome);
      this.#countOutcome(outcome);
      this.#progress = progressAfter(this.#progress, sent, chance);
      this.#disabledReason ??= reasonToDisable(this.#progress, sent, chance.nowMs);
      this.#adapt(sent.error === undefined);
    }
    this.#startSends();
    this.#wake();
  }

  #countOutcome({ delivery, state, nextAttemptAt }: DeliveryOutcome): void {
    this.#deps.countDelivery(state);
    if (nextAttemptAt !== null) this.#nextRetryMs = Math.min(this.#nextRetryMs, nextAttemptAt.getTime());
    if (this.#destination.ordered === 'none') return;
    // Later events of the connection wait in the store for this one.
    if (state === 'failed') {
      this.#isDirect = false;
      this.#ready = this.#ready.filter((one) => orderKey(one.delivery) !== orderKey(delivery));
    }
    if (!this.#isDirect) this.#mayBeInStore = true;
  }

  /** Fewer attempts at a time for a destination that fails, and none once it is held back or in the wrong job. */
  #adapt(hasSucceeded: boolean): void {
    this.#window = hasSucceeded ? Math.min(this.#window * 2, IN_FLIGHT_MAX) : Math.max(1, this.#window >> 1);
    const { lane, holdUntil } = this.#progress;
    const isOver =
      this.#disabledReason !== undefined || holdUntil !== null || lane !== this.#destination.lane;
    if (isOver) this.#stop();
  }

  async #flush(): Promise<void> {
    const outcomes = this.#outcomes;
    if (outcomes.length === 0) return;
    this.#outcomes = [];
    const progress = this.#progress;
    const reason = this.#disabledReason;
    const { db, dataKeys, destinations } = this.#deps;
    const isSaved = await db.transaction(async (trx) => {
      const isServedHere = await writeOutcomes(trx, dataKeys, outcomes);
      const isUnchanged = isServedHere && (await destinations.saveProgress(trx, this.#destination, progress));
      if (isUnchanged && reason !== undefined) await this.#deps.disable(trx, this.#destination, reason);
      return isUnchanged;
    });
    this.#waiting -= outcomes.filter(({ nextAttemptAt }) => nextAttemptAt === null).length;
    if (isSaved && reason === undefined) return;
    this.#isChanged = !isSaved;
    this.#stop();
  }

  /** Waits for the attempts in flight, but not for long where the process stops. */
  async #drain(signal: AbortSignal): Promise<void> {
    const giveUp = () => setTimeout(() => this.#ending.abort(), STOP_GRACE_MS).unref();
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    while (this.#inFlight.size > 0) {
      this.#woken = Promise.withResolvers();
      await this.#woken.promise;
    }
    signal.removeEventListener('abort', giveUp);
    await this.#flush();
  }

  async #end(): Promise<SliceEnd> {
    const { db, now } = this.#deps;
    if (this.#disabledReason !== undefined && !this.#isChanged) return undefined;
    const { lane, holdUntil } = this.#isChanged ? { ...this.#destination, holdUntil: null } : this.#progress;
    if (holdUntil !== null) return { lane, runAgainAt: holdUntil };
    if (this.#isStopping || this.#canTakeFromFeed()) return { lane, runAgainAt: new Date(now()) };
    const runAgainAt = await findNextDue(db, this.#destination);
    return runAgainAt && { lane, runAgainAt };
  }

  #stop(): void {
    this.#isStopping = true;
    this.#wake();
  }

  #wake(): void {
    this.#woken.resolve();
  }
}
