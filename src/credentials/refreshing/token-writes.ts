import { settleWithin } from '../../lib/settle-within.ts';
import type { CredentialState } from './credential-state.store.ts';
import { createHeldTokens } from './held-tokens.ts';
import type { OutcomeWrites } from './outcome-writes.ts';
import type { RefreshedTokens, RefreshStore } from './refresh.store.ts';
import { CHANGED_RETRY_MS, type RefreshResult, STORE_WAIT_MS, unavailable } from './refresh-result.ts';
import type { RefreshTarget } from './refresh-target.ts';

export type TokenWrites = ReturnType<typeof createTokenWrites>;

/** Stores new tokens, and gives them to calls of this process until the store has taken them. */
export function createTokenWrites(deps: {
  readonly store: Pick<RefreshStore, 'read' | 'complete'>;
  readonly writes: OutcomeWrites;
  /** What callers get where another change of the connection came first. */
  afterLostClaim(state: CredentialState, tokens: RefreshedTokens): Promise<RefreshResult>;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  now(): number;
}) {
  const { store, writes, log } = deps;
  const held = createHeldTokens(deps);

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
      return renewed === undefined
        ? deps.afterLostClaim(state, tokens)
        : { ok: true as const, state: renewed };
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

  return {
    keep,
    /**
     * While an outcome of this connection waits for the store: the credentials that this process holds and that are newer
     * than `version`, or that there are none now. Undefined where nothing waits.
     */
    unstored({ connectionId, version }: Pick<RefreshTarget, 'connectionId' | 'version'>) {
      if (!writes.has(connectionId)) return undefined;
      const result = unstoredResult(connectionId);
      return result.ok && result.state.version <= version ? unavailable(CHANGED_RETRY_MS) : result;
    },
  };
}
