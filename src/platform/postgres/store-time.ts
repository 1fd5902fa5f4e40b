import { AsyncLocalStorage } from 'node:async_hooks';
import { settleWithin } from '../../lib/settle-within.ts';

/** What one request may wait for the store in all. Each single wait has limits of its own, see database.ts. */
export const STORE_TIME_MS = 3_000;

/** The store was too slow for one request, which waited for it for as long as it may. */
export class StoreTimeError extends Error {
  override readonly name = 'StoreTimeError';

  constructor() {
    super('The store took too long for one request');
  }
}

/** The time that one piece of work has waited for the store. Waits at the same time count once. */
class StoreTimer {
  /** Whether a wait is cut short when the time is over. */
  readonly mayCut: boolean;
  readonly #limitMs: number;
  readonly #onOver: () => void;
  #usedMs = 0;
  #waits = 0;
  #waitingSinceMs = 0;
  #over: NodeJS.Timeout | undefined;

  constructor(limitMs: number, mayCut: boolean, onOver: () => void) {
    this.#limitMs = limitMs;
    this.mayCut = mayCut;
    this.#onOver = onOver;
  }

  get leftMs(): number {
    const current = this.#waits > 0 ? performance.now() - this.#waitingSinceMs : 0;
    return this.#limitMs - this.#usedMs - current;
  }

  begin(): void {
    this.#waits += 1;
    if (this.#waits > 1) return;
    this.#waitingSinceMs = performance.now();
    this.#over = setTimeout(this.#onOver, Math.max(0, this.#limitMs - this.#usedMs)).unref();
  }

  end(): void {
    this.#waits -= 1;
    if (this.#waits > 0) return;
    clearTimeout(this.#over);
    this.#usedMs += performance.now() - this.#waitingSinceMs;
  }
}

/** A request's own timer reaches every query that it causes, without each store having to pass it on. */
const timers = new AsyncLocalStorage<StoreTimer | undefined>();

/**
 * Runs the work of a request. Once it has waited for the store for `limitMs` in all, the wait under way and every
 * further one reject with an error that isTransientStoreError knows. Ends of transactions are never cut.
 */
export function limitStoreTime<T>(work: () => T, limitMs = STORE_TIME_MS): T {
  return timers.run(new StoreTimer(limitMs, true, () => undefined), work);
}

/**
 * Runs work that must not be cut in the middle, and that others may share. Rejects with StoreTimeError once it has
 * waited for the store for `limitMs` in all; the work goes on.
 */
export function boundStoreWait<T>(work: () => Promise<T>, limitMs = STORE_TIME_MS): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = new StoreTimer(limitMs, false, () => reject(new StoreTimeError()));
  promise.catch(() => undefined);
  return Promise.race([timers.run(timer, work), promise]);
}

/** Runs work that a request starts but that is not its own: it may take however long the store takes. */
export function withoutStoreLimit<T>(work: () => T): T {
  return timers.run(undefined, work);
}

/**
 * One wait for the store. `wait` gets the time that is left to it in ms, or undefined where nothing limits it.
 * Rejects with StoreTimeError when no time is left.
 */
export async function countStoreTime<T>(wait: (leftMs: number | undefined) => Promise<T>): Promise<T> {
  const timer = timers.getStore();
  if (timer === undefined) return wait(undefined);
  const leftMs = timer.leftMs;
  if (timer.mayCut && leftMs <= 0) throw new StoreTimeError();
  timer.begin();
  try {
    return await wait(timer.mayCut ? leftMs : undefined);
  } finally {
    timer.end();
  }
}

/**
 * One wait for store work that several callers share, started by `withoutStoreLimit`. A caller with no time left for it
 * gets StoreTimeError; the work goes on for the others.
 */
export function countSharedStoreTime<T>(shared: Promise<T>): Promise<T> {
  return countStoreTime((leftMs) =>
    leftMs === undefined ? shared : waitForStore(leftMs, shared, () => undefined),
  );
}

/** What the promise gives; rejects with StoreTimeError, and calls `onLate`, where that takes longer than `leftMs`. */
export async function waitForStore<T>(leftMs: number, promise: Promise<T>, onLate: () => void): Promise<T> {
  return settleWithin(leftMs, promise, () => {
    onLate();
    return Promise.reject(new StoreTimeError());
  });
}
