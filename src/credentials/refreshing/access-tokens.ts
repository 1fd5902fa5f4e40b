import type { CredentialState } from './credential-state.store.ts';
import { createRefreshAttempts, type RefreshAttemptsDependencies } from './refresh-attempts.ts';
import type { LastTry } from './refresh-claims.store.ts';
import { createRefreshOutcomes, type RefreshOutcomesDependencies } from './refresh-outcomes.ts';
import {
  MISCONFIGURED,
  NOT_FOUND,
  REFUSED,
  type RefreshResult,
  unavailable,
  unavailableWhileUnknown,
} from './refresh-result.ts';
import { createRefreshRetries, type RunLater, runLater } from './refresh-retries.ts';
import { nextInDoubt, refreshEventOf, refreshStateOf, reuseSeconds } from './refresh-state.ts';
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
  };

/** What the row says to a caller whose claim was not granted: its result, or what may be done next. */
type Next =
  | { readonly kind: 'result'; readonly result: RefreshResult }
  /** Another process asks. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'claim'; readonly lastTry?: LastTry };

/**
 * Refreshes access tokens once, however many calls and processes ask. In one process calls share a promise; among
 * processes the row decides, by the table in `refresh-state.ts`: who talks to the provider, and what an answer, a late
 * answer or none does. No transaction is open while the provider is asked. Store errors are thrown; refusals are
 * returned.
 */
export function createAccessTokens(deps: AccessTokensDependencies) {
  const { store, log } = deps;
  const repeated = createRefreshRetries({ now: deps.now, runLater: deps.runLater ?? runLater });
  const wakeUps = createWakeUps();
  const underWay = new Map<string, Promise<RefreshResult>>();
  const outcomes = createRefreshOutcomes(deps);
  const attempts = createRefreshAttempts(deps, outcomes);

  /** A credential newer than `target.version`: refreshed by this process, or by the one that was first. */
  function refresh(target: RefreshTarget, lastTry?: LastTry): Promise<RefreshResult> {
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

  async function nextStep(target: RefreshTarget): Promise<Next> {
    const current = await store.read(target.connectionId, target.projectId);
    if (current === undefined) return { kind: 'result', result: NOT_FOUND };
    if (current.status === 'active' && current.version !== target.version)
      return { kind: 'result', result: { ok: true, state: current } };
    switch (refreshStateOf(current).kind) {
      case 'refused':
        return { kind: 'result', result: REFUSED };
      case 'postponed': {
        const result = current.isClientRefused ? MISCONFIGURED : unavailable(current.retryInMs);
        return { kind: 'result', result };
      }
      case 'idle':
        return { kind: 'claim' };
      case 'unknown':
        return nextWhileUnknown(target, current, false);
      default:
        return { kind: 'wait' };
    }
  }

  /**
   * The refresh token may be spent. While its access token serves, or an answer can come, nothing is done; then the
   * token is sent once more, and where that is not answered either, the connection ends.
   */
  async function nextWhileUnknown(
    target: RefreshTarget,
    current: CredentialState,
    isAccessTokenRefused: boolean,
  ): Promise<Next> {
    const isExpired = current.expiresInMs !== null && current.expiresInMs <= 0;
    const isAccessTokenUseless = isAccessTokenRefused || isExpired;
    const lastTry = { isAccessTokenRefused };
    const unknown: Next = { kind: 'result', result: unavailableWhileUnknown(current) };
    switch (nextInDoubt({ ...current, isAccessTokenUseless })) {
      case 'ask':
        return { kind: 'claim', lastTry };
      case 'announce':
        await store.announceLastTry(target, lastTry);
        return unknown;
      case 'give_up':
        return (await giveUp(target, current, lastTry)) ? { kind: 'result', result: REFUSED } : unknown;
      default:
        return unknown;
    }
  }

  /** The end of a connection whose last try was not answered. True where this call or another one has ended it. */
  async function giveUp(target: RefreshTarget, current: CredentialState, lastTry: LastTry): Promise<boolean> {
    const reason =
      'the answer to a token refresh was lost, and so was that of the last try: the refresh token may be spent';
    const isChanged = await deps.recordRefusal(current, reason, (trx) =>
      store.giveUp(trx, target, { ...lastTry, reason }),
    );
    if (isChanged) log.warn({ connectionId: target.connectionId }, 'the answer to a token refresh was lost');
    return isChanged;
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
    if (outcome.ok || refreshEventOf(outcome) !== 'silence')
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

  /**
   * After the provider's 401 to `target.version`. Null: no refresh is possible or allowed now, so the provider's
   * answer stands. `isByClient`: the integration's client gets the next token, or a log-in does, so no refresh token is needed.
   */
  async function refreshAfter401(
    target: RefreshTarget,
    { isByClient = false } = {},
  ): Promise<RefreshResult | null> {
    // The store has yet to take what came of the last refresh.
    const unstored = outcomes.unstored(target);
    if (unstored !== undefined) return unstored.ok ? unstored : null;
    const current = await store.read(target.connectionId, target.projectId);
    if (current === undefined) return null;
    // Another call of the burst, or another process, has heard already that the grant is dead.
    if (current.status !== 'active') return REFUSED;
    if (current.version !== target.version) return { ok: true, state: current };
    if (current.credentials.refreshToken === null && !isByClient) return null;
    if (refreshStateOf(current).kind === 'unknown') {
      const next = await nextWhileUnknown(target, current, true);
      if (next.kind === 'claim') return refresh(target, next.lastTry);
      if (next.kind === 'result' && next.result === REFUSED) return REFUSED;
    }
    if (await store.claimForcedRefresh(target)) return refresh(target);
    const after = await store.read(target.connectionId, target.projectId);
    if (after === undefined) return null;
    if (after.status !== 'active') return REFUSED;
    return after.version === target.version ? null : { ok: true, state: after };
  }

  return {
    refresh,
    refreshAfter401,
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
