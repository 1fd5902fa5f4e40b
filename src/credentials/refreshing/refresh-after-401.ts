import type { LastTry } from './last-tries.store.ts';
import type { NextSteps } from './next-step.ts';
import type { RefreshStore } from './refresh.store.ts';
import { REFUSED, type RefreshResult } from './refresh-result.ts';
import { readRefreshState } from './refresh-state.ts';
import type { RefreshTarget } from './refresh-target.ts';
import type { TokenWrites } from './token-writes.ts';

/** Refreshes a token that its provider refuses although it has not expired. */
export function createRefreshAfter401({
  store,
  ...deps
}: {
  store: Pick<RefreshStore, 'read' | 'claimForcedRefresh'>;
  unstored: TokenWrites['unstored'];
  refresh(target: RefreshTarget, lastTry?: LastTry): Promise<RefreshResult>;
  nextWhileUnknown: NextSteps['nextWhileUnknown'];
}) {
  /**
   * After the provider's 401 to `target.version`. Null: no refresh is possible or allowed now, so the provider's
   * answer stands. `isByClient`: the integration's client gets the next token, or a log-in does, so no refresh token is needed.
   */
  return async function refreshAfter401(
    target: RefreshTarget,
    { isByClient = false } = {},
  ): Promise<RefreshResult | null> {
    // The store has yet to take what came of the last refresh.
    const unstored = deps.unstored(target);
    if (unstored !== undefined) return unstored.ok ? unstored : null;
    const current = await store.read(target.connectionId, target.projectId);
    if (current === undefined) return null;
    // Another call of the burst, or another process, has heard already that the grant is dead.
    if (current.status !== 'active') return REFUSED;
    if (current.version !== target.version) return { ok: true, state: current };
    if (current.credentials.refreshToken === null && !isByClient) return null;
    if (readRefreshState(current).kind === 'unknown') {
      const next = await deps.nextWhileUnknown(target, current, true);
      if (next.kind === 'claim') return deps.refresh(target, next.lastTry);
      if (next.kind === 'result' && next.result === REFUSED) return REFUSED;
    }
    if (await store.claimForcedRefresh(target)) return deps.refresh(target);
    const after = await store.read(target.connectionId, target.projectId);
    if (after === undefined) return null;
    if (after.status !== 'active') return REFUSED;
    return after.version === target.version ? null : { ok: true, state: after };
  };
}
