import { boundStoreWait } from '../../platform/postgres/store-time.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { RefreshResult } from './refresh-result.ts';

/** Callers wait for a slow store for some seconds only; the refresh, which they share, goes on uncut. */
export function boundWaits({
  refresh,
  refreshAfter401,
}: AccessTokens): Pick<AccessTokens, 'refresh' | 'refreshAfter401'> {
  const bounded = new WeakMap<Promise<unknown>, Promise<RefreshResult>>();
  return {
    refresh(target) {
      let shared: Promise<RefreshResult> | undefined;
      const own = boundStoreWait(() => {
        shared = refresh(target);
        return shared;
      });
      // The time of a shared refresh counts for the caller that began it.
      const first = shared && bounded.get(shared);
      if (shared && !first) bounded.set(shared, own);
      own.catch(() => undefined);
      return first ?? own;
    },
    refreshAfter401: (target, options) => boundStoreWait(() => refreshAfter401(target, options)),
  };
}
