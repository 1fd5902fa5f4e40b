import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import type { Rate, RateLimit } from '../../lib/rate-limit.ts';
import { settleWithin } from '../../lib/settle-within.ts';
import { withoutStoreLimit } from '../postgres/store-time.ts';
import { Lease } from './lease.ts';
import type { LimitLedger } from './ledger.ts';

/** How long a caller waits for the ledger; after that the share of this process decides. */
const PATIENCE_MS = 500;
/** While the ledger does not answer it is asked this often, and callers do not wait for it. */
const LOST_MS = 1_000;
/** What no caller waits for is reported to the ledger together, this often. */
const TELL_MS = 200;
const SWEEP_MS = 1_000;
const ENTRIES_MAX = 500;
const KEYS_MAX = 100_000;
/** A caller that asked so often without a call left over comes again later. */
const ROUNDS_MAX = 3;

/** A limit that all processes of an installation hold together. */
export type SharedLimit = {
  /** Counts a call of `key`, unless it is over the limit. Undefined: `ask` first. */
  check(key: string, rate: Rate): RateLimit | undefined;
  /** What `check` would say, without counting. */
  peek(key: string, rate: Rate): RateLimit | undefined;
  /** Resolves when there is more to say of the key. Never rejects, and never takes long. */
  ask(key: string, rate: Rate): Promise<void>;
  /** `check`, with `ask` where that is needed: at once or with a promise. */
  spend(key: string, rate: Rate): RateLimit | Promise<RateLimit>;
  /** `peek`, likewise: what `spend` would say, without counting. */
  look(key: string, rate: Rate): RateLimit | Promise<RateLimit>;
};

/** One rate for all keys; a `RateLimiter` of one process is one too. */
export type SharedLimiter = Rate & { check(key: string): RateLimit | Promise<RateLimit> };

/** One whose keys are looked at before they are counted, as failures are. */
export type WatchedLimiter = SharedLimiter & { look(key: string): RateLimit | Promise<RateLimit> };

export type SharedLimits = ReturnType<typeof createSharedLimits>;

type Named = {
  /** Keeps its keys apart from those of other limits. */
  readonly name: string;
  /** Counts outlive the process: the ledger hears of the calls of a process that is alone, too. For hours and days. */
  readonly isKept?: boolean;
};

export type SharedLimitsDependencies = {
  /** Left out: this process is the only one. */
  readonly ledger?: LimitLedger;
  /** How many processes share the limits, this one included. */
  peers(): number;
  readonly now?: () => number;
  readonly patienceMs?: number;
  /** Hears once when the ledger is lost and once when it is back. */
  onLost?(error: unknown): void;
  onBack?(): void;
};

/**
 * Limits that hold over all processes. A process has calls set aside for it in the ledger, ahead of need, and decides by
 * those from memory; the ledger never sets more aside than the limit. Only a call that finds none waits for the ledger,
 * shortly. A process that dies leaves at most what was set aside for it, which comes back as the limit fills again.
 * While the ledger is lost, each process goes by its share of the limit: calls are refused for being too many alone.
 */
export function createSharedLimits(deps: SharedLimitsDependencies) {
  const { ledger, peers, now = () => performance.now(), patienceMs = PATIENCE_MS } = deps;
  const leases = new LRUCache<string, Lease>(entriesUpTo(KEYS_MAX));
  const urgent = new Set<Lease>();
  const later = new Set<Lease>();
  /** Leases with calls to give back when they are not used. */
  const holding = new Set<Lease>();
  let exchanging: Promise<void> | undefined;
  let tellTimer: NodeJS.Timeout | undefined;
  let sweepTimer: NodeJS.Timeout | undefined;
  let lostUntilMs = Number.NEGATIVE_INFINITY;
  let isLost = false;
  let wasAlone = true;

  function leaseOf(name: string, key: string, rate: Rate, isKept: boolean): Lease {
    const whole = `${name} ${key}`;
    const known = leases.get(whole);
    if (known !== undefined) {
      known.rate = rate;
      return known;
    }
    const made = new Lease(whole, rate, isKept);
    leases.set(whole, made);
    return made;
  }

  /** Whether calls are decided by what the ledger says. A limit that is `kept` outlives its process. */
  const isShared = (isKept: boolean): boolean => ledger !== undefined && (isKept || peers() > 1);

  function decide(lease: Lease, isKept: boolean, isCounted: boolean): RateLimit | undefined {
    const nowMs = now();
    if (!isShared(isKept)) return lease.takeOfShare(nowMs, 1, isCounted, false);
    if (nowMs < lostUntilMs) {
      if (isCounted) tellLater(lease);
      return lease.takeOfShare(nowMs, peers(), isCounted, true);
    }
    lease.introduce(nowMs);
    const state = lease.take(nowMs, peers(), isCounted);
    if (isCounted && lease.isDue(nowMs)) tellLater(lease);
    return state;
  }

  function tellLater(lease: Lease): void {
    later.add(lease);
    tellTimer ??= withoutStoreLimit(() => setTimeout(tell, TELL_MS).unref());
  }

  function tell(): void {
    tellTimer = undefined;
    startExchange();
  }

  function startExchange(): void {
    if (exchanging !== undefined || ledger === undefined) return;
    const batch = takeBatch();
    if (batch.length === 0) return;
    exchanging = withoutStoreLimit(() => exchange(ledger, batch)).finally(() => {
      exchanging = undefined;
      for (const lease of batch) if (lease.hasWaiting) urgent.add(lease);
      if (urgent.size > 0) startExchange();
      else if (later.size > 0) tellTimer ??= withoutStoreLimit(() => setTimeout(tell, TELL_MS).unref());
    });
  }

  function takeBatch(): Lease[] {
    const batch = new Set<Lease>();
    for (const queue of [urgent, later]) {
      for (const lease of queue) {
        if (batch.size >= ENTRIES_MAX) return [...batch];
        queue.delete(lease);
        if (lease.hasWaiting || lease.isDue(now())) batch.add(lease);
      }
    }
    return [...batch];
  }

  async function exchange(on: LimitLedger, batch: readonly Lease[]): Promise<void> {
    const share = peers();
    const entries = batch.map((lease) => lease.entry(now(), share));
    try {
      const standings = await on.exchange(entries);
      for (const [index, lease] of batch.entries()) {
        const standing = standings[index];
        if (standing === undefined) lease.fail();
        else lease.settle(standing, now(), share);
        if (lease.tokens > 0) holding.add(lease);
      }
      noteBack();
    } catch (error) {
      noteLost(error);
      for (const lease of batch) {
        lease.fail();
        if (lease.owed > 0) later.add(lease);
      }
    }
  }

  function noteLost(error: unknown): void {
    lostUntilMs = now() + LOST_MS;
    if (isLost) return;
    isLost = true;
    deps.onLost?.(error);
  }

  function noteBack(): void {
    lostUntilMs = Number.NEGATIVE_INFINITY;
    if (!isLost) return;
    isLost = false;
    deps.onBack?.();
  }

  /** Gives back what idle keys hold; tells the ledger of the calls of a process that is not alone any more. */
  function sweep(): void {
    const nowMs = now();
    const isAlone = peers() <= 1;
    if (isAlone && !wasAlone) for (const lease of leases.values()) lease.forgetLedger();
    if (!isAlone && wasAlone) for (const lease of leases.values()) introduce(lease, nowMs);
    wasAlone = isAlone;
    for (const lease of holding) {
      if (lease.tokens === 0) holding.delete(lease);
      else if (lease.isIdle(nowMs)) tellLater(lease);
    }
  }

  function introduce(lease: Lease, nowMs: number): void {
    lease.introduce(nowMs);
    if (lease.owed > 0) tellLater(lease);
  }

  /** Waits for an answer about the lease, of which one may be under way. */
  function awaitAnswer(lease: Lease): Promise<void> {
    const answered = lease.wait();
    if (!lease.isUnderWay) {
      urgent.add(lease);
      startExchange();
    }
    return settleWithin(patienceMs, answered, () => noteLost(new Error('the ledger of limits is slow')));
  }

  function limit({ name, isKept = false }: Named): SharedLimit {
    const find = (key: string, rate: Rate): Lease => leaseOf(name, key, rate, isKept);

    async function decideLater(key: string, rate: Rate, isCounted: boolean): Promise<RateLimit> {
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        await awaitAnswer(find(key, rate));
        const state = decide(find(key, rate), isKept, isCounted);
        if (state !== undefined) return state;
      }
      return { allowed: false, limit: rate.limit, remaining: 0, resetSeconds: 1, retryAfterSeconds: 1 };
    }
    return {
      check: (key, rate) => decide(find(key, rate), isKept, true),
      peek: (key, rate) => decide(find(key, rate), isKept, false),
      ask: (key, rate) => awaitAnswer(find(key, rate)),
      spend: (key, rate) => decide(find(key, rate), isKept, true) ?? decideLater(key, rate, true),
      look: (key, rate) => decide(find(key, rate), isKept, false) ?? decideLater(key, rate, false),
    };
  }

  return {
    limit,

    /** A limit whose keys all have the same rate. */
    limiter({ limit: most, windowSeconds, ...named }: Rate & Named): WatchedLimiter {
      const rate = { limit: most, windowSeconds };
      const { spend, look } = limit(named);
      return { ...rate, check: (key) => spend(key, rate), look: (key) => look(key, rate) };
    },

    /** How many processes share the limits, as last seen. */
    processes: peers,

    /** Begins to give back what is not used. */
    start(): void {
      sweepTimer ??= setInterval(sweep, SWEEP_MS).unref();
    },

    /** Gives everything back, as far as the ledger takes it at once. */
    async stop(): Promise<void> {
      clearInterval(sweepTimer);
      clearTimeout(tellTimer);
      await exchanging;
      const held = [...new Set([...holding, ...later])].filter(({ tokens, owed }) => tokens > 0 || owed > 0);
      const entries = held.slice(0, ENTRIES_MAX).map((lease) => lease.farewell(peers()));
      if (ledger === undefined || entries.length === 0) return;
      const reported = ledger.exchange(entries).then(
        () => undefined,
        () => undefined,
      );
      await settleWithin(PATIENCE_MS, reported, () => undefined);
    },
  };
}
