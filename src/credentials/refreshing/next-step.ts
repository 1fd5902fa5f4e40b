import type { Db } from '../../platform/postgres/database.ts';
import type { CredentialState } from './credential-state.store.ts';
import type { LastTry } from './last-tries.store.ts';
import type { RefreshStore } from './refresh.store.ts';
import {
  MISCONFIGURED,
  NOT_FOUND,
  REFUSED,
  type RefreshResult,
  unavailable,
  unavailableWhileUnknown,
} from './refresh-result.ts';
import { nextInDoubt, readRefreshState } from './refresh-state.ts';
import type { RefreshTarget } from './refresh-target.ts';

/** What the row says to a caller whose claim was not granted: its result, or what may be done next. */
export type Next =
  | { readonly kind: 'result'; readonly result: RefreshResult }
  /** Another process asks. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'claim'; readonly lastTry?: LastTry };

export type NextSteps = ReturnType<typeof createNextStep>;

/** Reads what a caller may do whose claim was not granted. */
export function createNextStep({
  store,
  recordRefusal,
  log,
}: {
  readonly store: Pick<RefreshStore, 'read' | 'announceLastTry' | 'giveUp'>;
  /** Runs a change of status and writes its activity record in the same transaction; false when the row moved on. */
  recordRefusal(
    state: CredentialState,
    reason: string,
    change: (trx: Db) => Promise<boolean>,
  ): Promise<boolean>;
  readonly log: { warn(fields: object, message: string): void };
}) {
  async function nextStep(target: RefreshTarget): Promise<Next> {
    const current = await store.read(target.connectionId, target.projectId);
    if (current === undefined) return { kind: 'result', result: NOT_FOUND };
    if (current.status === 'active' && current.version !== target.version)
      return { kind: 'result', result: { ok: true, state: current } };
    switch (readRefreshState(current).kind) {
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
    const isChanged = await recordRefusal(current, reason, (trx) =>
      store.giveUp(trx, target, { ...lastTry, reason }),
    );
    if (isChanged) log.warn({ connectionId: target.connectionId }, 'the answer to a token refresh was lost');
    return isChanged;
  }

  return { nextStep, nextWhileUnknown };
}
