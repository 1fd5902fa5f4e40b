import pLimit from 'p-limit';
import type { createRefreshStore } from './refresh.store.ts';

type RefreshStore = ReturnType<typeof createRefreshStore>;

const POOL_SHARE = 0.6;

/** Refreshes use a part of the pool only, and wait outside of it: a burst of them must not starve other queries. */
export function limitRefreshes(store: RefreshStore, poolMax: number): RefreshStore {
  const limit = pLimit(Math.max(1, Math.floor(poolMax * POOL_SHARE)));
  return {
    ...store,
    claim: (...given) => limit(() => store.claim(...given)),
    read: (...given) => limit(() => store.read(...given)),
    complete: (...given) => limit(() => store.complete(...given)),
    withdraw: (...given) => limit(() => store.withdraw(...given)),
  };
}
