import { createHash } from 'node:crypto';
import { judgeRate, type Rate, type RateLimit } from '../../lib/rate-limit.ts';
import type { LedgerEntry, Standing } from './ledger.ts';

/** A key whose last calls are older than this gives back what is set aside for it. */
const IDLE_MS = 2_000;
/** A key that uses up in this time what was set aside gets twice as much. */
const BUSY_MS = 1_000;
const KEY_LENGTH = 27;
const AHEAD_MAX = 1_000;
const CREDIT_MAX = 8;
/** Processes together hold at most so much of a limit as credit, and each so much of it ahead of need. */
const PART_ON_CREDIT = 1 / 16;
const PART_AHEAD = 1 / 4;

/**
 * What one process knows of one key: the calls that are set aside for it, those that it made on credit, and what the
 * ledger said last. All times are of the monotonic clock.
 */
export class Lease {
  readonly #name: string;
  /** The limit outlives its process: the ledger hears of every call. */
  readonly #isKept: boolean;
  #key: string | undefined;
  rate: Rate;
  /** Calls set aside that were not made yet. */
  tokens = 0;
  /** Calls made without being set aside, of which the ledger does not know. */
  owed = 0;
  /** What of `owed` and of tokens to give back is on its way to the ledger. */
  #settling = 0;
  #wanted = 0;
  #ahead = 1;
  #grantedAtMs = Number.NEGATIVE_INFINITY;
  #usedMs = 0;
  #usedAtMs = 0;
  #refusedUntilMs = Number.NEGATIVE_INFINITY;
  #lastCallMs = Number.NEGATIVE_INFINITY;
  /** This process's own calls, each as if it had its share of the limit alone. */
  #ownWholeAtMs = 0;
  /** The ledger has heard of the calls of this process. */
  #isKnown = false;
  /** Callers that wait for the next exchange, and those of the one under way. */
  readonly #waiting: (() => void)[] = [];
  #served: readonly (() => void)[] = [];

  constructor(name: string, rate: Rate, isKept: boolean) {
    this.#name = name;
    this.#isKept = isKept;
    this.rate = rate;
  }

  /** Names may be of persons: the ledger does not learn which. */
  get key(): string {
    this.#key ??= createHash('sha256').update(this.#name).digest('base64url').slice(0, KEY_LENGTH);
    return this.#key;
  }

  get #intervalMs(): number {
    return (this.rate.windowSeconds * 1000) / this.rate.limit;
  }

  /** Uses a call that is set aside, or one on credit. Undefined: the ledger has to be asked. */
  take(nowMs: number, peers: number, isCounted: boolean): RateLimit | undefined {
    if (this.tokens > 0) {
      if (isCounted) {
        this.tokens -= 1;
        this.#note(nowMs, peers);
      }
      return this.#state(nowMs, true);
    }
    if (nowMs < this.#refusedUntilMs) return this.#state(nowMs, false);
    if (this.owed + Math.max(0, this.#settling) >= creditOf(this.rate, peers)) return undefined;
    if (isCounted) {
      this.owed += 1;
      this.#note(nowMs, peers);
    }
    return this.#state(nowMs, true);
  }

  /** Decides by the share of this process alone, where the ledger cannot be asked or no other process lives. */
  takeOfShare(nowMs: number, peers: number, isCounted: boolean, isOwed: boolean): RateLimit {
    if (this.tokens > 0) return this.take(nowMs, peers, isCounted) ?? this.#state(nowMs, true);
    const share = { ...this.rate, limit: Math.max(1, Math.floor(this.rate.limit / peers)) };
    const state = judgeRate(share, Math.max(0, this.#ownWholeAtMs - nowMs));
    if (state.allowed && isCounted) {
      if (isOwed) this.owed += 1;
      this.#note(nowMs, peers);
    }
    return { ...state, limit: this.rate.limit };
  }

  #note(nowMs: number, peers: number): void {
    const windowMs = this.rate.windowSeconds * 1000;
    const whole = Math.max(this.#ownWholeAtMs, nowMs) + this.#intervalMs * peers;
    this.#ownWholeAtMs = Math.min(whole, nowMs + windowMs);
    this.#lastCallMs = nowMs;
  }

  /** What this process used before the ledger was asked for the first time becomes known to it. */
  introduce(nowMs: number): void {
    if (this.#isKnown) return;
    this.#isKnown = true;
    if (!this.#isKept)
      this.owed += Math.ceil(Math.max(0, this.#ownWholeAtMs - nowMs) / this.#intervalMs - 1e-6);
  }

  /** Whether the process lived alone since: its calls are not in the ledger. */
  forgetLedger(): void {
    this.#isKnown = false;
  }

  /** Worth an exchange in the background. */
  isDue(nowMs: number): boolean {
    if (this.#wanted > 0 || this.#settling !== 0) return false;
    return this.owed > 0 || this.#isLow() || this.isIdle(nowMs);
  }

  #isLow(): boolean {
    return this.#ahead > 1 && this.tokens * 2 < this.#ahead;
  }

  isIdle(nowMs: number): boolean {
    return this.tokens > 0 && nowMs - this.#lastCallMs > IDLE_MS;
  }

  get isUnderWay(): boolean {
    return this.#wanted > 0 || this.#settling !== 0;
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when an exchange that begins after now has ended. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** What the ledger is asked for; the answer goes to `settle` or `fail`. */
  entry(nowMs: number, peers: number): LedgerEntry {
    this.#served = this.#waiting.splice(0);
    const isIdle = this.#served.length === 0 && this.isIdle(nowMs);
    if (isIdle) {
      this.#settling = -this.tokens;
      this.tokens = 0;
      this.#ahead = 1;
    } else {
      this.#settling = this.owed;
      this.owed = 0;
      this.#grow(nowMs, peers);
      const isWanted = this.#served.length > 0 || this.#isLow();
      if (isWanted && nowMs >= this.#refusedUntilMs)
        this.#wanted = Math.max(this.#ahead - this.tokens, this.#served.length, 1);
    }
    return {
      key: this.key,
      intervalMs: this.#intervalMs,
      roomMs: this.#roomMs(peers),
      want: this.#wanted,
      settle: this.#settling,
    };
  }

  /** What a process that stops tells: it keeps nothing. */
  farewell(peers: number): LedgerEntry {
    const settle = this.owed - this.tokens;
    this.owed = 0;
    this.tokens = 0;
    return { key: this.key, intervalMs: this.#intervalMs, roomMs: this.#roomMs(peers), want: 0, settle };
  }

  #roomMs(peers: number): number {
    return this.rate.windowSeconds * 1000 - peers * creditOf(this.rate, peers) * this.#intervalMs;
  }

  /** Asks for more the faster it went. */
  #grow(nowMs: number, peers: number): void {
    const most = Math.max(1, Math.min(AHEAD_MAX, Math.floor((this.rate.limit * PART_AHEAD) / peers)));
    const isBusy = nowMs - this.#grantedAtMs < BUSY_MS;
    this.#ahead = Math.min(most, isBusy ? this.#ahead * 2 : this.#ahead);
  }

  settle({ granted, usedMs }: Standing, nowMs: number, peers: number): void {
    if (granted < this.#wanted)
      this.#refusedUntilMs = nowMs + Math.max(1, usedMs + this.#intervalMs - this.#roomMs(peers));
    else if (usedMs + this.#intervalMs > this.#roomMs(peers) + 1e-6)
      // Full with what this process has: no credit before there is room again.
      this.#refusedUntilMs = nowMs + usedMs + this.#intervalMs - this.#roomMs(peers);
    else this.#refusedUntilMs = Number.NEGATIVE_INFINITY;
    if (granted > 0) this.#grantedAtMs = nowMs;
    this.tokens += granted;
    this.#usedMs = usedMs;
    this.#usedAtMs = nowMs;
    this.#end();
  }

  /** The exchange failed. What was made goes on being owed; what was to be given back may have been, and stays away. */
  fail(): void {
    if (this.#settling > 0) this.owed += this.#settling;
    this.#end();
  }

  #end(): void {
    this.#wanted = 0;
    this.#settling = 0;
    for (const resolve of this.#served) resolve();
    this.#served = [];
  }

  #state(nowMs: number, allowed: boolean): RateLimit {
    const elapsedMs = nowMs - this.#usedAtMs;
    const usedMs = Math.max(
      0,
      this.#usedMs - elapsedMs + (this.owed + this.#settling - this.tokens) * this.#intervalMs,
    );
    const windowMs = this.rate.windowSeconds * 1000;
    return {
      allowed,
      limit: this.rate.limit,
      remaining: allowed ? Math.max(0, Math.floor((windowMs - usedMs + 1e-6) / this.#intervalMs)) : 0,
      resetSeconds: Math.ceil(Math.min(usedMs, windowMs) / 1000),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((this.#refusedUntilMs - nowMs) / 1000)),
    };
  }
}

/** Calls that a process may make before the ledger hears of them; the ledger keeps as many of each process free. */
function creditOf({ limit }: Rate, peers: number): number {
  return Math.min(CREDIT_MAX, Math.floor((limit * PART_ON_CREDIT) / peers));
}
