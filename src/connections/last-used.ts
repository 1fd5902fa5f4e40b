import type { Chore } from '../platform/chores.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { ConnectionsStore } from './connections.store.ts';

const FLUSH_MS = 2_000;
const WRITE_AGAIN_MS = 60_000;
const BATCH_MAX = 500;

/**
 * Remembers which connections were used and writes their `last_used_at` together, off the way of the call and at most
 * once a minute for each: a proxied call costs no query, and a first use shows within seconds.
 */
export function createLastUsed(deps: { db: Db; connections: ConnectionsStore }) {
  let used = new Set<string>();

  async function flush(): Promise<void> {
    const ids = [...used];
    used = new Set();
    for (let start = 0; start < ids.length; start += BATCH_MAX) {
      const usedAt = new Date();
      const unlessSince = new Date(usedAt.getTime() - WRITE_AGAIN_MS);
      const batch = ids.slice(start, start + BATCH_MAX);
      await deps.connections.noteUsesOfAnyProject(deps.db, batch, usedAt, unlessSince);
    }
  }

  const chore: Chore = {
    name: 'last use of connections',
    intervalMs: FLUSH_MS,
    runsAtStop: true,
    run: flush,
  };

  return {
    note(connectionId: string): void {
      used.add(connectionId);
    },
    /** Writes what has been remembered. */
    chore,
  };
}
