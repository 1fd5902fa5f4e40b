import type { LastTry } from './last-tries.store.ts';
import { createNextStep, type Next } from './next-step.ts';
import { createRefreshAfter401 } from './refresh-after-401.ts';
import { createRefreshAttempts, type RefreshAttemptsDependencies } from './refresh-attempts.ts';
import { createRefreshOutcomes, type RefreshOutcomesDependencies } from './refresh-outcomes.ts';
import { type RefreshResult, unavailable, unavailableWhileUnknown } from './refresh-result.ts';
import { createRefreshRetries, type RunLater, runLater } from './refresh-retries.ts';
import { readRefreshEvent, reuseSeconds } from './refresh-state.ts';
import type { RefreshTarget } from './refresh-target.ts';
import { createWakeUps } from './wake-ups.ts';

/** How long a caller waits for a refresh that another process has under way. */
const WAIT_MS = 12_000;
/** How often the row is looked at while another process asks: its outcome is announced as well, failures are not. */
const LOOK_MS = 1_000;

export type AccessTokens = ReturnType<typeof createAccessTokens>;

export type AccessTokensDependencies = RefreshOutcomesDependencies &
  RefreshAttemptsDependencies & {
    /** Lets an attempt begin when its turn has come; undefined where it has not come within `waitMs`. */
    enqueue<T>(
      owner: Pick<RefreshTarget, 'projectId' | 'integrationId'>,
      work: () => Promise<T>,
      waitMs: number,
    ): Promise<T | undefined>;
    readonly runLater?: RunLater;
    /** Why nothing of the project may be refreshed now. */
    findHold?(projectId: string): 'project_frozen' | 'gateway_restored' | undefined;
  };

/**
 * Refreshes access tokens once, however many calls and processes ask. In one process calls share a promise; among
 * processes the row decides, by the table in `refresh-state.ts`: who talks to the provider, and what an answer, a late
 * answer or none does. No transaction is open while the provider is asked. Store errors are thrown; refusals are
 * returned.
 */
export function createAccessTokens(deps: AccessTokensDependencies) {
  const { store } = deps;
  const repeated = createRefreshRetries({ now: deps.now, runLater: deps.runLater ?? runLater });
  const wakeUps = createWakeUps();
  const underWay = new Map<string, Promise<RefreshResult>>();
  const outcomes = createRefreshOutcomes(deps);
  const attempts = createRefreshAttempts(deps, outcomes);
  const { nextStep, nextWhileUnknown } = createNextStep(deps);

  /** A credential newer than `target.version`: refreshed by this process, or by the one that was first. */
  function refresh(target: RefreshTarget, lastTry?: LastTry): Promise<RefreshResult> {
    const hold = deps.findHold?.(target.projectId);
    if (hold !== undefined) return Promise.resolve({ ok: false, code: hold });
    return refreshWhileHeld(target, lastTry);
  }

  /** The same although the project or the gateway is held. */
  function refreshWhileHeld(target: RefreshTarget, lastTry?: LastTry): Promise<RefreshResult> {
    const key = keyOf(target);
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const unstored = outcomes.unstored(target);
    if (unstored !== undefined) return Promise.resolve(unstored);
    const started = refreshAcrossProcesses(target, lastTry).finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  }

  async function refreshAcrossProcesses(target: RefreshTarget, lastTry?: LastTry): Promise<RefreshResult> {
    const deadlineMs = deps.now() + WAIT_MS;
    let hasClaimed = false;
    let next: Next = { kind: 'claim', ...(lastTry && { lastTry }) };
    for (;;) {
      if (next.kind === 'claim') {
        if (outcomes.isUnheard(target.integrationId)) return resultWhileUnheard(target);
        const result = await takeTurn(target, next.lastTry, deadlineMs);
        if (result !== 'not_claimed') return result;
      }
      // The row may be claimable at once, since the process that asked has just ended; not again and again.
      if (next.kind === 'wait' || hasClaimed) await wakeUps.wait(target.connectionId, LOOK_MS);
      hasClaimed ||= next.kind === 'claim';
      next = await nextStep(target);
      if (next.kind === 'result') return next.result;
      if (deps.now() >= deadlineMs) return unavailable(LOOK_MS);
    }
  }

  /** A place in the queue is held from the claim to the stored answer, and not while another process asks. */
  async function takeTurn(
    target: RefreshTarget,
    lastTry: LastTry | undefined,
    deadlineMs: number,
  ): Promise<RefreshResult | 'not_claimed'> {
    const waitMs = Math.max(0, deadlineMs - deps.now());
    const result = await deps.enqueue(target, () => attempt(target, lastTry), waitMs);
    return result ?? unavailable(LOOK_MS);
  }

  /** So many requests of the integration are unanswered that this process asks nothing more: another one may. */
  async function resultWhileUnheard(target: RefreshTarget): Promise<RefreshResult> {
    const next = await nextStep(target);
    return next.kind === 'result' ? next.result : unavailableWhileUnknown({ retryInMs: 0 });
  }

  async function attempt(
    target: RefreshTarget,
    lastTry: LastTry | undefined,
  ): Promise<RefreshResult | 'not_claimed'> {
    const asked = await attempts.attempt(target, lastTry);
    if (asked === undefined) return 'not_claimed';
    const { state, asker, outcome } = asked;
    const key = keyOf(target);
    if (outcome.ok || outcome.delivery !== 'unanswered') repeated.forget(key);
    if (outcome.ok || readRefreshEvent(outcome) !== 'silence')
      return outcomes.settle(state, asker.owner, outcome);
    const delayMs = await outcomes.leaveUnanswered(state, asker, outcome);
    const withinMs = reuseSeconds(target.reuse) * 1000;
    if (withinMs > 0 && Number.isFinite(withinMs)) {
      const again = () => refresh(target).then(({ ok }) => ok && repeated.forget(key));
      repeated.repeat(key, delayMs, withinMs, again);
    }
    // Where the provider accepts the token once more, or no late answer can come, it is sent again after that time.
    return withinMs > 0 || outcome.late === undefined
      ? unavailable(delayMs)
      : unavailableWhileUnknown({ retryInMs: 0 });
  }

  return {
    refresh,
    refreshWhileHeld,
    refreshAfter401: createRefreshAfter401({ store, unstored: outcomes.unstored, refresh, nextWhileUnknown }),
    /** A change of the connection was announced: calls that wait for another process read the row at once. */
    noteChange: wakeUps.wakeUp,
    /** What the store has not taken yet is tried once more, and then lost. */
    stopWriting: outcomes.stopWriting,
    /**
     * Resolves when the refreshes under way have ended, no late answer is waited for, and the store has taken every
     * outcome.
     */
    async settled(): Promise<void> {
      for (;;) {
        const pending = [...underWay.values(), ...outcomes.listening(), ...outcomes.unwritten()];
        if (pending.length === 0) return;
        await Promise.allSettled(pending);
      }
    },
  };
}

function keyOf({ connectionId, version }: RefreshTarget): string {
  return `${connectionId} ${version}`;
}
