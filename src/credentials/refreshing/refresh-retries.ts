import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../../lib/entries-up-to.ts';

/** Refreshes whose first repetition is remembered: a connection that is deleted meanwhile is never heard of again. */
const REMEMBERED_MAX = 10_000;
/** Added to the pause that the store keeps, by a clock that is not ours. */
const SLACK_MS = 250;

/** Runs an action later; the process may end before. */
export type RunLater = (delayMs: number, action: () => void) => void;

/**
 * Refreshes that got no answer, asked again without waiting for a call: the provider may have used up the refresh
 * token, and takes it a second time only within a certain time of the first.
 */
export function createRefreshRetries(deps: { now(): number; runLater: RunLater }) {
  const untilMs = new LRUCache<string, number>(entriesUpTo(REMEMBERED_MAX));

  return {
    /** `withinMs` counts from the first of several repetitions under one key. */
    repeat(key: string, delayMs: number, withinMs: number, refresh: () => Promise<unknown>): void {
      const now = deps.now();
      const until = untilMs.get(key) ?? now + withinMs;
      untilMs.set(key, until);
      if (now + delayMs + SLACK_MS >= until) untilMs.delete(key);
      // The refresh itself logs and records its outcome.
      else deps.runLater(delayMs + SLACK_MS, () => void refresh().catch(() => undefined));
    },
    forget(key: string): void {
      untilMs.delete(key);
    },
  };
}

export const runLater: RunLater = (delayMs, action) => {
  setTimeout(action, delayMs).unref();
};
