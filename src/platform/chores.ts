import { settleWithin } from '../lib/settle-within.ts';
import { createFailureLog } from './failure-log.ts';

/** A task that runs now and then in the background, in every process; it must be safe to run in several at once. */
export type Chore = {
  readonly name: string;
  /** The pause between two runs, give or take a tenth, so that processes started together spread. */
  readonly intervalMs: number;
  /** Also runs soon after the start, not only after the first pause. */
  readonly runsAtStart?: boolean;
  /** Runs once more when the process stops: for what is collected in memory. */
  readonly runsAtStop?: boolean;
  /** Ends early when the signal is aborted: the process stops. */
  run(signal: AbortSignal): Promise<unknown>;
};

/** For work without a deadline. */
export const HOURLY = { intervalMs: 3_600_000, runsAtStart: true } as const;

/** A run that failed is made again after this pause where the chore's own is longer. */
const RETRY_MS = 60_000;
/** How long `stop` waits for runs that do not heed the signal. */
const STOP_LIMIT_MS = 5_000;

/**
 * Runs chores, each at its own pace; one that takes long delays no other. A run that fails is logged and made again after a
 * minute, or sooner where the chore's pace is faster; while it goes on failing there is a line a minute. `stop` aborts the runs under way, waits for them, and makes
 * the last runs of those chores that want one; all within `stopLimitMs` each.
 */
export function createChores(deps: {
  chores: readonly Chore[];
  random(): number;
  log: { warn(fields: object, message: string): void };
  stopLimitMs?: number;
  retryMs?: number;
}) {
  const { chores, random, log, stopLimitMs = STOP_LIMIT_MS, retryMs = RETRY_MS } = deps;
  const stopping = new AbortController();
  const timers = new Map<Chore, NodeJS.Timeout>();
  const running = new Map<Chore, Promise<void>>();
  const complaints = createFailureLog(log, 'chore', 'a background chore failed and will be tried again');

  /** Answers the pause after it. */
  async function runOnce(chore: Chore, signal: AbortSignal): Promise<number> {
    try {
      await chore.run(signal);
      complaints.forget(chore.name);
      return chore.intervalMs;
    } catch (error) {
      complaints.complain(chore.name, error);
      return Math.min(chore.intervalMs, retryMs);
    }
  }

  function schedule(chore: Chore, pauseMs: number): void {
    const timer = setTimeout(() => {
      const run = runOnce(chore, stopping.signal).then((pauseMs) => {
        running.delete(chore);
        if (!stopping.signal.aborted) schedule(chore, pauseMs * (0.9 + random() / 5));
      });
      running.set(chore, run);
    }, pauseMs);
    timers.set(chore, timer.unref());
  }

  return {
    start(): void {
      for (const chore of chores)
        schedule(chore, chore.runsAtStart ? 0 : chore.intervalMs * (0.9 + random() / 5));
    },
    async stop(): Promise<void> {
      stopping.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      await settleWithin(stopLimitMs, Promise.all(running.values()), () => undefined);
      const last = chores.filter(({ runsAtStop }) => runsAtStop);
      const lastRuns = last.map((chore) => runOnce(chore, new AbortController().signal));
      await settleWithin(stopLimitMs, Promise.all(lastRuns), () => undefined);
    },
  };
}
