import { settleWithin } from '../../lib/settle-within.ts';
import { waitForStore } from '../../platform/postgres/store-time.ts';
import type { CredentialState } from './credential-state.store.ts';
import { createWriteFailure, type FailureWritesDependencies, readHeard } from './failure-writes.ts';
import { type Asker, createLateResponses } from './late-responses.ts';
import { createOutcomeWrites } from './outcome-writes.ts';
import type { RefreshedTokens, RefreshStore } from './refresh.store.ts';
import {
  CHANGED_RETRY_MS,
  NOT_FOUND,
  REFUSED,
  type RefreshFailure,
  type RefreshOutcome,
  type RefreshResult,
  STORE_WAIT_MS,
  unavailable,
} from './refresh-result.ts';
import type { RefreshTarget } from './refresh-target.ts';
import { backoffMs, LATE_ANSWER_MS, RETRY_MS_MAX } from './refresh-timing.ts';
import { createTokenWrites } from './token-writes.ts';

export type RefreshOutcomesDependencies = Omit<FailureWritesDependencies, 'afterLostClaim'> & {
  readonly store: RefreshStore;
  /** Revokes fresh tokens of a connection that was deleted meanwhile. May be called again where the store failed. */
  revokeOrphaned(state: CredentialState, tokens: RefreshedTokens): Promise<void>;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  now(): number;
};

export type RefreshOutcomes = ReturnType<typeof createRefreshOutcomes>;

/**
 * Stores the outcomes of refresh requests (in time, late or never) and returns what callers get. An outcome that the
 * store does not take is kept and tried on for as long as the process lives.
 */
export function createRefreshOutcomes(deps: RefreshOutcomesDependencies) {
  const { store, log } = deps;
  const writes = createOutcomeWrites();
  const tokenWrites = createTokenWrites({ ...deps, writes, afterLostClaim });
  const writeFailure = createWriteFailure({ ...deps, afterLostClaim });
  const lateAnswers = createLateResponses({ settle, endListening, log });

  /** An outcome that is known, in time or late. Rejects with StoreTimeError where the store does not take a refusal. */
  function settle(state: CredentialState, owner: string, outcome: RefreshOutcome): Promise<RefreshResult> {
    if (outcome.ok) return tokenWrites.keep(state, outcome.tokens);
    const written = writes.add(state.connectionId, () => writeFailure(state, owner, outcome));
    return waitForStore(STORE_WAIT_MS, written, () => undefined);
  }

  /** No answer came. Resolves to the milliseconds until the token may be sent again; a late answer is waited for. */
  async function leaveUnanswered(
    state: CredentialState,
    { owner, isLastTry }: Asker,
    outcome: RefreshFailure,
  ): Promise<number> {
    const { errorCode, late } = outcome;
    const { connectionId } = state;
    const delayMs = backoffMs(state.failures, deps.random(), RETRY_MS_MAX);
    const silence = {
      reason: `refresh unanswered: ${errorCode}`,
      delayMs,
      answerInMs: late === undefined ? 0 : LATE_ANSWER_MS,
      isLastTry,
      heard: readHeard(outcome),
    };
    const written = writes.add(connectionId, () => store.leaveUnanswered(state, owner, silence));
    log.warn({ connectionId, errorCode }, 'a token refresh was not answered');
    if (late !== undefined) lateAnswers.listen(state, { owner, isLastTry }, late);
    await settleWithin(STORE_WAIT_MS, written, () => undefined);
    return delayMs;
  }

  function endListening(state: CredentialState, { owner, isLastTry }: Asker): Promise<void> {
    const end = { reason: 'the answer to a token refresh was lost', isLastTry };
    return writes.add(state.connectionId, () => store.endListening(state, owner, end));
  }

  /** Nothing was sent, or it is not known whether the claim was granted: it is taken back, now or when the store is there. */
  async function withdraw(
    target: Pick<RefreshTarget, 'connectionId' | 'projectId' | 'version'>,
    owner: string,
  ): Promise<void> {
    const { connectionId } = target;
    log.warn({ connectionId }, 'a token refresh was not sent, its claim is taken back');
    const written = writes.add(connectionId, () => store.withdraw(target, owner));
    await settleWithin(STORE_WAIT_MS, written, () => undefined);
  }

  /** The write did not match: either it had been done after all (an ambiguous commit), or another change won. */
  async function afterLostClaim(state: CredentialState, tokens?: RefreshedTokens): Promise<RefreshResult> {
    const current = await store.read(state.connectionId, state.projectId);
    if (current === undefined) {
      if (tokens !== undefined) await deps.revokeOrphaned(state, tokens);
      return NOT_FOUND;
    }
    if (current.status !== 'active') return REFUSED;
    return current.version === state.version ? unavailable(CHANGED_RETRY_MS) : { ok: true, state: current };
  }

  return {
    settle,
    leaveUnanswered,
    withdraw,
    unstored: tokenWrites.unstored,
    isUnheard: lateAnswers.isUnheard,
    listening: lateAnswers.listening,
    /** The writes that wait for the store. */
    unwritten: writes.pending,
    stopWriting: writes.stop,
  };
}
