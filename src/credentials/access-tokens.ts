import { newId } from '../lib/ids.ts';
import type { CredentialState } from './credential-state.store.ts';
import type { RefreshTarget } from './refresh.store.ts';
import { createRefreshOutcomes, type RefreshOutcomesDependencies } from './refresh-outcomes.ts';
import {
  MISCONFIGURED,
  NOT_FOUND,
  REFUSED,
  type RefreshOutcome,
  type RefreshResult,
  unavailable,
  unavailableWhileUnknown,
} from './refresh-result.ts';
import { createRefreshRetries, type RunLater, runLater } from './refresh-retries.ts';
import { refreshEventOf, refreshStateOf, reuseSeconds } from './refresh-state.ts';
import { createWakeUps } from './wake-ups.ts';

/** How long a caller waits for a refresh that another process has under way. */
const WAIT_MS = 12_000;
/** How often the row is looked at while another process asks: its outcome is announced as well, failures are not. */
const LOOK_MS = 1_000;

export type AccessTokens = ReturnType<typeof createAccessTokens>;

export type AccessTokensDependencies = RefreshOutcomesDependencies & {
  /** One bounded token request. */
  requestRefresh(state: CredentialState): Promise<RefreshOutcome>;
  /** Lets the refresh begin when its turn has come. */
  enqueue(
    owner: Pick<RefreshTarget, 'projectId' | 'integrationId'>,
    work: () => Promise<RefreshResult>,
  ): Promise<RefreshResult>;
  readonly runLater?: RunLater;
};

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

  /** A credential newer than `target.version`: refreshed by this process, or by the one that was first. */
  function refresh(target: RefreshTarget): Promise<RefreshResult> {
    const key = keyOf(target);
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const deadlineMs = deps.now() + WAIT_MS;
    const started = deps
      .enqueue(target, () => refreshAcrossProcesses(target, deadlineMs))
      .finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  }

  async function refreshAcrossProcesses(target: RefreshTarget, deadlineMs: number): Promise<RefreshResult> {
    // Its callers gave up while it was queued.
    if (deps.now() >= deadlineMs) return unavailable(LOOK_MS);
    const owner = newId();
    const isUnheard = outcomes.isUnheard(target.integrationId);
    for (;;) {
      const claimed = isUnheard ? undefined : await store.claim(target, owner);
      if (claimed !== undefined) return ask(target, claimed, owner);
      const current = await store.read(target.connectionId, target.projectId);
      const result = await resultWithoutAsking(target, current);
      if (result !== 'wait' && result !== 'claim') return result;
      if (isUnheard) return unavailableWhileUnknown({ retryInMs: 0 });
      if (deps.now() >= deadlineMs) return unavailable(LOOK_MS);
      if (result === 'wait') await wakeUps.wait(target.connectionId, LOOK_MS);
    }
  }

  /**
   * What the row itself says to a caller whose claim was not granted: `wait` while another process asks, `claim` where
   * it has ended just now.
   */
  async function resultWithoutAsking(
    target: RefreshTarget,
    current: CredentialState | undefined,
  ): Promise<RefreshResult | 'wait' | 'claim'> {
    if (current === undefined) return NOT_FOUND;
    if (current.status === 'active' && current.version !== target.version)
      return { ok: true, state: current };
    switch (refreshStateOf(current).kind) {
      case 'refused':
        return REFUSED;
      case 'postponed':
        return current.isClientRefused ? MISCONFIGURED : unavailable(current.retryInMs);
      case 'idle':
        return 'claim';
      case 'unknown':
        return (await giveUp(target, current, false)) ? REFUSED : unavailableWhileUnknown(current);
      default:
        return 'wait';
    }
  }

  /**
   * The end of a connection whose one-use refresh token may be spent: no answer can come any more, and its access token
   * has expired or was refused. True where this call or another one has ended it.
   */
  async function giveUp(
    target: RefreshTarget,
    current: CredentialState,
    isAccessTokenRefused: boolean,
  ): Promise<boolean> {
    const isOver = isAccessTokenRefused || (current.expiresInMs !== null && current.expiresInMs <= 0);
    if (!isOver || current.answerInMs > 0) return false;
    const reason =
      'the answer to a token refresh was lost, and the refresh token works once only: it may be spent';
    const isChanged = await deps.recordRefusal(current, reason, (trx) =>
      store.giveUp(trx, target, { isAccessTokenRefused, reason }),
    );
    if (isChanged) log.warn({ connectionId: target.connectionId }, 'the answer to a token refresh was lost');
    return isChanged;
  }

  async function ask(target: RefreshTarget, state: CredentialState, owner: string): Promise<RefreshResult> {
    const outcome = await deps.requestRefresh(state);
    const key = keyOf(target);
    if (outcome.ok || outcome.delivery !== 'unanswered') repeated.forget(key);
    if (outcome.ok || refreshEventOf(outcome) !== 'silence') return outcomes.settle(state, owner, outcome);
    const delayMs = await outcomes.leaveUnanswered(state, owner, outcome);
    const withinMs = reuseSeconds(target.reuse) * 1000;
    if (withinMs > 0 && Number.isFinite(withinMs)) {
      const again = () => refresh(target).then(({ ok }) => ok && repeated.forget(key));
      repeated.repeat(key, delayMs, withinMs, again);
    }
    // Retrying makes sense only where the provider accepts the token once more.
    return withinMs > 0 ? unavailable(delayMs) : unavailableWhileUnknown({ retryInMs: 0 });
  }

  /**
   * After the provider's 401 to `target.version`. Null: no refresh is possible or allowed now, so the provider's
   * answer stands. `isByClient`: the integration's client gets the next token, or a log-in does, so no refresh token is needed.
   */
  async function refreshAfter401(
    target: RefreshTarget,
    { isByClient = false } = {},
  ): Promise<RefreshResult | null> {
    const current = await store.read(target.connectionId, target.projectId);
    if (current === undefined) return null;
    // Another call of the burst, or another process, has heard already that the grant is dead.
    if (current.status !== 'active') return REFUSED;
    if (current.version !== target.version) return { ok: true, state: current };
    if (current.credentials.refreshToken === null && !isByClient) return null;
    const isUnknown = refreshStateOf(current).kind === 'unknown';
    if (isUnknown && (await giveUp(target, current, true))) return REFUSED;
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
    /** Resolves when the refreshes under way have ended and no late answer is waited for. */
    async settled(): Promise<void> {
      for (;;) {
        const pending = [...underWay.values(), ...outcomes.listening()];
        if (pending.length === 0) return;
        await Promise.allSettled(pending);
      }
    },
  };
}

function keyOf({ connectionId, version }: RefreshTarget): string {
  return `${connectionId} ${version}`;
}
