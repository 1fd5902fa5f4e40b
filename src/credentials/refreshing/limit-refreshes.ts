import { createPacedQueue } from '../../lib/paced-queue.ts';
import type { RecordRefusal } from './record-refusal.ts';
import type { createRefreshStore } from './refresh.store.ts';

type RefreshStore = ReturnType<typeof createRefreshStore>;

type Statements = {
  readonly store: RefreshStore;
  readonly recordRefusal: RecordRefusal;
};

const POOL_SHARE = 0.6;
/** A store beside the gateway answers sooner than that. */
const IDLE_MS = 0.5;
/** A row that another transaction holds must not keep the refreshes of all others waiting. */
const HELD_MS_MAX = 100;

/**
 * Refreshes use a part of the pool only, and wait outside of it: a burst of them must not starve other queries. While the
 * event loop is busy, their statements are sent one after the other: several at once made other calls five times as slow
 * during a storm, and refreshed no more tokens. Claims and outcomes take turns, so that no outcome waits for all claims.
 */
export function limitRefreshes({ store, recordRefusal }: Statements, poolMax: number): Statements {
  const runningMax = Math.max(1, Math.floor(poolMax * POOL_SHARE));
  const statements = createPacedQueue({ runningMax, idleMs: IDLE_MS, heldMsMax: HELD_MS_MAX });
  const claims = <Result>(task: () => Promise<Result>) => statements.run('claims', task);
  const outcomes = <Result>(task: () => Promise<Result>) => statements.run('outcomes', task);
  return {
    store: {
      ...store,
      claim: (...given) => claims(() => store.claim(...given)),
      claimForcedRefresh: (...given) => claims(() => store.claimForcedRefresh(...given)),
      read: (...given) => outcomes(() => store.read(...given)),
      complete: (...given) => outcomes(() => store.complete(...given)),
      withdraw: (...given) => outcomes(() => store.withdraw(...given)),
      postpone: (...given) => outcomes(() => store.postpone(...given)),
      leaveUnanswered: (...given) => outcomes(() => store.leaveUnanswered(...given)),
    },
    // Whole: a transaction that waits in here would hold a connection which those before it wait for.
    recordRefusal: (...given) => outcomes(() => recordRefusal(...given)),
  };
}
