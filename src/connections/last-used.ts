import type { Db } from '../platform/postgres/database.ts';
import type { ConnectionsStore } from './connections.store.ts';

const FLUSH_MS = 2_000;
const WRITE_AGAIN_MS = 60_000;
const BATCH_MAX = 500;

/**
 * Remembers which connections were used and writes their `last_used_at` together, off the way of the call and at most
 * once a minute for each: a proxied call costs no query, and a first use shows within seconds.
 */
export function createLastUsed(deps: {
  db: Db;
  connections: ConnectionsStore;
  log: { warn(fields: object, message: string): void };
}) {
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

  const timer = setInterval(() => {
    flush().catch((error: unknown) => deps.log.warn({ err: error }, 'last use of connections not written'));
  }, FLUSH_MS).unref();

  return {
    note(connectionId: string): void {
      used.add(connectionId);
    },
    flush,
    stop(): Promise<void> {
      clearInterval(timer);
      return flush();
    },
  };
}
