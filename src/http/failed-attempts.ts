import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { createSharedLimits, type SharedLimits } from '../platform/limits/shared-limits.ts';
import type { HttpError } from './errors.ts';
import { rateLimitedError, rateLimitHeaders } from './rate-limits.ts';

const WAIT_SECONDS_MAX = 15 * 60;
const NETWORKS_MAX = 10_000;

/** How often a network failed beyond its limit, and how long its next wrong credentials are refused with a 429. */
type Penalty = { readonly strikes: number; readonly untilMs: number };

/**
 * Counts refused credentials by network (an address or its /64). It never decides about good ones: those are looked up
 * whatever came from the same address before, so that an attacker cannot lock others out. Beyond the limit a refusal
 * becomes a 429 whose `Retry-After` doubles with every further failure, up to 15 minutes. Failures count over all
 * processes; how long the wait is, each process decides by itself. `now` is in milliseconds and must never go backwards.
 */
export function createFailedAttempts(options: {
  perMinute: number;
  /** Keeps these failures apart from others. */
  name?: string;
  /** Left out: this process is the only one. */
  sharedLimits?: Pick<SharedLimits, 'limit'>;
  now?: () => number;
}) {
  const { now = () => performance.now(), name = 'refused credentials' } = options;
  const { sharedLimits = createSharedLimits({ peers: () => 1, now }) } = options;
  const limit = sharedLimits.limit({ name });
  const rate = { limit: options.perMinute, windowSeconds: 60 };
  const penalties = new LRUCache<string, Penalty>(entriesUpTo(NETWORKS_MAX));

  function isPenalized(network: string): boolean {
    return (penalties.get(network)?.untilMs ?? 0) > now();
  }

  return {
    /** Whether the next credentials from here are likely to be wrong as well. */
    isOverLimit: (network: string): boolean =>
      isPenalized(network) || limit.peek(network, rate)?.allowed === false,

    /** Counts a failure. Answers the refusal to give instead, where the network is over its limit. */
    async count(network: string): Promise<HttpError | undefined> {
      const state = await limit.spend(network, rate);
      const nowMs = now();
      if (state.allowed && !isPenalized(network)) return undefined;
      const before = penalties.get(network);
      const isForgotten = before === undefined || nowMs > before.untilMs + WAIT_SECONDS_MAX * 1_000;
      const strikes = isForgotten ? 0 : before.strikes;
      const waitSeconds = Math.max(state.retryAfterSeconds, Math.min(2 ** strikes, WAIT_SECONDS_MAX));
      penalties.set(network, { strikes: strikes + 1, untilMs: nowMs + waitSeconds * 1_000 });
      const refused = { ...state, allowed: false, remaining: 0, retryAfterSeconds: waitSeconds };
      return rateLimitedError(refused, rateLimitHeaders(rate, refused));
    },
  };
}

export type FailedAttempts = ReturnType<typeof createFailedAttempts>;
