import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../platform/postgres/database.ts';
import type { CredentialState } from './credential-state.store.ts';
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
import { backoffMs, LATE_ANSWER_MS, REFUSED_RETRY_MS_MAX, RETRY_MS_MAX } from './refresh-timing.ts';

/** After so long, a refusal in words of the provider's own counts as final. */
const REFUSED_FOR_MS_MAX = 24 * 60 * 60 * 1000;
/** A durable write of a rotated token is worth waiting for, but not longer than the lease. */
const WRITE_PATIENCE_MS = 8_000;
const WRITE_PAUSE_FIRST_MS = 50;
/** With so many requests of one integration unanswered, its token endpoint is asked nothing more: tokens are at stake. */
const LISTENING_PER_INTEGRATION_MAX = 20;
/** What a caller waits for the outcome of a change that another process made. */
const CHANGED_RETRY_MS = 1_000;

export type RefreshOutcomesDependencies = {
  readonly store: RefreshStore;
  /** Revokes fresh tokens of a connection that was deleted meanwhile. */
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

/** Stores the outcomes of refresh requests (in time, late or never) and returns what callers get. */
export function createRefreshOutcomes(deps: RefreshOutcomesDependencies) {
  const { store, log } = deps;
  const listening = new Set<Promise<void>>();
  const listeningTo = new Map<string, number>();

  /** An outcome that is known, in time or late. */
  async function settle(
    state: CredentialState,
    owner: string,
    outcome: RefreshOutcome,
  ): Promise<RefreshResult> {
    if (outcome.ok) return keep(state, outcome.tokens);
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
    owner: string,
    outcome: RefreshFailure,
  ): Promise<number> {
    const { errorCode, late } = outcome;
    const { connectionId } = state;
    const delayMs = backoffMs(state.failures, deps.random(), RETRY_MS_MAX);
    const reason = `refresh unanswered: ${errorCode}`;
    const answerInMs = late === undefined ? 0 : LATE_ANSWER_MS;
    await store.leaveUnanswered(state, owner, { reason, delayMs, answerInMs, heard: heardIn(outcome) });
    log.warn({ connectionId, errorCode }, 'a token refresh was not answered');
    if (late !== undefined) listen(state, owner, late);
    return delayMs;
  }

  /** Takes the answer that comes after its time-out. */
  function listen(state: CredentialState, owner: string, late: Promise<RefreshOutcome | undefined>): void {
    const { connectionId, integrationId } = state;
    countListening(integrationId, 1);
    const done = late
      .then(async (outcome) => {
        if (outcome === undefined || refreshEventOf(outcome) === 'silence') {
          await store.endListening(state, owner, 'the answer to a token refresh was lost');
        } else {
          await settle(state, owner, outcome);
        }
      })
      .catch((error: unknown) => log.error({ err: error, connectionId }, 'a late answer could not be stored'))
      .finally(() => {
        countListening(integrationId, -1);
        listening.delete(done);
      });
    listening.add(done);
  }

  function countListening(integrationId: string, change: 1 | -1): void {
    const count = (listeningTo.get(integrationId) ?? 0) + change;
    if (count > 0) listeningTo.set(integrationId, count);
    else listeningTo.delete(integrationId);
  }

  /** Makes the new tokens durable before a call uses them: a one-use refresh token exists only here until then. */
  async function keep(state: CredentialState, tokens: RefreshedTokens): Promise<RefreshResult> {
    const deadlineMs = deps.now() + WRITE_PATIENCE_MS;
    for (let pauseMs = WRITE_PAUSE_FIRST_MS; ; pauseMs *= 2) {
      try {
        const kept = await store.complete(state, tokens);
        return kept === undefined ? await afterLostClaim(state, tokens) : { ok: true, state: kept };
      } catch (error) {
        if (deps.now() + pauseMs >= deadlineMs) {
          log.error({ err: error, connectionId: state.connectionId }, 'refreshed tokens could not be stored');
          throw error;
        }
        await sleep(pauseMs);
      }
    }
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
    /** Whether so many requests of an integration are unanswered that no more may be sent. */
    isUnheard: (integrationId: string): boolean =>
      (listeningTo.get(integrationId) ?? 0) >= LISTENING_PER_INTEGRATION_MAX,
    /** The late answers that are waited for; each promise settles when nothing more can come. */
    listening: (): readonly Promise<void>[] => [...listening],
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
