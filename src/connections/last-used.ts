import type { Db } from '../platform/postgres/database.ts';
import type { ConnectionsStore } from './connections.store.ts';

const FLUSH_MS = 30_000;
const BATCH_MAX = 500;

export type LastUsed = ReturnType<typeof createLastUsed>;

/**
 * Remembers which connections were used and writes `last_used_at` for all of them in one statement twice a minute, so
 * that a proxied call costs no query. What a crash loses is at most half a minute of "last used".
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
      await deps.connections.noteUsesOfAnyProject(deps.db, ids.slice(start, start + BATCH_MAX), new Date());
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
