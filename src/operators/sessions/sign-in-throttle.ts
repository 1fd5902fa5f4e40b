import { LRUCache } from 'lru-cache';
import { HttpError } from '../../http/errors.ts';
import { rateLimitedError } from '../../http/rate-limits.ts';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import { createFairQueue, type FairQueue, QueueFullError } from '../../lib/fair-queue.ts';
import { createSharedLimits, type SharedLimits } from '../../platform/limits/shared-limits.ts';

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
 * Accounts count by the address as typed, whether there is one or not. All processes count together, and a restart forgets
 * nothing.
 */
export function createSignInThrottle(
  deps: {
    sharedLimits?: Pick<SharedLimits, 'limiter' | 'processes'>;
    pause?: (ms: number) => Promise<void>;
  } = {},
) {
  const { sharedLimits = createSharedLimits({ peers: () => 1 }) } = deps;
  const pause = deps.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const limiter = (of: string, limit: number) =>
    sharedLimits.limiter({
      name: `failed sign-ins ${of}`,
      limit,
      windowSeconds: WINDOW_SECONDS,
      isKept: true,
    });
  const pairs = limiter('at an account from a network', FAILURES_PER_PAIR);
  const devices = limiter('at an account from its browsers', FAILURES_PER_DEVICE);
  const networks = limiter('from a network', FAILURES_PER_NETWORK);
  const accounts = limiter('at an account', FAILURES_PER_ACCOUNT);
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
      // Each process has a lane of its own.
      const pauseMs = SLOW_LANE_PAUSE_MS * sharedLimits.processes();
      await slowLaneOf(account).run(network, () => pause(pauseMs));
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      throw new HttpError('rate_limited', { headers: { 'Retry-After': '5' } });
    }
  }

  return {
    /** Resolves when the attempt may be judged. Rejects with `rate_limited`. */
    async admit(attempt: SignInAttempt): Promise<void> {
      const account = attempt.email.toLowerCase();
      // Together, so that they take one exchange with the other processes.
      const [ofAccount, ...states] = await Promise.all([
        attempt.isKnownDevice ? undefined : accounts.look(account),
        ...countersOf(attempt).map(({ counter, key }) => counter.look(key)),
      ]);
      const refusal = states.find((state) => state?.allowed === false);
      if (refusal !== undefined) throw rateLimitedError(refusal);
      if (ofAccount?.allowed === false) await takeTurn(account, attempt.network);
    },

    /** Resolves when the other processes know of it. */
    async countFailure(attempt: SignInAttempt): Promise<void> {
      await Promise.all([
        ...countersOf(attempt).map(({ counter, key }) => counter.check(key)),
        !attempt.isKnownDevice && accounts.check(attempt.email.toLowerCase()),
      ]);
    },
  };
}
