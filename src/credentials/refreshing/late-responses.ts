import type { CredentialState } from './credential-state.store.ts';
import type { RefreshOutcome } from './refresh-result.ts';
import { readRefreshEvent } from './refresh-state.ts';

/** With so many requests of one integration unanswered, its token endpoint is asked nothing more: tokens are at stake. */
const LISTENING_PER_INTEGRATION_MAX = 20;

/** Who asked: the lease, and whether the token was sent for the last time. */
export type Asker = { readonly owner: string; readonly isLastTry: boolean };

/** Waits for answers that come after their time-out, and counts them by integration. */
export function createLateResponses(deps: {
  /** Stores an answer after all. */
  settle(state: CredentialState, owner: string, outcome: RefreshOutcome): Promise<unknown>;
  /** No answer can come any more. */
  endListening(state: CredentialState, asker: Asker): Promise<void>;
  readonly log: { error(fields: object, message: string): void };
}) {
  const listening = new Set<Promise<void>>();
  const listeningTo = new Map<string, number>();

  async function take(
    state: CredentialState,
    asker: Asker,
    late: Promise<RefreshOutcome | undefined>,
  ): Promise<void> {
    const outcome = await late;
    if (outcome === undefined || readRefreshEvent(outcome) === 'silence')
      await deps.endListening(state, asker);
    else await deps.settle(state, asker.owner, outcome);
  }

  function count(integrationId: string, change: 1 | -1): void {
    const listeners = (listeningTo.get(integrationId) ?? 0) + change;
    if (listeners > 0) listeningTo.set(integrationId, listeners);
    else listeningTo.delete(integrationId);
  }

  return {
    listen(state: CredentialState, asker: Asker, late: Promise<RefreshOutcome | undefined>): void {
      const { connectionId, integrationId } = state;
      count(integrationId, 1);
      const done = take(state, asker, late)
        .catch((error: unknown) =>
          deps.log.error({ err: error, connectionId }, 'a late answer could not be stored'),
        )
        .finally(() => {
          count(integrationId, -1);
          listening.delete(done);
        });
      listening.add(done);
    },
    /** Whether so many requests of an integration are unanswered that no more may be sent. */
    isUnheard: (integrationId: string): boolean =>
      (listeningTo.get(integrationId) ?? 0) >= LISTENING_PER_INTEGRATION_MAX,
    /** The late answers that are waited for; each promise settles when nothing more can come. */
    listening: (): readonly Promise<void>[] => [...listening],
  };
}
