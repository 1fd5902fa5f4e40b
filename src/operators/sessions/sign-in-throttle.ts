import { LRUCache } from 'lru-cache';
import { HttpError } from '../../http/errors.ts';
import { rateLimitedError } from '../../http/rate-limits.ts';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import { createFairQueue, type FairQueue, QueueFullError } from '../../lib/fair-queue.ts';
import { createRateLimiter } from '../../lib/rate-limit.ts';

const WINDOW_SECONDS = 15 * 60;
const FAILURES_PER_PAIR = 10;
const FAILURES_PER_DEVICE = 10;
const FAILURES_PER_NETWORK = 50;
const FAILURES_PER_ACCOUNT = 30;
const SLOW_LANES_MAX = 1_000;
const SLOW_LANE_PAUSE_MS = 1_000;
const SLOW_LANE_WAITING_MAX = 20;

/** Who tries to sign in as whom. */
export type SignInAttempt = {
  /** As typed; it may belong to no account. */
  readonly email: string;
  readonly network: string;
  /** True where the browser has signed in to this account before. */
  readonly isKnownDevice: boolean;
};

export type SignInThrottle = ReturnType<typeof createSignInThrottle>;

/**
 * Slows guessing down, by failures of the last quarter of an hour, so that no stranger can lock an operator out:
 * - one network has ten for an account and fifty over all accounts, then it is refused for a while;
 * - an account that fails from many networks takes one attempt a second, networks taking turns;
 * - a browser that has signed in to the account before passes both and has ten of its own (OWASP, "Slow Down Online
 *   Guessing Attacks with Device Cookies").
 * Accounts count by the address as typed, whether there is one or not. In memory, per process.
 */
export function createSignInThrottle(
  deps: { now?: () => number; pause?: (ms: number) => Promise<void> } = {},
) {
  const now = deps.now ?? (() => performance.now());
  const pause = deps.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const limiter = (limit: number) => createRateLimiter({ limit, windowSeconds: WINDOW_SECONDS });
  const pairs = limiter(FAILURES_PER_PAIR);
  const devices = limiter(FAILURES_PER_DEVICE);
  const networks = limiter(FAILURES_PER_NETWORK);
  const accounts = limiter(FAILURES_PER_ACCOUNT);
  const slowLanes = new LRUCache<string, FairQueue>(entriesUpTo(SLOW_LANES_MAX));

  function countersOf({ email, network, isKnownDevice }: SignInAttempt) {
    const account = email.toLowerCase();
    if (isKnownDevice) return [{ counter: devices, key: account }];
    return [
      { counter: pairs, key: `${account} ${network}` },
      { counter: networks, key: network },
    ];
  }

  function slowLaneOf(account: string): FairQueue {
    const lane =
      slowLanes.get(account) ??
      createFairQueue({ running: 1, waitingPerKeyMax: 1, waitingMax: SLOW_LANE_WAITING_MAX });
    slowLanes.set(account, lane);
    return lane;
  }

  async function takeTurn(account: string, network: string): Promise<void> {
    try {
      await slowLaneOf(account).run(network, () => pause(SLOW_LANE_PAUSE_MS));
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      throw new HttpError('rate_limited', { headers: { 'Retry-After': '5' } });
    }
  }

  return {
    /** Resolves when the attempt may be judged. Rejects with `rate_limited`. */
    async admit(attempt: SignInAttempt): Promise<void> {
      for (const { counter, key } of countersOf(attempt)) {
        const state = counter.peek(key, now());
        if (!state.allowed) throw rateLimitedError(state);
      }
      const account = attempt.email.toLowerCase();
      if (attempt.isKnownDevice || accounts.peek(account, now()).allowed) return;
      await takeTurn(account, attempt.network);
    },

    countFailure(attempt: SignInAttempt): void {
      for (const { counter, key } of countersOf(attempt)) counter.check(key, now());
      if (!attempt.isKnownDevice) accounts.check(attempt.email.toLowerCase(), now());
    },
  };
}
