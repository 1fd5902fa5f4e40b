import type { Chore } from '../../platform/chores.ts';
import type { Db } from '../../platform/postgres/database.ts';

type AccessKeyTable = 'api_keys' | 'personal_access_tokens' | 'operator_sessions';

const FLUSH_MS = 2_000;
const WRITE_AGAIN_MS = 60_000;

/**
 * Remembers which credentials were used and writes their `last_used_at` in one statement per table, off the way of the
 * request and at most once a minute for each, so that a busy key does not become a busy row.
 */
export function createAccessKeyUse(deps: { db: Db; now?: () => number }) {
  const now = deps.now ?? Date.now;
  let used: Record<AccessKeyTable, Map<string, Date>> = emptyUse();

  async function flush(): Promise<void> {
    const batch = used;
    used = emptyUse();
    await write('api_keys', batch.api_keys);
    await write('personal_access_tokens', batch.personal_access_tokens);
    await write('operator_sessions', batch.operator_sessions);
  }

  async function write(table: AccessKeyTable, uses: ReadonlyMap<string, Date>): Promise<void> {
    if (uses.size === 0) return;
    await deps.db.raw(
      `UPDATE ?? AS credential SET last_used_at = used.at
       FROM unnest(?::uuid[], ?::timestamptz[]) AS used (id, at)
       WHERE credential.id = used.id
         AND (last_used_at IS NULL OR last_used_at < used.at - make_interval(secs => ?))`,
      [table, [...uses.keys()], [...uses.values()], WRITE_AGAIN_MS / 1000],
    );
  }

  const chore: Chore = {
    name: 'last use of credentials',
    intervalMs: FLUSH_MS,
    runsAtStop: true,
    run: flush,
  };

  return {
    noteAccessKeyUse({ table, id }: { table: AccessKeyTable; id: string }): void {
      used[table].set(id, new Date(now()));
    },
    flush,
    /** Writes what has been remembered. */
    chore,
  };
}

function emptyUse(): Record<AccessKeyTable, Map<string, Date>> {
  return { api_keys: new Map(), personal_access_tokens: new Map(), operator_sessions: new Map() };
}
