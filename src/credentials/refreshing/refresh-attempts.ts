import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../lib/ids.ts';
import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';
import type { CredentialState } from './credential-state.store.ts';
import type { LastTry } from './last-tries.store.ts';
import type { Asker } from './late-responses.ts';
import type { RefreshStore } from './refresh.store.ts';
import type { RefreshOutcomes } from './refresh-outcomes.ts';
import type { RefreshFailure, RefreshOutcome } from './refresh-result.ts';
import type { RefreshTarget } from './refresh-target.ts';

/** How long a claim is repeated whose answer was lost, before it is taken back. */
const CLAIM_PATIENCE_MS = 3_000;
const CLAIM_PAUSE_MS = 100;

/** A token request that has all that it needs of the store. */
export type PreparedRefresh = {
  /** The version of the integration that it was made of; undefined where there is none. */
  readonly integrationVersion: number | undefined;
  /** One bounded token request. `noteSending` is called before its first byte may go out. */
  request(state: CredentialState, noteSending: () => void): Promise<RefreshOutcome>;
};

export type RefreshAttemptsDependencies = {
  readonly store: Pick<RefreshStore, 'claim'>;
  /** Reads all that a request needs, before anything is claimed. */
  prepareRefresh(
    target: Pick<RefreshTarget, 'projectId' | 'integrationId' | 'organizationClientId'>,
  ): Promise<PreparedRefresh>;
  now(): number;
};

/** One attempt at a refresh: everything is read, then the row is claimed, then the provider is asked at once. */
export function createRefreshAttempts(
  deps: RefreshAttemptsDependencies,
  outcomes: Pick<RefreshOutcomes, 'withdraw' | 'leaveUnanswered'>,
) {
  const { store } = deps;

  /**
   * What the provider made of it, and who asked; undefined where the claim was not granted. Throws store errors, after
   * which nothing is claimed.
   */
  async function attempt(
    target: RefreshTarget,
    lastTry: LastTry | undefined,
  ): Promise<{ state: CredentialState; asker: Asker; outcome: RefreshOutcome } | undefined> {
    const prepared = await deps.prepareRefresh(target);
    const asker = { owner: newId(), isLastTry: lastTry !== undefined };
    const state = await claim(target, asker.owner, lastTry);
    if (state === undefined) return undefined;
    return { state, asker, outcome: await ask(target, prepared, state, asker) };
  }

  /** The answer of the store may be lost although it has granted the claim: the owner asks for it by its own id again. */
  async function claim(
    target: RefreshTarget,
    owner: string,
    lastTry: LastTry | undefined,
  ): Promise<CredentialState | undefined> {
    const untilMs = deps.now() + CLAIM_PATIENCE_MS;
    for (;;) {
      try {
        return await store.claim(target, owner, lastTry);
      } catch (error) {
        if (!isTransientStoreError(error) || deps.now() + CLAIM_PAUSE_MS >= untilMs) {
          await outcomes.withdraw(target, owner);
          throw error;
        }
      }
      await sleep(CLAIM_PAUSE_MS);
    }
  }

  async function ask(
    target: RefreshTarget,
    prepared: PreparedRefresh,
    state: CredentialState,
    asker: Asker,
  ): Promise<RefreshOutcome> {
    let isSent = false;
    try {
      // The integration may have been changed between the reading and the claim; whose client it is the row alone knows.
      const isCurrent = [undefined, state.integrationVersion].includes(prepared.integrationVersion);
      const isOfClient = (target.organizationClientId ?? null) === state.organizationClientId;
      const { request } = isCurrent && isOfClient ? prepared : await deps.prepareRefresh(state);
      return await request(state, () => {
        isSent = true;
      });
    } catch (error) {
      if (isSent) await outcomes.leaveUnanswered(state, asker, INTERNAL_FAULT);
      else await outcomes.withdraw(target, asker.owner);
      throw error;
    }
  }

  return { attempt };
}

/** A fault of ours after the request was sent: its answer cannot be known. */
const INTERNAL_FAULT: RefreshFailure = {
  ok: false,
  kind: 'lost',
  errorCode: 'internal_fault',
  delivery: 'unanswered',
};
