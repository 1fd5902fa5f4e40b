import type { WaitRules } from '../../catalog/facts/read-retry-after.ts';
import { type RateBudget, readRateBudget } from './rate-budget.ts';
import type { RateBudgetsStore } from './rate-budgets.store.ts';

/** Polls leave this part of an allowance to the application's own calls. */
const HEADROOM = 0.2;
/** How long a process trusts what it has read of what other processes heard. */
const TRUST_MS = 5_000;

type Watched = { readonly budgetId: string; readonly rules: WaitRules };

/** Times on the monotonic clock of this process: a clock that is set changes no pause. */
type Known = {
  allowed: number | null;
  remaining: number | null;
  resetsAt: number | null;
  pausedUntil: number | null;
  readAt: number;
};

export type RateBudgets = ReturnType<typeof createRateBudgets>;

/**
 * What the provider's answers tell of rate limits, to polls and to proxied calls, in this process and in others. Proxied
 * calls are never held back by it: only polls wait.
 */
export function createRateBudgets(deps: {
  store: RateBudgetsStore;
  /** The wall clock, for times that a provider names. */
  now(): number;
  /** Milliseconds that never go back. */
  monotonicNow?(): number;
}) {
  const monotonicNow = deps.monotonicNow ?? (() => performance.now());
  let watched = new Map<string, Watched>();
  const known = new Map<string, Known>();
  const unwritten = new Map<string, RateBudget>();

  function learn(
    watch: Watched,
    status: number,
    field: (name: string) => string | undefined,
  ): RateBudget | undefined {
    const learned = readRateBudget(watch.rules, { status, field }, deps.now());
    if (learned === undefined) return undefined;
    adopt(watch.budgetId, learned);
    unwritten.set(watch.budgetId, learned);
    return learned;
  }

  function adopt(id: string, learned: RateBudget): void {
    const at = monotonicNow();
    const before = known.get(id);
    const pausedUntil = learned.pausedForMs === null ? null : at + learned.pausedForMs;
    known.set(id, {
      allowed: learned.allowed ?? before?.allowed ?? null,
      remaining: learned.remaining,
      resetsAt: learned.resetsInMs === null ? null : at + learned.resetsInMs,
      pausedUntil: pausedUntil ?? before?.pausedUntil ?? null,
      readAt: at,
    });
  }

  return {
    learn,
    /** The connections whose answers are of interest, as the store knows them. */
    watchOnly(connections: ReadonlyMap<string, Watched>): void {
      watched = new Map(connections);
      const ids = new Set([...connections.values()].map(({ budgetId }) => budgetId));
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    },
    watch(connectionId: string, watch: Watched): void {
      watched.set(connectionId, watch);
    },
    /** Hears of the answer to a proxied call. One look-up for a connection that is not polled. */
    noteProxied(connectionId: string, status: number, rawHeaders: readonly string[]): void {
      const watch = watched.get(connectionId);
      if (watch !== undefined) learn(watch, status, (name) => fieldIn(rawHeaders, name));
    },
    /** How long polls that share the allowance wait before their next request; 0: not at all. */
    async waitMs(budgetId: string): Promise<number> {
      const at = monotonicNow();
      if (at - (known.get(budgetId)?.readAt ?? Number.NEGATIVE_INFINITY) > TRUST_MS) {
        const stored = await deps.store.read(budgetId);
        if (stored !== undefined) adopt(budgetId, stored);
      }
      const {
        allowed = null,
        remaining = null,
        resetsAt = null,
        pausedUntil = null,
      } = known.get(budgetId) ?? {};
      const pauseMs = Math.max(0, (pausedUntil ?? at) - at);
      const isScarce = remaining !== null && remaining < Math.max(1, (allowed ?? 0) * HEADROOM);
      return Math.max(pauseMs, isScarce && resetsAt !== null ? Math.max(0, resetsAt - at) : 0);
    },
    /** Tells other processes. */
    async flush(): Promise<void> {
      const learned = new Map(unwritten);
      unwritten.clear();
      await deps.store.write(learned);
    },
  };
}

function fieldIn(rawHeaders: readonly string[], name: string): string | undefined {
  const wanted = name.toLowerCase();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const field = rawHeaders[index] ?? '';
    if (field.length === wanted.length && field.toLowerCase() === wanted) return rawHeaders[index + 1];
  }
  return undefined;
}
