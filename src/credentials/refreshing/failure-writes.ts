import type { Db } from '../../platform/postgres/database.ts';
import type { CredentialState } from './credential-state.store.ts';
import type { RefreshStore } from './refresh.store.ts';
import {
  MISCONFIGURED,
  REFUSED,
  type RefreshFailure,
  type RefreshResult,
  unavailable,
} from './refresh-result.ts';
import type { Heard } from './refresh-rows.store.ts';
import { backoffMs, REFUSED_RETRY_MS_MAX, RETRY_MS_MAX } from './refresh-timing.ts';

/** After so long, a refusal in words of the provider's own counts as final. */
const REFUSED_FOR_MS_MAX = 24 * 60 * 60 * 1000;

export type FailureWritesDependencies = {
  readonly store: Pick<RefreshStore, 'refuse' | 'postpone' | 'isClientProven'>;
  /** Runs a change of status and writes its activity record in the same transaction; false when the row moved on. */
  recordRefusal(
    state: CredentialState,
    reason: string,
    change: (trx: Db) => Promise<boolean>,
  ): Promise<boolean>;
  /** What callers get where another change of the connection came first. */
  afterLostClaim(state: CredentialState): Promise<RefreshResult>;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  random(): number;
};

/** Stores that the provider answered a refresh without tokens: the grant is dead, or the next request has to wait. */
export function createWriteFailure(deps: FailureWritesDependencies) {
  const { store, log, afterLostClaim } = deps;

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
      store.refuse(trx, state, owner, reason, readHeard(outcome)),
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
      heard: readHeard(outcome),
    });
    if (isClientRefused) {
      log.error({ connectionId, errorCode }, 'provider refuses the integration’s client');
      return MISCONFIGURED;
    }
    log.warn({ connectionId, errorCode, delayMs }, 'refresh failed, will be tried again');
    return unavailable(delayMs);
  }

  return writeFailure;
}

/** A definitive 4xx that is neither understood nor about the client. */
function isTokenRefused({ kind, delivery }: RefreshFailure): boolean {
  return kind === 'rejected' && delivery === 'answered';
}

function reasonOf({ errorCode, words }: RefreshFailure): string {
  return words === undefined ? errorCode : `${errorCode} (“${words}”)`;
}

/** What the store keeps of a failure, for operators. */
export function readHeard({ status, errorCode, words }: RefreshFailure): Heard {
  return { status: status ?? null, error: errorCode, words: words ?? null };
}
