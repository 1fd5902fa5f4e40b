import { settleWithin } from '../../lib/settle-within.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { waitForStore } from '../../platform/postgres/store-time.ts';
import type { CredentialState } from './credential-state.store.ts';
import { createHeldTokens } from './held-tokens.ts';
import { createOutcomeWrites } from './outcome-writes.ts';
import type { Heard, RefreshedTokens, RefreshStore } from './refresh.store.ts';
import {
  MISCONFIGURED,
  NOT_FOUND,
  REFUSED,
  type RefreshFailure,
  type RefreshOutcome,
  type RefreshResult,
  unavailable,
} from './refresh-result.ts';
import { refreshEventOf } from './refresh-state.ts';
import type { RefreshTarget } from './refresh-target.ts';
import { backoffMs, LATE_ANSWER_MS, REFUSED_RETRY_MS_MAX, RETRY_MS_MAX } from './refresh-timing.ts';

/** After so long, a refusal in words of the provider's own counts as final. */
const REFUSED_FOR_MS_MAX = 24 * 60 * 60 * 1000;
/** What a caller waits for the store to take an outcome. */
const STORE_WAIT_MS = 3_000;
/** With so many requests of one integration unanswered, its token endpoint is asked nothing more: tokens are at stake. */
const LISTENING_PER_INTEGRATION_MAX = 20;
/** What a caller waits for the outcome of a change that another process made. */
const CHANGED_RETRY_MS = 1_000;

export type RefreshOutcomesDependencies = {
  readonly store: RefreshStore;
  /** Revokes fresh tokens of a connection that was deleted meanwhile. May be called again where the store failed. */
  revokeOrphaned(state: CredentialState, tokens: RefreshedTokens): Promise<void>;
  /** Runs a change of status and writes its activity record in the same transaction; false when the row moved on. */
  recordRefusal(
    state: CredentialState,
    reason: string,
    change: (trx: Db) => Promise<boolean>,
  ): Promise<boolean>;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  now(): number;
  random(): number;
};

export type RefreshOutcomes = ReturnType<typeof createRefreshOutcomes>;

/** Who asked: the lease, and whether the token was sent for the last time. */
export type Asker = { readonly owner: string; readonly isLastTry: boolean };

/**
 * Stores the outcomes of refresh requests (in time, late or never) and returns what callers get. An outcome that the
 * store does not take is kept and tried on for as long as the process lives.
 */
export function createRefreshOutcomes(deps: RefreshOutcomesDependencies) {
  const { store, log } = deps;
  const listening = new Set<Promise<void>>();
  const listeningTo = new Map<string, number>();
  const writes = createOutcomeWrites();
  const held = createHeldTokens(deps);

  /** An outcome that is known, in time or late. Rejects with StoreTimeError where the store does not take a refusal. */
  function settle(state: CredentialState, owner: string, outcome: RefreshOutcome): Promise<RefreshResult> {
    if (outcome.ok) return keep(state, outcome.tokens);
    const written = writes.add(state.connectionId, () => writeFailure(state, owner, outcome));
    return waitForStore(STORE_WAIT_MS, written, () => undefined);
  }

  async function writeFailure(
    state: CredentialState,
    owner: string,
    outcome: RefreshFailure,
  ): Promise<RefreshResult> {
    if (outcome.kind === 'invalid_grant') return refuse(state, owner, outcome);
    if (await isFinallyRefused(state, outcome)) return refuse(state, owner, outcome);
    return postpone(state, owner, outcome);
  }

  async function refuse(
    state: CredentialState,
    owner: string,
    outcome: RefreshFailure,
  ): Promise<RefreshResult> {
    const { connectionId } = state;
    const { errorCode } = outcome;
    // The request before may have spent the token: then this refusal does not mean that the user revoked the grant.
    const after = state.unanswered > 1 ? ' after the answer to an earlier refresh was lost' : '';
    const reason = `refresh refused${after}: ${reasonOf(outcome)}`;
    const isChanged = await deps.recordRefusal(state, reason, (trx) =>
      store.refuse(trx, state, owner, reason, heardIn(outcome)),
    );
    // Not changed: a user re-authorized or deleted the connection while the provider answered.
    if (!isChanged) return afterLostClaim(state);
    log.warn({ connectionId, errorCode }, 'refresh token is dead');
    return REFUSED;
  }

  /**
   * A definitive refusal in words that are not understood becomes final after a day. One that could as well be about
   * the integration's client counts only where the provider has accepted that client for another connection meanwhile.
   */
  async function isFinallyRefused(state: CredentialState, outcome: RefreshFailure): Promise<boolean> {
    const { refusedForMs } = state;
    if (!isTokenRefused(outcome) || refusedForMs === null || refusedForMs < REFUSED_FOR_MS_MAX) return false;
    return outcome.errorCode !== 'http_401' || store.isClientProven(state, refusedForMs);
  }

  async function postpone(
    state: CredentialState,
    owner: string,
    outcome: RefreshFailure,
  ): Promise<RefreshResult> {
    const { connectionId } = state;
    const { errorCode } = outcome;
    const isRefused = isTokenRefused(outcome);
    const isClientRefused = outcome.kind === 'client';
    const mostMs = isRefused ? REFUSED_RETRY_MS_MAX : RETRY_MS_MAX;
    const delayMs = outcome.retryAfterMs ?? backoffMs(state.failures, deps.random(), mostMs);
    const reason = `refresh failed: ${reasonOf(outcome)}`;
    await store.postpone(state, owner, {
      reason,
      delayMs,
      isClientRefused,
      isTokenRefused: isRefused,
      heard: heardIn(outcome),
    });
    if (isClientRefused) {
      log.error({ connectionId, errorCode }, 'provider refuses the integration’s client');
      return MISCONFIGURED;
    }
    log.warn({ connectionId, errorCode, delayMs }, 'refresh failed, will be tried again');
    return unavailable(delayMs);
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
      heard: heardIn(outcome),
    };
    const written = writes.add(connectionId, () => store.leaveUnanswered(state, owner, silence));
    log.warn({ connectionId, errorCode }, 'a token refresh was not answered');
    if (late !== undefined) listen(state, { owner, isLastTry }, late);
    await settleWithin(STORE_WAIT_MS, written, () => undefined);
    return delayMs;
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

  /** Takes the answer that comes after its time-out. */
  function listen(state: CredentialState, asker: Asker, late: Promise<RefreshOutcome | undefined>): void {
    const { connectionId, integrationId } = state;
    countListening(integrationId, 1);
    const done = late
      .then(async (outcome) => {
        if (outcome === undefined || refreshEventOf(outcome) === 'silence') {
          await endListening(state, asker);
        } else {
          await settle(state, asker.owner, outcome);
        }
      })
      .catch((error: unknown) => log.error({ err: error, connectionId }, 'a late answer could not be stored'))
      .finally(() => {
        countListening(integrationId, -1);
        listening.delete(done);
      });
    listening.add(done);
  }

  function endListening(state: CredentialState, { owner, isLastTry }: Asker): Promise<void> {
    const end = { reason: 'the answer to a token refresh was lost', isLastTry };
    return writes.add(state.connectionId, () => store.endListening(state, owner, end));
  }

  function countListening(integrationId: string, change: 1 | -1): void {
    const count = (listeningTo.get(integrationId) ?? 0) + change;
    if (count > 0) listeningTo.set(integrationId, count);
    else listeningTo.delete(integrationId);
  }

  /**
   * Makes the new tokens durable before a call uses them: a one-use refresh token exists only here until then. Where the
   * store does not take them in time, calls of this process use them from memory meanwhile.
   */
  async function keep(state: CredentialState, tokens: RefreshedTokens): Promise<RefreshResult> {
    const { connectionId } = state;
    const sinceMs = deps.now();
    held.hold(state, tokens, sinceMs);
    const write = async () => {
      const ageSeconds = (deps.now() - sinceMs) / 1000;
      const kept = await store.complete(state, tokens, ageSeconds);
      if (kept !== undefined) return { ok: true as const, state: kept };
      const renewed = await keepForRenewedGrant(state, tokens, ageSeconds);
      return renewed === undefined ? afterLostClaim(state, tokens) : { ok: true as const, state: renewed };
    };
    const written = writes.add(connectionId, write, { isTriedAlways: true });
    written
      .catch((error: unknown) =>
        log.error({ err: error, connectionId }, 'refreshed tokens could not be stored'),
      )
      .finally(() => held.release(connectionId, tokens));
    return settleWithin(STORE_WAIT_MS, written, () => {
      log.warn({ connectionId }, 'refreshed tokens wait for the store');
      return unstoredResult(connectionId);
    });
  }

  /** The user authorized again meanwhile, and the grant kept the refresh token that this refresh has just spent. */
  async function keepForRenewedGrant(
    state: CredentialState,
    tokens: RefreshedTokens,
    ageSeconds: number,
  ): Promise<CredentialState | undefined> {
    const { refreshToken } = state.credentials;
    if (tokens.isTokenKept || refreshToken === null) return undefined;
    const current = await store.read(state.connectionId, state.projectId);
    const isSpent = current?.credentials.refreshToken === refreshToken;
    return isSpent ? store.complete(current, tokens, ageSeconds) : undefined;
  }

  /** What calls get while the outcome of a refresh waits for the store. */
  function unstoredResult(connectionId: string): RefreshResult {
    const state = held.find(connectionId);
    return state === undefined ? unavailable(CHANGED_RETRY_MS) : { ok: true, state };
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
    /**
     * While an outcome of this connection waits for the store: the credentials that this process holds and that are newer
     * than `version`, or that there are none now. Undefined where nothing waits.
     */
    unstored({ connectionId, version }: Pick<RefreshTarget, 'connectionId' | 'version'>) {
      if (!writes.has(connectionId)) return undefined;
      const result = unstoredResult(connectionId);
      return result.ok && result.state.version <= version ? unavailable(CHANGED_RETRY_MS) : result;
    },
    /** Whether so many requests of an integration are unanswered that no more may be sent. */
    isUnheard: (integrationId: string): boolean =>
      (listeningTo.get(integrationId) ?? 0) >= LISTENING_PER_INTEGRATION_MAX,
    /** The late answers that are waited for; each promise settles when nothing more can come. */
    listening: (): readonly Promise<void>[] => [...listening],
    /** The writes that wait for the store. */
    unwritten: writes.pending,
    stopWriting: writes.stop,
  };
}

/** A definitive 4xx that is neither understood nor about the client. */
function isTokenRefused({ kind, delivery }: RefreshFailure): boolean {
  return kind === 'rejected' && delivery === 'answered';
}

function reasonOf({ errorCode, words }: RefreshFailure): string {
  return words === undefined ? errorCode : `${errorCode} (“${words}”)`;
}

function heardIn({ status, errorCode, words }: RefreshFailure): Heard {
  return { status: status ?? null, error: errorCode, words: words ?? null };
}
